import TestSupport
import Testing

@testable import Farm

@Suite struct SequenceRunsTests {
    @Test func joinsAndSplits() {
        var runs = SequenceRuns()
        for index in [4, 2, 3, 9, 8, 0] { runs.insert(index) }
        #expect(runs.runs == [0..<1, 2..<5, 8..<10])
        runs.remove(3)
        runs.remove(7)
        #expect(runs.runs == [0..<1, 2..<3, 4..<5, 8..<10])
        runs.insert(1)
        #expect(runs.runs == [0..<3, 4..<5, 8..<10])
    }

    @Test func aFreshRunIsEnteredAtItsStart() {
        var runs = SequenceRuns()
        for index in 10..<20 { runs.insert(index) }
        #expect(runs.entry { _ in false } == 10)
    }

    @Test func aWalkedRunIsEnteredInTheMiddle() {
        var runs = SequenceRuns()
        for index in 1..<10 { runs.insert(index) }
        #expect(runs.entry { $0 == 0 } == 5)
    }

    /// The last index of a walked run goes to any free worker: waiting for its walker would leave a
    /// worker idle.
    @Test func theLastIndexIsGivenAway() {
        var runs = SequenceRuns()
        runs.insert(7)
        #expect(runs.entry { $0 == 6 } == 7)
    }

    @Test func agreesWithASetUnderRandomEdits() {
        let seed = Seed.announced(for: "sequence runs", cases: 2000)
        var random = SplitMix64(seed: seed)
        var runs = SequenceRuns()
        var set: Set<Int> = []
        for _ in 0..<2000 {
            let index = Int.random(in: 0..<64, using: &random)
            if set.contains(index) {
                runs.remove(index)
                set.remove(index)
            } else {
                runs.insert(index)
                set.insert(index)
            }
            #expect(Set(runs.runs.joined()) == set, "seed \(seed)")
            #expect(zip(runs.runs, runs.runs.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }, "seed \(seed)")
        }
    }
}
