import Composition
import Jobs
import Rendering
import TestSupport
import Testing

@Suite struct RenderScheduleTests {
    @Test func `every schedule commits once, or fails for one reason and leaves nothing`() throws {
        try Self.simulate(Seed.cases(3000))
    }

    /// A hundred thousand schedules, in a third of which workers say extremes in every field.
    @Suite struct Sweep {
        @Test func `every schedule commits once, or fails for one reason and leaves nothing`() throws {
            try simulate(Seed.cases(100_000))
        }
    }

    private static func simulate(_ cases: Int) throws {
        let seed = Seed.announced(for: "RenderScheduleTests", cases: cases)
        let plans = Plans.all
        try #require(plans.count == 9)
        var outcomes: [String: Int] = [:]
        for index in 0..<cases {
            var simulation = RenderSimulation(plans[index % plans.count], seed: seed, case: index)
            simulation.run()
            outcomes[simulation.reason?.message.prefix(12).description ?? "committed", default: 0] += 1
            if simulation.detours > 0, simulation.reason == nil { outcomes["with detours", default: 0] += 1 }
            if simulation.wasDamaged, simulation.reason == nil { outcomes["repaired", default: 0] += 1 }
        }
        // A schedule in which nothing happens proves nothing.
        guard cases >= 1000 else { return }
        for outcome in [
            "committed", "with detours", "repaired", "Stopped.", "the worker d", "the plugin f", "the file is ",
            "it cannot be", "The rendered",
        ] {
            #expect(outcomes[outcome, default: 0] > cases / 1000, "\(outcome): \(outcomes)")
        }
    }

    @Test(arguments: [3.0, 40]) func `a search for a bit rate goes through every schedule`(seconds: Double) throws {
        let cases = Seed.cases(seconds > 10 ? 20 : 100)
        let seed = Seed.announced(for: "RenderScheduleTests, bit rate", cases: cases)
        let plan = try Plans.withBitRate(seconds: seconds)
        for index in 0..<cases {
            var simulation = RenderSimulation(plan, seed: seed, case: index)
            simulation.run()
        }
    }
}
