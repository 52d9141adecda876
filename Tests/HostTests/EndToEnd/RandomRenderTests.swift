import TestSupport
import Testing

extension EndToEnd {
    /// Random drafts with layers, masks, text and other drafts: the same bytes with one worker and
    /// with three, whatever these have made before, and the same frames as snapshots.
    @Suite struct RandomRenderTests {
        fileprivate static func check(_ name: String, cases: Int) async throws {
            let seed = Seed.announced(for: name, cases: cases)
            try await DraftFarm.with { farm in
                var (drafts, parts) = (0, 0)
                var index = 0
                while drafts < cases {
                    var random = SplitMix64.forCase(index, of: seed)
                    if let draft = farm.draft(&random) {
                        let context = Comment("case \(index) of CUTROOM_SEED=\(seed)")
                        do {
                            parts += try await farm.check(draft, &random, context)
                        } catch {
                            Issue.record(error, context)
                        }
                        drafts += 1
                        if drafts % 100 == 0 { print("\(name): \(drafts) drafts of \(parts) parts") }
                    }
                    index += 1
                }
                print("\(name): \(drafts) drafts of \(parts) parts, \(index) were made")
            }
        }

        @Test func `some drafts render the same everywhere`() async throws {
            try await Self.check("RandomRenderTests", cases: Seed.cases(6))
        }

        /// The number of drafts that the docs state.
        @Suite struct Sweep {
            @Test func `two thousand drafts render the same everywhere`() async throws {
                try await RandomRenderTests.check("RandomRenderTests, sweep", cases: Seed.cases(2000))
            }
        }
    }
}
