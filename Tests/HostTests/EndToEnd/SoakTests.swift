import Foundation
import Glibc
import Renders
import TestSupport
import Testing

extension EndToEnd {
    /// Renders while every two seconds one of their processes is killed, a worker's or the
    /// server's.
    @Suite struct SoakTests {
        @Suite struct Sweep {
            /// `CUTROOM_SOAK_SECONDS`; 1200 with 200 renders is the full length.
            private static let seconds =
                ProcessInfo.processInfo.environment["CUTROOM_SOAK_SECONDS"].flatMap { Int($0) } ?? 40
            private static let (workers, drafts, interval) = (8, 10, 2)
            private static var renders: Int { max(8, seconds / 6) }

            @Test func `no render is lost, and no finished part is rendered again`() throws {
                let (kills, renders) = (Self.seconds / Self.interval, Self.renders)
                let seed = Seed.announced(for: "soak of \(Self.seconds) s, \(renders) renders", cases: kills)
                var random = SplitMix64(seed: seed)
                // Without a cache, every part comes from its own render.
                let bench = try ServerBench([
                    "--workers", "\(Self.workers)", "--active", "6", "--cache-size", "0", "--verbose",
                ])
                for number in 0..<Self.drafts { try Self.write(number, bench.studio) }
                let words = (1...renders).map {
                    ["--key", "soak-\($0)", "\($0 % Self.drafts).lua", "-o", "out-\($0).mp4"]
                }
                var submitted = 0
                var (serverKills, workerKills) = (0, 0)
                for kill in 0..<kills {
                    let wanted = min(renders, 6 + renders * (kill + 1) / max(1, kills))
                    while submitted < wanted, Self.submit(words[submitted], to: bench) { submitted += 1 }
                    usleep(UInt32.random(in: 1_500_000...2_500_000, using: &random))
                    if random.chance(3, in: 4), let worker = bench.studio.workers.randomElement(using: &random) {
                        Glibc.kill(worker, SIGKILL)
                        workerKills += 1
                    } else {
                        bench.kill()
                        try bench.startAgain()
                        serverKills += 1
                    }
                }
                while submitted < renders { if Self.submit(words[submitted], to: bench) { submitted += 1 } }
                for number in 1...renders { #expect(bench.wait("\(number)"), "render \(number), seed \(seed)") }
                #expect(bench.status("\(renders + 1)") == nil)

                var segments = 0
                for number in 1...renders {
                    let log = try bench.ask("jobs", "log", "\(number)").text
                    let last = log.matches(of: /of (\d+) segments from the cache/).last
                    segments += last.flatMap { Int($0.output.1) } ?? 0
                }
                try Self.compare(bench, renders, seed)
                let done = (bench.logs + bench.server.stderrSoFar).matches(of: /job r\d+\.\d+-segment-\d+ done after/)
                    .count
                print(
                    "soak: \(workerKills) workers and \(serverKills) servers killed; \(done) segments were rendered for the \(segments) of \(renders) renders"
                )
                // If a render's note was lost with its server, its file already existed.
                #expect(segments > 0 && done >= segments - serverKills * Self.drafts)
                #expect(
                    done <= segments + serverKills * (Self.workers + 4),
                    "parts that were there are rendered again; seed \(seed)")
            }

            private static func write(_ number: Int, _ studio: Studio) throws {
                try studio.script(
                    """
                    draft:add_clip(\(Footage.pattern.lua), { range = { \(Double(number) / 20), 4 } })
                    draft:add_effect("org.cutroom.glitch")
                    draft:add_title("\(number)", { size = 30 })
                    """, size: (480, 270), as: "\(number).lua")
            }

            private static func submit(_ words: [String], to bench: ServerBench) -> Bool {
                // A render that was accepted by a server killed before its answer may be done by
                // now.
                if FileManager.default.fileExists(atPath: bench.studio.file(words[words.count - 1])) { return true }
                return (try? bench.studio.start(["submit"] + words).wait().succeeded) ?? false
            }

            private static func compare(_ bench: ServerBench, _ renders: Int, _ seed: UInt64) throws {
                bench.server.send(SIGTERM)
                #expect(bench.server.wait().succeeded)
                bench.studio.expectClean()
                for draft in 0..<drafts {
                    let alone = try bench.studio.render("\(draft).lua", to: "alone.mp4", with: ["--no-cache", "-y"])
                    for number in stride(from: draft == 0 ? drafts : draft, through: renders, by: drafts) {
                        #expect(
                            FileManager.default.contentsEqual(
                                atPath: alone, andPath: bench.studio.file("out-\(number).mp4")),
                            "render \(number), seed \(seed)")
                    }
                }
            }
        }
    }
}
