import Composition
import Draft
import Foundation
import TestSupport
import Testing
import Values

/// Drafts in drafts, flattened and cut.
@Suite struct NestedDraftTests {
    private let catalog = RandomDraft.catalog

    private func card(_ clips: Clip..., rate: Rational = Rational(25), background: Color? = nil) -> Draft {
        var draft = Draft(clips)
        draft.canvas = Canvas(size: Canvas.Size(width: 640, height: 360), frameRate: rate, background: background)
        return draft
    }

    private func slice(_ draft: Draft, _ frames: Range<Int>) throws -> Slice {
        Slice(try Composition(draft, catalog: catalog), frames: frames)
    }

    @Test func `a slice has the part that its frames show, from a frame of its own on`() throws {
        let inner = card(.sound(1, 4))
        let outer = Draft([Clip(NestedDraft(inner), range: range(2, 2))])
        let whole = try slice(outer, 0..<60)
        #expect(whole.drafts?.map(\.frameCount) == [50] && whole.drafts?[0].frameRate == Rational(25))
        let later = try slice(outer, 30..<60)
        // The middle of frame 30 shows frame 25 of what is in the range.
        #expect(later.drafts?.map(\.frameCount) == [25])
        #expect(later.instructions[0].clips[0].content.content(at: .zero) == .zero)
        #expect(
            later.files[0].draft == 0 && later.files[0].info.duration == seconds(1) && later.files[0].info.audio == nil)
    }

    @Test func `what lies before it, and what it has beside what is shown, changes no part`() throws {
        var inner = card(.sound(0, 6), .photo(1))
        let outer = Draft([Clip(NestedDraft(inner), range: range(1, 4)), .photo(1)])
        let keys = Set(try plan(outer).keys)
        var longer = outer
        longer.clips.insert(.photo(1.7), at: 0)
        #expect(try plan(longer).keys.count { !keys.contains($0) } <= 1)
        // A second of it that is not shown, and its end.
        inner.clips[1] = .photo(3)
        inner.effects = [.title("late", range(6, 1))]
        let other = Draft([Clip(NestedDraft(inner), range: range(1, 4)), .photo(1)])
        #expect(Set(try plan(other).keys) == keys)
        inner.effects.append(.title("seen", range(1.5, 0.5)))
        let changed = Draft([Clip(NestedDraft(inner), range: range(1, 4)), .photo(1)])
        let new = try plan(changed).keys.count { !keys.contains($0) }
        #expect(new >= 1 && new < keys.count, "\(new) of \(keys.count)")
    }

    @Test func `names and places of files in it make no other part`() throws {
        var moved = catalog
        moved.media["/n/photo.jpg"] = moved.media["/m/photo.jpg"]
        func keys(_ path: String, _ id: String?) throws -> [String] {
            var clip = Clip.photo(1)
            (clip.path, clip.id) = (path, id)
            return try plan(Draft([Clip(NestedDraft(card(clip)))]), moved).keys
        }
        #expect(try keys("/m/photo.jpg", nil) == keys("/n/photo.jpg", "other"))
    }

    /// What a frame shows of a file: its path, and when. The same whichever slice is asked.
    private func shown(_ slice: Slice, _ frame: Int) -> String {
        guard let instruction = slice.instruction(at: frame) else { return "nothing" }
        let time = Time(middleOfFrame: frame, rate: slice.frameRate)
        return (instruction.clips + instruction.effects.compactMap(\.clip)).map { use in
            let clip = slice.clips[use.clip]
            guard let number = clip.file, let moment = clip.picture(use.content, at: time) else { return "made" }
            let file = slice.files[number]
            guard let draft = file.draft.flatMap({ slice.drafts?[$0] }) else {
                return file.info.kind == .image ? "image" : "\(file.path) \((moment.time.seconds * 1e6).rounded())"
            }
            return "(" + shown(draft, draft.frame(before: moment.time)) + ")"
        }.joined(separator: " ")
    }

    @Test func `a part shows what the whole shows, whatever is done with time`() throws {
        var drafts = RandomDraft(SplitMix64(seed: Seed.announced(for: "parts of nested drafts", cases: 90)))
        var compared = 0
        for index in 0..<900 where index < 90 || compared <= 100 {
            let draft = drafts.nesting(depth: 2)
            guard let composition = try? Composition(draft, catalog: catalog), composition.frameCount > 0 else {
                continue
            }
            let count = min(composition.frameCount, 200)
            let whole = Slice(composition, frames: 0..<count)
            for frame in stride(from: 0, to: count, by: 1 + count / 25) {
                let alone = Slice(composition, frames: frame..<frame + 1)
                #expect(shown(alone, 0) == shown(whole, frame), "frame \(frame) of case \(index)")
                compared += 1
            }
        }
        #expect(compared > 100)
    }

    @Test func `what is seen through is known`() throws {
        func isOpaque(_ inner: Draft) throws -> Bool {
            try #require(try slice(Draft([Clip(NestedDraft(inner))]), 0..<10).drafts?.first).isOpaque
        }
        #expect(try isOpaque(card(.sound(0, 1))))
        // 4:3 on 16:9.
        #expect(try !isOpaque(card(.photo(1))))
        #expect(try isOpaque(card(.photo(1), background: .black)))
        var filled = Clip.photo(1)
        filled.mode = .fill
        #expect(try isOpaque(card(filled)))
        filled.placement = Placement()
        #expect(try isOpaque(card(filled)))
        filled.placement?.opacity = .constant(0.5)
        #expect(try !isOpaque(card(filled)))
        filled.backdrop = .blur
        #expect(try isOpaque(card(filled)))
        #expect(try !isOpaque(card(.made(1))))
        var layers = card()
        layers.effects = [Effect(.layer(Layer(.sound(0, 1))))]
        #expect(try !isOpaque(layers))
        // One in it has holes.
        #expect(try !isOpaque(card(Clip(NestedDraft(layers)))))
        #expect(try slice(Draft([.photo(1)]), 0..<10).isOpaque)
    }

    /// What lies elsewhere in a draft decides whether its pictures have alpha: so it is no matter
    /// what a part shows of it.
    @Test func `pictures have alpha in all parts or in none`() throws {
        for (clips, hasAlpha) in [([Clip.sound(0, 3), .photo(2)], true), ([.sound(0, 3), .sound(4, 2)], false)] {
            var inner = card()
            inner.clips = clips
            let composition = try Composition(Draft([Clip(NestedDraft(inner))]), catalog: catalog)
            for frames in [0..<10, 80..<100, 100..<140, 0..<150] {
                let slice = Slice(composition, frames: frames)
                #expect(slice.files.map { $0.info.video?.hasAlpha } == [hasAlpha], "\(frames)")
            }
        }
    }

    @Test func `an effect that needs every frame gets them from its beginning`() throws {
        var inner = card(.sound(0, 6))
        inner.effects = [.plugin("org.test.sequential", range(1, 4))]
        let composition = try Composition(Draft([Clip(NestedDraft(inner))]), catalog: catalog)
        #expect(composition.segmentFrames() == [0..<180], "never cut")
        let part = Slice(composition, frames: 90..<91)
        // From the effect's first frame to the one that the middle of frame 90 shows.
        #expect(part.drafts?.map(\.frameCount) == [75 - 25 + 1])
    }

    @Test func `its sound is a mix of its own`() throws {
        var inner = card(.sound(0, 2))
        inner.audio = [AudioClip(path: "/m/music.m4a")]
        inner.loudness = Loudness(integrated: -14)
        var outer = Draft([Clip(NestedDraft(inner), range: range(0.5, 1))])
        outer.clips[0].speed = Rational(1, 2)
        let job = try #require(try plan(outer).soundMix)
        let span = try #require(job.spans.first)
        #expect(job.spans.count == 1 && job.files[span.file].draft == 0 && span.map.speed == Rational(1, 2))
        let mix = try #require(job.drafts?.first)
        #expect(mix.spans.count == 2 && mix.sampleCount == 2 * job.sampleRate)
        #expect(mix.sampleRate == job.sampleRate && mix.channels == job.channels)
        #expect(Set(job.allFiles.map(\.path)) == ["/m/sound.mp4", "/m/music.m4a"])
    }

    @Test func `a plugin in it can be left out, and is known`() throws {
        var inner = card(.sound(0, 1))
        inner.effects = [.plugin("org.test.pure"), .sound("org.test.echo")]
        let plan = try plan(Draft([Clip(NestedDraft(inner))]))
        let slice = Slice(plan.composition, frames: 0..<10)
        let library = "/plugins/org.test.pure.so"
        #expect(slice.libraries == [library])
        #expect(slice.leavingOut("", of: library)?.libraries == [])
        #expect(slice.leavingOut("org.test.other", of: library) == nil)
        let sound = try #require(plan.soundMix)
        #expect(sound.libraries == ["/plugins/org.test.echo.so"])
        #expect(sound.leavingOut("org.test.echo", of: "/plugins/org.test.echo.so")?.libraries == [])
    }
}
