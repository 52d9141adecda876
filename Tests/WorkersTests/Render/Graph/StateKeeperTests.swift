import Composition
import Draft
import TestSupport
import Testing
import Values

@testable import Workers

/// The promise to effects with state, for random drafts with repeats and frames asked for in any
/// order.
@Suite struct StateKeeperTests {
    /// Notes the frames that it makes, and whether it was told that they follow.
    private final class Recorder: FrameMaker {
        private(set) var made: [(frame: Int, follows: Bool)] = []

        func make(_ moment: Moment) -> Int? {
            made.append((moment.frame, moment.follows))
            return moment.frame
        }

        func close() { made = [] }
    }

    private struct Subject {
        var keeper: StateKeeper<Int>
        var recorder: Recorder
        var clock: EffectClock
        var order: OwnOrder
        var number: Int
    }

    private static func subject(_ slice: Slice, _ number: Int, depth: Int?) -> Subject {
        var clock = EffectClock(SliceClock(slice, firstFrame: 0))
        for instruction in slice.instructions {
            for use in instruction.effects where use.effect == number {
                clock.uses.add(use, for: instruction.range.frames(rate: slice.frameRate))
            }
        }
        let recorder = Recorder()
        let keeper = StateKeeper(recorder, clock, slice.ownOrder, number, depth: depth)
        return Subject(keeper: keeper, recorder: recorder, clock: clock, order: slice.ownOrder, number: number)
    }

    /// One clip with the effect on a part of it, and repeats of other parts.
    private static func slice(_ effectID: String, _ random: inout SplitMix64) throws -> Slice {
        var draft = Draft(canvas: Canvas(size: Canvas.Size(width: 64, height: 36), frameRate: Rational(30)))
        draft.clips = [Clip(path: "/m/sound.mp4", content: .media(range: range(0, 60)))]
        let start = Int.random(in: 0..<30, using: &random)
        let filter = PictureEffect.filter(PluginEffect(effectID: effectID))
        draft.effects = [
            Effect(.picture(filter), range: range(start, Int.random(in: 1...60 - start, using: &random)))
        ]
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let start = Int.random(in: 0..<50, using: &random)
            let again = range(start, Int.random(in: 1...60 - start, using: &random))
            draft.effects.append(Effect(.repeat(Int.random(in: 2...3, using: &random)), range: again))
        }
        let composition = try Composition(draft, catalog: RandomDraft.catalog)
        return Slice(composition, frames: 0..<composition.frameCount)
    }

    /// Frames at 30 a second.
    private static func range(_ start: Int, _ count: Int) -> TimeRange {
        TimeRange(start: Time(frame: start, rate: Rational(30)), duration: Time(frame: count, rate: Rational(30)))
    }

    @Test(arguments: [("org.test.sequential", nil), ("org.test.warm", 5), ("org.test.pure", 0)] as [(String, Int?)])
    func `an effect has seen what comes before in its own time`(effectID: String, depth: Int?) throws {
        let seed = Seed.announced(for: "StateKeeperTests", cases: 60)
        for index in 0..<Seed.cases(60) {
            let context = Comment("case \(index) of CUTROOM_SEED=\(seed)")
            var random = SplitMix64.forCase(index, of: seed)
            let slice = try Self.slice(effectID, &random)
            let number = try #require(slice.effects.firstIndex { $0.plugin != nil })
            let subject = Self.subject(slice, number, depth: depth)
            let frames = slice.instructions.flatMap { $0.range.frames(rate: slice.frameRate) }
            let acting = frames.filter { subject.clock.moment($0) != nil }
            // In order, as a segment is rendered, and then anyhow.
            for frame in acting + (0..<20).map({ _ in random.pick(acting) }) {
                try #require(try subject.keeper.frame(frame) == frame, context)
                // What it has seen since it was last told to begin anew is the end of all that
                // comes before the frame.
                let made = subject.recorder.made
                let begin = try #require(made.lastIndex { !$0.follows }, context)
                let seen = made[begin...].map(\.frame)
                let all = subject.order.frames(before: frame, for: number, since: nil, atMost: nil) + [frame]
                try #require(all.suffix(seen.count).elementsEqual(seen), context)
                try #require(seen.count == all.count || seen.count > depth ?? .max, context)
            }
            // In order nothing is made twice but what is played again.
            #expect(try subject.keeper.frame((acting.last ?? 0) + 10_000) == nil, context)
        }
    }

    @Test func `what is closed has seen nothing`() throws {
        var random = SplitMix64(seed: 1)
        let slice = try Self.slice("org.test.sequential", &random)
        let number = try #require(slice.effects.firstIndex { $0.plugin != nil })
        let subject = Self.subject(slice, number, depth: nil)
        let run = try #require(subject.clock.uses.runs.first?.frames)
        let frame = run.upperBound - 1
        _ = try subject.keeper.frame(frame)
        subject.keeper.close()
        _ = try subject.keeper.frame(frame)
        #expect(subject.recorder.made.map(\.frame) == Array(run))
        #expect(subject.recorder.made.first?.follows == false)
    }

    @Test func `a repeat lets an effect make again what it missed`() throws {
        var draft = Draft(canvas: Canvas(size: Canvas.Size(width: 64, height: 36), frameRate: Rational(30)))
        draft.clips = [Clip(path: "/m/sound.mp4", content: .media(range: Self.range(0, 10)))]
        draft.effects = [
            Effect(.picture(.filter(PluginEffect(effectID: "org.test.sequential")))),
            Effect(.repeat(2), range: Self.range(3, 4)),
        ]
        let composition = try Composition(draft, catalog: RandomDraft.catalog)
        let subject = Self.subject(Slice(composition, frames: 0..<14), 0, depth: nil)
        for frame in 0..<14 { _ = try subject.keeper.frame(frame) }
        // 0…6, then 3…6 again, for which 0…2 come first, then the rest.
        #expect(subject.recorder.made.map(\.frame) == Array(0...6) + Array(0...2) + Array(7...13))
        #expect(subject.recorder.made.filter { !$0.follows }.map(\.frame) == [0, 0])
    }
}
