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
            #expect(old.range == new.range && old.layers == new.layers)
            #expect(
                new.effects
                    == old.effects.filter { use in
                        if case .filter(let filter) = with.effects[use.effect].effect {
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

    @Test func whatIsNotUsedCannotBeLeftOut() throws {
        let with = try slice([.plugin(Self.pure)])
        #expect(with.leavingOut(Self.pure, of: "/other.so") == nil)
        #expect(with.leavingOut("org.test.other", of: try #require(with.effects[0].plugin?.path)) == nil)
    }
}
