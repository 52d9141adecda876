import TestSupport
import Testing

@testable import Workers

@Suite struct FrameRunsTests {
    /// Against a table with an entry for every frame.
    @Test func aValueHoldsForItsRun() {
        let seed = Seed.announced(for: "FrameRunsTests", cases: 500)
        for index in 0..<Seed.cases(500) {
            var random = SplitMix64.forCase(index, of: seed)
            var runs = FrameRuns<Int>()
            var table: [Int: Int] = [:]
            var next = Int.random(in: -20...5, using: &random)
            for value in 0..<Int.random(in: 0...5, using: &random) {
                next += random.pick([0, 0, 1, 3])
                let run = next..<next + Int.random(in: 0...4, using: &random)
                runs.add(value, for: run)
                for frame in run { table[frame] = value }
                next = run.upperBound
            }
            let context = Comment("case \(index) of CUTROOM_SEED=\(seed)")
            for frame in -25...40 {
                #expect(runs[frame] == table[frame], context)
                let (before, after) = (Int.random(in: 0...6, using: &random), Int.random(in: 0...6, using: &random))
                var right = frame..<frame
                if table[frame] != nil {
                    right = frame..<frame + 1
                    while right.lowerBound > frame - before, table[right.lowerBound - 1] != nil {
                        right = right.lowerBound - 1..<right.upperBound
                    }
                    while right.upperBound <= frame + after, table[right.upperBound] != nil {
                        right = right.lowerBound..<right.upperBound + 1
                    }
                }
                #expect(runs.stretch(around: frame, within: frame - before..<frame + after + 1) == right, context)
            }
        }
    }
}
