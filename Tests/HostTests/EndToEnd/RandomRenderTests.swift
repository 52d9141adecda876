import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Random drafts with layers, masks, text and other drafts: the same bytes with one worker and
    /// with three, whatever these have made before, and the same frames as snapshots.
    @Suite struct RandomRenderTests {
        /// - Parameters:
        ///   - part: the first case; every `count`-th case from there is checked.
        fileprivate static func check(_ name: String, cases: Int, part: Int = 0, of count: Int = 1) async throws {
            let seed = Seed.announced(for: name, cases: cases)
            try await DraftFarm.with { farm in
                var (drafts, parts) = (0, 0)
                var index = part
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
                    index += count
                }
                print("\(name): \(drafts) drafts of \(parts) parts, \(index / count) were made")
            }
        }

        @Test func `some drafts render the same everywhere`() async throws {
            try await Self.check("RandomRenderTests", cases: Seed.cases(6))
        }

        @Suite struct Sweep {
            /// `make soak` checks 2000.
            private static let drafts =
                ProcessInfo.processInfo.environment["CUTROOM_SOAK_DRAFTS"].flatMap { Int($0) } ?? 400

            @Test(arguments: 0..<4) func `hundreds of drafts render the same everywhere`(part: Int) async throws {
                try await RandomRenderTests.check(
                    "RandomRenderTests, part \(part)", cases: max(1, Seed.cases(Self.drafts) / 4), part: part, of: 4)
            }
        }
    }
}
