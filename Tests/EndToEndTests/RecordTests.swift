import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// `cutroom record` with its test sources.
    @Suite struct RecordTests {
        private static func takes(_ studio: Studio) -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: studio.file("talk.takes"))) ?? [])
                .filter { $0 != "journal.jsonl" && !$0.hasSuffix("lock") }.sorted()
        }

        private static func frames(_ studio: Studio) throws -> Int {
            try studio.render("talk.cutroom", to: "talk.mp4", with: ["--overwrite"])
            return try Movie(studio.file("talk.mp4")).frames ?? 0
        }

        @Test func `takes become clips that render`() throws {
            let studio = try Studio()
            for take in 1...2 {
                let result = try studio.run([
                    "record", "talk.cutroom", "--video", "test", "--audio", "test", "--max-duration", "\(2 * take)",
                ])
                #expect(
                    result.status == 0
                        && result.text == "talk.cutroom: \(take == 1 ? "1 take" : "2 takes"), \(2 * take).00 s\n",
                    "\(result)")
            }
            #expect(Self.takes(studio) == ["0001.mp4", "0002.mp4"])
            for take in Self.takes(studio) {
                let movie = try Movie(studio.file("talk.takes/" + take))
                #expect(abs((movie.pictureDuration ?? 0) - 2) < 0.001, "\(movie)")
                #expect(abs((movie.soundDuration ?? 0) - 2) < 0.03, "\(movie)")
                // Test pictures come 30 times a second, and fewer where the machine is busy.
                #expect((2...62).contains(movie.frames ?? 0), "\(movie)")
            }
            #expect(try Self.frames(studio) == 120)
            studio.expectClean()
        }

        @Test(arguments: [SIGINT, SIGTERM]) func `a signal finishes the take`(signal: Int32) throws {
            let studio = try Studio()
            let recorder = try studio.start(["record", "talk.cutroom", "--video", "test", "--audio", "none"])
            try #require(Command.until { recorder.stderrSoFar.contains("is being recorded") })
            usleep(700_000)
            recorder.send(signal)
            let result = recorder.wait(timeout: 30)
            #expect(result.status == 0 && result.text.hasPrefix("talk.cutroom: 1 take, "), "\(result)")
            #expect(Self.takes(studio) == ["0001.mp4"])
            #expect(try Self.frames(studio) >= 20)
            studio.expectClean()
        }

        /// All processes are killed at once, as when the machine stops.
        @Test func `a killed take is recovered`() throws {
            let studio = try Studio()
            _ = try studio.run(["record", "talk.cutroom", "--video", "test", "--audio", "test", "--max-duration", "1"])
            let first = try Data(contentsOf: URL(fileURLWithPath: studio.file("talk.takes/0001.mp4")))
            var random = SplitMix64(seed: Seed.announced(for: "killed takes", cases: 3))
            for round in 1...3 {
                let before = Self.takes(studio).count
                let recorder = try studio.start(["record", "talk.cutroom", "--video", "test", "--audio", "test"])
                let part = studio.file("talk.takes/000\(round + 1).part1.mp4")
                // The first fragment is on the disk.
                try #require(
                    Command.until {
                        (try? Data(contentsOf: URL(fileURLWithPath: part)))?.range(of: Data("moof".utf8)) != nil
                    })
                usleep(UInt32.random(in: 0...1_000_000, using: &random))
                recorder.send(SIGKILL)
                for process in Processes.all(mentioning: studio.file("talk.takes")) { kill(process, SIGKILL) }
                _ = recorder.wait(timeout: 20)
                let recovered = try studio.run(["record", "talk.cutroom", "--recover"])
                #expect(recovered.status == 0 && recovered.stderr.contains("is recovered"), "\(recovered)")
                #expect(Self.takes(studio).count == before + 1, "\(recovered)")
                #expect(Self.takes(studio).allSatisfy { !$0.contains("part") })
                #expect(try Self.frames(studio) > 30)
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: studio.file("talk.takes/0001.mp4"))) == first)
        }

        @Test func `a take starts after the killed one is recovered`() throws {
            let studio = try Studio()
            let killed = try studio.start(["record", "talk.cutroom", "--video", "test", "--audio", "none"])
            let part = studio.file("talk.takes/0001.part1.mp4")
            try #require(
                Command.until {
                    (try? Data(contentsOf: URL(fileURLWithPath: part)))?.range(of: Data("moof".utf8)) != nil
                })
            killed.send(SIGKILL)
            for process in Processes.all(mentioning: studio.file("talk.takes")) { kill(process, SIGKILL) }
            _ = killed.wait(timeout: 20)
            let next = try studio.start(["record", "talk.cutroom", "--video", "test", "--audio", "none"])
            #expect(Command.until { next.stderrSoFar.contains("take 2 is being recorded") })
            next.send(SIGINT)
            let result = next.wait(timeout: 30)
            #expect(result.status == 0 && result.stderr.contains("take 1 of an earlier run is recovered"), "\(result)")
            #expect(Self.takes(studio) == ["0001.mp4", "0002.mp4"])
        }

        @Test func `two recorders do not share a draft`() throws {
            let studio = try Studio()
            let recorder = try studio.start(["record", "talk.cutroom", "--video", "test", "--audio", "test"])
            try #require(Command.until { recorder.stderrSoFar.contains("is being recorded") })
            let second = try studio.run(["record", "talk.cutroom", "--video", "test", "--audio", "test"])
            #expect(second.status == 69 && second.stderr.contains("Another recorder is recording into"), "\(second)")
            recorder.send(SIGINT)
            #expect(recorder.wait(timeout: 30).status == 0)
        }

        @Test(
            arguments: [
                (["talk.lua"], 64, "must be the name of a draft"),
                (["talk.cutroom", "--video", "webcam"], 64, "‘--video webcam’ must be test, screen"),
                (["talk.cutroom", "--video", "window:0"], 64, "‘--video window:0’ must be"),
                (["talk.cutroom", "--video", "screen:10x10+0+0"], 64, "must be test, screen"),
                (["talk.cutroom", "--size", "641x480"], 64, "‘--size 641x480’ must be two even numbers"),
                (["talk.cutroom", "--fps", "0"], 64, "‘--fps 0’ must be 1 to 240"),
                (["talk.cutroom", "--audio", "loud"], 64, "‘--audio loud’ must be test, default"),
                (["talk.cutroom", "--speed", "0"], 64, "‘--speed’ must be 0.01 to 100"),
                (["talk.cutroom", "--volume", "101"], 64, "‘--volume’ must be 0 to 100"),
                (["talk.cutroom", "--max-duration", "0"], 64, "‘--max-duration’ must be more than 0"),
                (["missing/talk.cutroom"], 73, "missing/talk.takes’ cannot be made"),
                (["broken.cutroom"], 65, "broken.cutroom"),
            ] as [([String], Int32, String)])
        func `what cannot be is refused`(arguments: [String], status: Int32, says: String) throws {
            let studio = try Studio()
            try studio.folder.write("{ \"cutroom\": ", to: "broken.cutroom")
            let result = try studio.run(["record"] + arguments)
            #expect(result.status == status && result.stderr.contains(says), "\(result)")
            #expect(studio.folder.names.filter { $0.hasSuffix(".takes") }.isEmpty || arguments[0] == "broken.cutroom")
        }
    }
}
