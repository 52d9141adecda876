import Composition
import Draft
import Testing

/// Slices without a plugin's effect.
@Suite struct LeavingOutTests {
    private static let (pure, around) = ("org.test.pure", "org.test.around")

    private func slice(_ effects: [Effect]) throws -> Slice {
        try #require(try plan(Draft([.photo(4)], effects: effects)).segmentJob(0, output: "")?.slice)
    }

    @Test func everyUseGoesAndTheRestStays() throws {
        let with = try slice([.plugin(Self.pure, range(0, 1)), .title("x"), .plugin(Self.pure), .plugin(Self.around)])
        let library = try #require(with.effects[0].plugin?.path)
        let without = try #require(with.leavingOut(Self.pure, of: library))
        for (old, new) in zip(with.instructions, without.instructions) {
            #expect(old.range == new.range && old.clips == new.clips)
            #expect(
                new.effects
                    == old.effects.filter { use in
                        if case .picture(.filter(let filter)) = with.effects[use.effect].content {
                            filter.effectID != Self.pure
                        } else {
                            true
                        }
                    })
        }
        #expect(without.effects == with.effects && without.leadFrames == with.leadFrames)
        #expect(without.leavingOut(Self.pure, of: library) == nil)
    }

    @Test func aLibraryIsAllOfItsEffects() throws {
        let with = try slice([.plugin(Self.pure), .title("x"), .plugin(Self.around)])
        for library in Set(with.effects.compactMap(\.plugin?.path)) {
            let without = try #require(with.leavingOut("", of: library))
            let left = without.instructions.flatMap(\.effects).compactMap { without.effects[$0.effect].plugin?.path }
            #expect(!left.contains(library))
        }
    }

    /// A clip that nothing makes any more stays as long as it is, and shows the background.
    @Test func aGeneratedClipStays() throws {
        let id = "org.test.made"
        let overlay = SourceOverlay(PluginEffect(effectID: id), rect: Rect(x: 1, y: 2, width: 30, height: 40))
        let draft = Draft([.made(1), .photo(2, transition: 0.5)], effects: [Effect(.picture(.overlay(overlay)))])
        let with = try #require(try plan(draft).segmentJob(0, output: "")?.slice)
        let library = try #require(with.effects.first?.plugin?.path)
        let without = try #require(with.leavingOut(id, of: library))
        #expect(with.instructions.map(\.clips).joined().contains { $0.generator != nil })
        #expect(without.instructions.allSatisfy { $0.effects.isEmpty && $0.clips.allSatisfy { $0.generator == nil } })
        #expect(without.instructions.map(\.range) == with.instructions.map(\.range))
        #expect(without.instructions.map { $0.clips.map(\.clip) } == with.instructions.map { $0.clips.map(\.clip) })
        #expect(without.clips.map(\.file) == [nil, 0])
    }

    @Test func whatIsNotUsedCannotBeLeftOut() throws {
        let with = try slice([.plugin(Self.pure)])
        #expect(with.leavingOut(Self.pure, of: "/other.so") == nil)
        #expect(with.leavingOut("org.test.other", of: try #require(with.effects[0].plugin?.path)) == nil)
    }
}
