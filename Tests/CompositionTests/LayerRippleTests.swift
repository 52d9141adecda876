import Composition
import Draft
import TestSupport
import Testing

/// What an insertion at the front costs under a layer that lies over everything.
@Suite struct LayerRippleTests {
    /// A minute and a half in thirty clips, with a logo from the beginning to the end.
    private func draft(_ change: (inout Layer) -> Void = { _ in }) -> Draft {
        var logo = Layer(Clip(path: "/m/emoji.png", content: .image(duration: .longest)))
        logo.isOpenEnded = true
        var placement = Placement()
        (placement.width, placement.opacity) = (.constant([0, 0.1]), .constant(0.8))
        placement.position = .constant([-24, 1, 24, 0])
        logo.clip.placement = placement
        change(&logo)
        return Draft((0..<30).map { .sound(Double($0 % 5) * 0.7, 3) }, effects: [Effect(.layer(logo))])
    }

    private func rendered(_ draft: Draft, by edit: (inout Draft) -> Void) throws -> Int {
        let before = Set(try plan(draft).keys)
        var edited = draft
        edit(&edited)
        let after = try plan(edited)
        try #require(after.segments.count >= 29)
        return after.segments.count { !before.contains($0.key) }
    }

    @Test func `a logo over everything costs the seam`() throws {
        let change: [(inout Layer) -> Void] = [
            { _ in }, { $0.blend = .multiply }, { $0.mask = Mask(path: "/m/photo.jpg", kind: .luma) },
            { $0.clip.effects = [Effect(.picture(.lut(Look(path: "/m/look.png"))))] },
        ]
        for change in change {
            let draft = draft(change)
            #expect(try rendered(draft) { $0.clips.insert(.sound(1, 3), at: 0) } <= 3)
            #expect(try rendered(draft) { $0.clips.insert(.photo(0.4), at: 0) } <= 2)
            #expect(try rendered(draft) { $0.clips.remove(at: 0) } <= 1)
            #expect(try rendered(draft) { $0.clips.insert(.sound(1, 3), at: 15) } <= 4)
        }
    }

    /// An entrance and an exit change only the first and the last parts.
    @Test func `a logo that enters and leaves costs its ends as well`() throws {
        let draft = draft {
            $0.enter = Entrance(.slideLeft, duration: seconds(0.5))
            $0.leave = Entrance(.fade, duration: seconds(0.5))
        }
        #expect(try rendered(draft) { $0.clips.insert(.sound(1, 3), at: 0) } <= 5)
        // For a clip at the end, the old end and the new one.
        #expect(try rendered(draft) { $0.clips.append(.sound(1, 3)) } <= 5)
    }

    /// A film over six seconds in the middle, which stays where it is, or moves along with what it
    /// lies over.
    @Test func `what moves costs what it covers`() throws {
        var draft = draft()
        var film = Layer(Clip(path: "/m/silent.mp4", content: .media(range: range(0, 6))), at: seconds(60))
        film.clip.placement = Placement()
        draft.effects = [Effect(.layer(film))]
        let covered = try rendered(draft) { $0.clips.insert(.photo(3), at: 0) }
        #expect(covered >= 3 && covered <= 8, "\(covered)")
        let along = try rendered(draft) {
            $0.clips.insert(.photo(3), at: 0)
            film.start += seconds(3)
            $0.effects = [Effect(.layer(film))]
        }
        #expect(along <= 2, "\(along)")
    }
}
