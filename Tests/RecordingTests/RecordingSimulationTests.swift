import Recording
import TestSupport
import Testing

/// Random commands, failures and crashes. See ``Recording`` for the invariants.
@Suite struct RecordingSimulationTests {
    static func run(_ rounds: Int) {
        var (crashes, takes) = (0, 0)
        Seed.rounds(rounds, of: "recordings") { name, random in
            var random = random
            let steps = Int.random(in: 5...80, using: &random)
            var world = RecordingWorld(name, random)
            world.crash()
            for _ in 0..<steps { world.step() }
            let problems = world.finalProblems()
            #expect(problems.isEmpty, "\(problems)")
            crashes += world.crashes
            takes += world.recording.takes.kept.count
        }
        // The schedules do what they are for.
        #expect(crashes > 5 * rounds / 2 && takes > rounds / 4, "\(crashes) crashes, \(takes) takes")
    }

    @Test func `no take is lost and none is doubled`() { Self.run(Seed.cases(2000)) }

    @Suite struct Sweep {
        @Test func `no take is lost and none is doubled`() { RecordingSimulationTests.run(Seed.cases(100_000)) }
    }
}
