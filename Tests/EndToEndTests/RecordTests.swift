import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// `cutroom record` with its test sources.
    @Suite struct RecordTests {
        /// A small picture, which costs little.
        private static let small = ["record", "talk.cutroom"] + picture
        private static let picture = ["--video", "test", "--size", "320x180"]

        private static func takes(_ studio: Studio) -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: studio.file("talk.takes"))) ?? [])
                .filter { $0 != "journal.jsonl" && !$0.hasSuffix("lock") && $0 != "photo-1.png" }.sorted()
        }

        private static func frames(_ studio: Studio) throws -> Int {
            try studio.render("talk.cutroom", to: "talk.mp4", with: ["--overwrite"])
            return try Movie(studio.file("talk.mp4")).frames ?? 0
        }

        @Test func `takes become clips that render`() throws {
            let studio = try Studio()
            for take in 1...2 {
                let result = try studio.run(Self.small + ["--audio", "test", "--max-duration", "\(2 * take)"])
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
            let recorder = try studio.start(Self.small + ["--audio", "none"])
            try #require(Command.until { recorder.stderrSoFar.contains("is being recorded") })
            usleep(700_000)
            recorder.send(signal)
            let result = recorder.wait(timeout: 30)
            #expect(result.status == 0 && result.text.hasPrefix("talk.cutroom: 1 take, "), "\(result)")
            #expect(Self.takes(studio) == ["0001.mp4"])
            #expect(try Self.frames(studio) >= 20)
            studio.expectClean()
        }

        /// All processes are killed at once, as when the machine stops. At most the last second is
        /// missing, and earlier takes are untouched.
        @Test func `a killed take is recovered`() throws { try Self.recoverKilled(2) }

        @Suite struct Sweep {
            @Test func `five killed takes are recovered`() throws { try RecordTests.recoverKilled(5) }
        }

        private static func recoverKilled(_ count: Int) throws {
            let studio = try Studio()
            _ = try studio.run(Self.small + ["--audio", "test", "--max-duration", "1"])
            let first = try Data(contentsOf: URL(fileURLWithPath: studio.file("talk.takes/0001.mp4")))
            var random = SplitMix64(seed: Seed.announced(for: "killed takes", cases: count))
            for number in 2...count + 1 {
                let client = try RecordClient(studio, Self.picture + ["--audio", "test", "--json"])
                try client.wait(for: "started \(number)")
                let start = ContinuousClock.now
                usleep(UInt32.random(in: 1_000_000...2_500_000, using: &random))
                let processes = Processes.all(mentioning: studio.file("talk.takes"))
                let length = (ContinuousClock.now - start) / .seconds(1)
                client.command.send(SIGKILL)
                for process in processes { kill(process, SIGKILL) }
                _ = client.command.wait(timeout: 20)
                client.endInput()
                let recovered = try studio.run(["record", "talk.cutroom", "--recover"])
                #expect(recovered.status == 0 && recovered.stderr.contains("is recovered"), "\(recovered)")
                #expect(Self.takes(studio) == (1...number).map { "000\($0).mp4" }, "\(recovered)")
                let movie = try Movie(studio.file("talk.takes/000\(number).mp4"))
                #expect((movie.pictureDuration ?? 0) >= length - 1, "\(length) s: \(movie)")
            }
            #expect(try Self.frames(studio) > 30)
            #expect(try Data(contentsOf: URL(fileURLWithPath: studio.file("talk.takes/0001.mp4"))) == first)
        }

        @Test func `a take starts after the killed one is recovered`() throws {
            let studio = try Studio()
            let killed = try studio.start(Self.small + ["--audio", "none"])
            let part = studio.file("talk.takes/0001.part1.mp4")
            try #require(
                Command.until {
                    (try? Data(contentsOf: URL(fileURLWithPath: part)))?.range(of: Data("moof".utf8)) != nil
                })
            killed.send(SIGKILL)
            for process in Processes.all(mentioning: studio.file("talk.takes")) { kill(process, SIGKILL) }
            _ = killed.wait(timeout: 20)
            let next = try studio.start(Self.small + ["--audio", "none"])
            #expect(Command.until { next.stderrSoFar.contains("take 2 is being recorded") })
            next.send(SIGINT)
            let result = next.wait(timeout: 30)
            #expect(result.status == 0 && result.stderr.contains("take 1 of an earlier run is recovered"), "\(result)")
            #expect(Self.takes(studio) == ["0001.mp4", "0002.mp4"])
        }

        @Test func `takes of sound alone follow on each other`() throws {
            let studio = try Studio()
            for limit in ["1", "2.5"] {
                let result = try studio.run(
                    ["record", "talk.cutroom", "--video", "none", "--audio", "test", "--max-duration", limit])
                #expect(result.status == 0, "\(result)")
            }
            func rendered() throws -> String {
                try studio.render("talk.cutroom", to: "talk.wav")
                return try FFmpeg.probe(studio.file("talk.wav"), "format=duration")
            }
            #expect(try rendered() == "2.500000")
            let client = try RecordClient(studio, ["--video", "none", "--audio", "test", "--json", "--wait"])
            try client.wait(for: "ready")
            client.send(#"{"command":"discard","take":1}"# + "\n")
            try client.wait(for: "discarded 1")
            client.send(command: "close")
            #expect(client.command.wait(timeout: 30).status == 0)
            unlink(studio.file("talk.wav"))
            #expect(try rendered() == "1.500000")
        }

        @Test func `a program records, pauses, discards and restores takes`() throws {
            let studio = try Studio()
            let client = try RecordClient(studio, Self.picture + ["--audio", "test", "--json", "--wait"])
            try client.wait(for: "ready")
            #expect(client.events == ["ready"])
            client.send(#"{"command":"photo","file":"\#(studio.file("still.jpg"))"}"# + "\n")
            client.send(command: "photo")
            try client.wait(for: "photo", count: 2)
            for path in ["still.jpg", "talk.takes/photo-1.png"] {
                #expect(try FFmpeg.probe(studio.file(path), "stream=width,height") == "320\n180", "\(path)")
            }
            client.send(#"{"command":"photo","file":"/no/such/folder/a.png"}"# + "\n")
            client.send(#"{"command":"photo","file":"a.gif"}"# + "\n")
            try client.wait(for: "refused", count: 2)
            for take in 1...3 {
                try client.record(take, options: #", "speed": \#(take), "volume": 0.5"#, pauses: take == 2)
            }
            client.send(#"{"command":"discard","take":2}"# + "\n")
            try client.wait(for: "discarded 2")
            #expect(FileManager.default.fileExists(atPath: studio.file("talk.takes/discarded/0002.mp4")))
            client.send(command: "discard")
            client.send(command: "undo")
            try client.wait(for: "restored 3")
            // What cannot be carried out, and what is no command.
            client.send(command: "pause")
            client.send("noise\n" + #"{"command":"discard","take":9}"# + "\n")
            try client.wait(for: "refused", count: 5)
            client.send(command: "close")
            let result = client.command.wait(timeout: 30)
            #expect(result.status == 0 && client.events.last == "closed 1,3", "\(result)")
            #expect(Self.takes(studio) == ["0001.mp4", "0003.mp4"])
            let draft = try String(contentsOfFile: studio.file("talk.cutroom"), encoding: .utf8)
            #expect(draft.contains("0001.mp4") && !draft.contains("0002.mp4") && draft.contains("0003.mp4"), "\(draft)")
            #expect(result.text.contains(#""event":"progress","take":1,"duration":0."#), "\(result)")
            let schema = try SchemaValidator(path: Project.root + "/docs/record-protocol.schema.json")
            for line in result.text.split(separator: "\n") {
                #expect(try schema.accepts(json: String(line), as: "event"), "\(line)")
            }
            client.endInput()
            #expect(try Self.frames(studio) > 10)
            studio.expectClean()
        }

        @Test func `the end of the input does not end a take`() throws {
            let studio = try Studio()
            let client = try RecordClient(studio, Self.picture + ["--audio", "none", "--json"])
            try client.wait(for: "started 1")
            client.endInput()
            usleep(500_000)
            client.command.send(SIGINT)
            let result = client.command.wait(timeout: 30)
            #expect(result.status == 0 && client.events.last == "closed 1", "\(result)")
            // Nothing could start a take.
            let idle = try studio.run(Self.small + ["--json", "--wait"])
            #expect(idle.status == 0 && idle.text.contains(#"{"event":"closed","takes":[1]"#), "\(idle)")
        }

        @Test func `keys record on a terminal, which is as it was afterwards`() throws {
            try #require(Command.isInstalled("script"))
            let studio = try Studio()
            let client = try RecordClient(
                studio, Self.picture + ["--audio", "test", "--wait"],
                through: [
                    "bash", "-c",
                    #"printf -v line '%q ' "$0" "$@"; exec script -qec "stty cols 100; $line; stty -a" /dev/null"#,
                ])
            func wait(_ text: String) throws {
                try #require(
                    Command.until { client.command.stdoutSoFar.contains(text) }, "\(client.command.stdoutSoFar)")
            }
            try wait("○ ready  all takes 0:00.0")
            client.send(" ")
            try wait("● take 1  0:00.")
            try wait(" dB  ")
            client.send("p")
            try wait("take 1 is paused")
            client.send("p")
            try wait("take 1 continues")
            client.send(" ")
            try wait("take 1 is finished")
            client.send("\n")
            try wait("take 2 is being recorded")
            client.send(" ")
            try wait("take 2 is finished")
            client.send("d")
            try wait("discarded: 2")
            client.send("u")
            try wait("restored: 2")
            client.send("dxq")
            let result = client.command.wait(timeout: 30)
            client.endInput()
            #expect(result.text.contains("talk.cutroom: 1 take, "), "\(result)")
            #expect(result.text.contains(" dB  ") && result.text.contains(" free"), "\(result)")
            #expect(result.text.contains(" icanon ") && result.text.contains(" echo "), "\(result)")
            #expect(Self.takes(studio) == ["0001.mp4"])
        }

        /// `Scripts/record_takes.py`, with the programs of this build.
        @Test func `the client in Python records three takes`() throws {
            let studio = try Studio()
            let client = Project.root + "/Scripts/record_takes.py"
            let result = try studio.run(
                ["talk.cutroom", "--video", "test", "--size", "320x180", "--audio", "none"],
                through: ["bash", "-c", #"PATH=$(dirname "$0"):$PATH exec python3 -B '\#(client)' "$@""#])
            #expect(
                result.status == 0 && result.text.hasSuffix("takes that are clips of the draft: [1, 3]\n"), "\(result)")
            #expect(Self.takes(studio) == ["0001.mp4", "0003.mp4"])
        }

        @Test func `a recorder that hangs is ended, and its take is kept`() throws {
            let studio = try Studio()
            let client = try RecordClient(studio, Self.picture + ["--audio", "test", "--json"])
            try client.wait(for: "started 1")
            usleep(1_200_000)
            let processes = Processes.all(mentioning: studio.file("talk.takes"))
            #expect(processes.count == 1)
            for process in processes { kill(process, SIGSTOP) }
            defer { for process in processes { kill(process, SIGKILL) } }
            try client.wait(for: "device-lost")
            try client.wait(for: "finished 1")
            // It goes on with another one.
            client.send(command: "start")
            try client.wait(for: "started 2")
            client.send(command: "close")
            let result = client.command.wait(timeout: 30)
            client.endInput()
            #expect(result.status == 0 && client.events.last == "closed 1,2", "\(result)")
            #expect(result.text.contains("The recorder has not answered for 5 s, and was ended."), "\(result)")
        }

        @Test func `a device process that hangs ends its take`() throws {
            let studio = try Studio()
            let client = try RecordClient(studio, Self.picture + ["--audio", "test", "--json"])
            try client.wait(for: "started 1")
            let recorder = try #require(Processes.all(mentioning: studio.file("talk.takes")).first)
            let devices = Processes.all(mentioning: "--device").filter { Processes.parent(of: $0) == recorder }
            #expect(devices.count == 2)
            kill(try #require(devices.first), SIGSTOP)
            try client.wait(for: "device-lost")
            try client.wait(for: "finished 1")
            client.send(command: "close")
            let result = client.command.wait(timeout: 30)
            client.endInput()
            #expect(result.status == 0 && result.text.contains("it has delivered nothing for 3 s"), "\(result)")
        }

        /// How loud a frequency is, by Goertzel's algorithm: the amplitude of a sine.
        private static func amplitude(_ hertz: Double, in samples: [Float]) -> Double {
            let (step, count) = (2 * Double.pi * hertz / 48_000, Double(max(1, samples.count)))
            var (sine, cosine) = (0.0, 0.0)
            for (index, sample) in samples.enumerated() {
                sine += Double(sample) * sin(step * Double(index))
                cosine += Double(sample) * cos(step * Double(index))
            }
            return 2 * (sine * sine + cosine * cosine).squareRoot() / count
        }

        @Test(arguments: [false, true]) func `sounds are recorded in two tracks, or mixed`(isMix: Bool) throws {
            let studio = try Studio()
            let pipe = studio.file("tone")
            #expect(mkfifo(pipe, 0o600) == 0)
            // One channel, at another rate.
            let writer = try Command([
                "ffmpeg", "-v", "error", "-nostdin", "-re", "-f", "lavfi", "-i", "sine=frequency=1000:r=44100", "-c:a",
                "pcm_f32le", "-f", "nut", "-y", pipe,
            ])
            let result = try studio.run(
                [
                    "record", "talk.cutroom", "--video", "none", "--audio", "test", "--audio", "pipe:\(pipe)",
                    "--max-duration", "2",
                ] + (isMix ? ["--mix"] : []))
            writer.send(SIGKILL)
            #expect(result.status == 0, "\(result)")
            let take = studio.file("talk.takes/0001.mp4")
            let streams = try FFmpeg.probe(take, "stream=codec_name", stream: "a").split(separator: "\n")
            #expect(streams == Array(repeating: "aac", count: isMix ? 1 : 2))
            let length = try Double(FFmpeg.probe(take, "format=duration")) ?? 0
            #expect(abs(length - 2) < 0.03, "\(length)")
            let tracks = try (0..<streams.count).map { track in
                let data = try FFmpeg.run([
                    "-i", take, "-map", "0:a:\(track)", "-ar", "48000", "-af", "pan=mono|c0=c0", "-f", "f32le", "-",
                ]).stdout
                return data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
            }
            // Both tones have an amplitude of 1/8.
            for (hertz, track) in [(440.0, 0), (1000, isMix ? 0 : 1)] {
                let found = Self.amplitude(hertz, in: tracks[track])
                #expect(abs(found - 0.125) < 0.03, "\(hertz): \(found)")
            }
            if !isMix {
                #expect(Self.amplitude(1000, in: tracks[0]) < 0.01 && Self.amplitude(440, in: tracks[1]) < 0.01)
            }
        }

        @Test func `takes are encoded as it was asked`() throws {
            let studio = try Studio()
            let result = try studio.run(
                Self.small + [
                    "--audio", "test", "--max-duration", "4", "--fps", "20", "--sample-rate", "32000", "--channels",
                    "1", "--video-bitrate", "200k", "--audio-bitrate", "48k", "--key-frames", "0.5", "--profile",
                    "baseline",
                ])
            #expect(result.status == 0 && !result.stderr.contains("warning"), "\(result)")
            let take = studio.file("talk.takes/0001.mp4")
            #expect(try FFmpeg.probe(take, "stream=profile") == "Constrained Baseline")
            #expect(try FFmpeg.probe(take, "stream=sample_rate,channels", stream: "a:0") == "32000\n1")
            let rates = try ["v:0", "a:0"].map { try Double(FFmpeg.probe(take, "stream=bit_rate", stream: $0)) ?? 0 }
            // Within a buffer of a second.
            #expect(rates[0] > 50_000 && rates[0] < 260_000 && rates[1] > 30_000 && rates[1] < 60_000, "\(rates)")
            let frames = try FFmpeg.probe(take, "frame=pts_time,key_frame").split(separator: "\n")
            let pairs = stride(from: 0, to: frames.count - 1, by: 2).map { (frames[$0], Double(frames[$0 + 1]) ?? 0) }
            let keys = pairs.filter { $0.0 == "1" }.map(\.1)
            // A picture is repeated once a second where none comes.
            #expect(keys.count >= 5 && zip(keys, keys.dropFirst()).allSatisfy { $1 - $0 < 1 }, "\(keys)")
            let more = try studio.run(
                Self.small + ["--audio", "test", "--max-duration", "6", "--channels", "6", "--profile", "main"])
            #expect(more.status == 0, "\(more)")
            let second = studio.file("talk.takes/0002.mp4")
            #expect(try FFmpeg.probe(second, "stream=profile") == "Main")
            #expect(try FFmpeg.probe(second, "stream=channels", stream: "a:0") == "6")
            try studio.render("talk.cutroom", to: "talk.mp4")
            studio.expectClean()
        }

        /// The encoder would take less without a word.
        @Test func `a bit rate that AAC does not have`() throws {
            let studio = try Studio()
            let options = ["--audio", "test", "--sample-rate", "8000", "--channels", "1", "--audio-bitrate", "128k"]
            let refused = try studio.run(Self.small + options)
            #expect(
                refused.status == 74
                    && refused.stderr.contains("its sound cannot have 128000 bits per second; 1 channel of 8000 Hz"),
                "\(refused)")
            let taken = try studio.run(Self.small + options + ["--compromise", "--max-duration", "1"])
            #expect(
                taken.status == 0 && taken.stderr.contains("‘test’: its sound has 48000 bits per second, not 128000"),
                "\(taken)")
        }

        @Test func `a take replaces another one`() throws {
            let studio = try Studio()
            for (limit, more) in [("0.4", []), ("0.8", []), ("1.2", ["--replace", "1"])] {
                let result = try studio.run(
                    Self.small + ["--audio", "none", "--max-duration", limit] + more)
                #expect(result.status == 0, "\(result)")
            }
            #expect(Self.takes(studio) == ["0002.mp4", "0003.mp4"])
            let draft = try String(contentsOfFile: studio.file("talk.cutroom"), encoding: .utf8)
            let places = ["0003.mp4", "0002.mp4"].compactMap { draft.range(of: $0)?.lowerBound }
            #expect(places.count == 2 && places.first ?? draft.endIndex < places.last ?? draft.startIndex, "\(draft)")
            #expect(!draft.contains("0001.mp4"))
            let wrong = try studio.run(Self.small + ["--replace", "1"])
            #expect(wrong.status == 64 && wrong.stderr.contains("has no take 1 that"), "\(wrong)")
        }

        @Test func `two recorders do not share a draft`() throws {
            let studio = try Studio()
            let recorder = try studio.start(Self.small + ["--audio", "test"])
            try #require(Command.until { recorder.stderrSoFar.contains("is being recorded") })
            let second = try studio.run(Self.small + ["--audio", "test"])
            #expect(second.status == 69 && second.stderr.contains("Another recorder is recording into"), "\(second)")
            recorder.send(SIGINT)
            #expect(recorder.wait(timeout: 30).status == 0)
        }

        @Test(
            arguments: [
                (["talk.lua"], 64, "must be the name of a draft"),
                (["talk.cutroom", "--video", "webcam"], 64, "‘--video webcam’ must be test, screen"),
                (["talk.cutroom", "--video", "none", "--audio", "none"], 64, "There is nothing to record"),
                (["talk.cutroom", "--audio", "none", "--audio", "test"], 64, "must be the only ‘--audio’"),
                (["talk.cutroom", "--video", "none", "--video", "test"], 64, "must be the only ‘--video’"),
                (
                    ["talk.cutroom"] + Array(repeating: ["--video", "test"], count: 3).joined(), 64,
                    "at most two sources"
                ),
                (
                    ["talk.cutroom", "--video", "camera", "--video", "camera:/dev/video0"], 64,
                    "may name the same source"
                ),
                (["talk.cutroom", "--max-size", "0"], 64, "‘--max-size’ must be 1 to"),
                (["talk.cutroom", "--min-free", "-1"], 64, "--min-free"),
                (["talk.cutroom", "--wait"], 64, "‘--wait’ needs a terminal, or ‘--json’"),
                (["talk.cutroom", "--video", "window:0"], 64, "‘--video window:0’ must be"),
                (["talk.cutroom", "--video", "screen:10x10+0+0"], 64, "must be test, screen"),
                (["talk.cutroom", "--size", "641x480"], 64, "‘--size 641x480’ must be two even numbers"),
                (["talk.cutroom", "--fps", "0"], 64, "‘--fps 0’ must be 1 to 240"),
                (["talk.cutroom", "--audio", "loud"], 64, "‘--audio loud’ must be test, default"),
                (["talk.cutroom", "--speed", "0"], 64, "‘--speed’ must be 0.01 to 100"),
                (["talk.cutroom", "--volume", "101"], 64, "‘--volume’ must be 0 to 100"),
                (["talk.cutroom", "--max-duration", "0"], 64, "‘--max-duration’ must be more than 0"),
                (["talk.cutroom", "--sample-rate", "44000"], 64, "‘--sample-rate’ must be 8000, 11025"),
                (["talk.cutroom", "--channels", "5"], 64, "‘--channels’ must be 1, 2 or 6."),
                (["talk.cutroom", "--video-bitrate", "fast"], 64, "‘--video-bitrate’ must be 10k to 1000M bits"),
                (["talk.cutroom", "--audio-bitrate", "2M"], 64, "‘--audio-bitrate’ must be 8k to 1M bits"),
                (["talk.cutroom", "--key-frames", "0"], 64, "‘--key-frames’ must be 0.1 to 60 seconds"),
                (["talk.cutroom", "--profile", "best"], 64, "‘--profile’ must be baseline, main or high."),
                (["talk.cutroom", "--list"], 64, "‘--list’ records nothing: leave ‘talk.cutroom’ out."),
                ([], 64, "Name the draft that takes are recorded into"),
                (["missing/talk.cutroom"], 73, "missing/talk.takes’ cannot be made"),
                (["broken.cutroom"], 65, "broken.cutroom"),
            ] as [([String], Int32, String)])
        func `what cannot be is refused`(arguments: [String], status: Int32, says: String) throws {
            let studio = try Studio()
            try studio.folder.write("{ \"cutroom\": ", to: "broken.cutroom")
            let result = try studio.run(["record"] + arguments)
            #expect(result.status == status && result.stderr.contains(says), "\(result)")
            #expect(studio.folder.names.filter { $0.hasSuffix(".takes") }.isEmpty || arguments == ["broken.cutroom"])
        }
    }
}
