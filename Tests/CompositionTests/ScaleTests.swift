import Composition
import Draft
import Foundation
import TestSupport
import Testing
import Values

/// Large drafts, whose plan must not grow with the square of their size. `CUTROOM_TIMES=1` prints
/// how long it takes.
@Suite struct ScaleTests {
    @Test(arguments: [360, 2000])
    func manyClips(count: Int) throws {
        var draft = Draft((0..<count).map { .sound(Double($0 % 5), 3, transition: $0 == 0 ? nil : 0.5) })
        for index in stride(from: 0, to: count, by: 4) {
            draft.effects.append(.title("\(index)", range(Double(index), 4)))
        }
        draft.effects.insert(Effect(.speed(Rational(101, 100)), range: range(0, 60)), at: draft.effects.count / 2)
        let start = ContinuousClock.now
        let plan = try plan(draft)
        if ProcessInfo.processInfo.environment["CUTROOM_TIMES"] != nil {
            print(
                "\(count) clips, \(draft.effects.count) effects, \(plan.segments.count) segments: \(start.duration(to: .now))"
            )
        }
        // The speed effect's end cuts one clip, or two in a transition.
        #expect((count...count + 2).contains(plan.composition.sound.count))
        // Equal content is rendered once.
        #expect(Set(plan.keys).count > plan.segments.count / 4 && Set(plan.keys).count <= plan.segments.count)
        let oracle = Comparison(draft, RandomDraft.catalog, plan.composition)
        for frame in [0, plan.composition.frameCount / 2, plan.composition.frameCount - 1] {
            let instruction = try #require(plan.composition.instruction(at: frame))
            #expect(oracle.disagreement(instruction, inFrame: frame) == nil)
        }
    }

    /// Repeats over many clips: as many stretches as are shown, and no more work.
    @Test func manyRepeats() throws {
        let clips = (0..<50).map { _ in Clip.photo(0.1) }
        let draft = Draft(clips, effects: [Effect(.repeat(100)), .title("x")])
        let composition = try Composition(draft, catalog: RandomDraft.catalog)
        #expect(composition.instructions.count == 5000 && composition.frameCount == 15_000)
    }
}
