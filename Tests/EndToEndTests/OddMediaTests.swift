import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Media out of the ordinary, from the script to the file.
    @Suite struct OddMediaTests {
        /// Three tracks: 440 Hz (ita), 660 Hz (eng), 880 Hz (eng).
        private static func tracks() throws -> String {
            let tones = [440, 660, 880].flatMap { ["-f", "lavfi", "-i", "sine=f=\($0):r=48000:d=2"] }
            return try Footage.made(
                "tracks.mkv",
                ["-f", "lavfi", "-i", "testsrc=s=64x64:d=2:r=30"] + tones + [
                    "-map", "0", "-map", "1", "-map", "2", "-map", "3", "-c:v", "libx264", "-c:a", "flac",
                    "-metadata:s:a:0",
                    "language=ita", "-metadata:s:a:1", "language=eng", "-metadata:s:a:2", "language=eng",
                ])
        }

        private static let choices = [("3", 880), ("'eng'", 660), ("nil", 440), ("2", 660), ("'ITA'", 440)]

        @Test(arguments: choices.prefix(2))
        func `the chosen sound track is heard, under a clip and alone`(choice: String, frequency: Int) throws {
            let studio = try Studio()
            for (name, body) in [
                ("clip", "draft:add_clip(\(try Self.tracks().lua), { audio_track = \(choice) })"),
                (
                    "audio",
                    "draft:add_clip(\(try Footage.silent.lua)) draft:add_audio(\(try Self.tracks().lua), { audio_track = \(choice) })"
                ),
            ] {
                try studio.script(body, size: (64, 64), as: "\(name).lua")
                let sound = try Sound(of: try studio.render("\(name).lua", to: "\(name).m4a"))
                #expect(abs(sound.frequency(0.3, 1) - Double(frequency)) < 3, "\(name) \(choice)")
            }
        }

        @Test(arguments: ["4", "'fra'"]) func `a track that is not there is named with those that are`(choice: String)
            throws
        {
            let studio = try Studio()
            try studio.script("draft:add_clip(\(try Self.tracks().lua), { audio_track = \(choice) })")
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4"])
            #expect(result.status == 65 && result.stderr.split(separator: "\n").count == 1, "\(result)")
            for part in ["edit.lua:3", "audio_track", "1 (ita, ", "3 (eng, "] {
                #expect(result.stderr.contains(part), "\(result)")
            }
        }

        @Test func `several files are probed at once, each with its own answer`() throws {
            let studio = try Studio()
            let tracks = try Self.tracks()
            let result = try studio.run(["probe", tracks, "missing.mp4", try Footage.still])
            #expect(result.status == 65 && result.stderr.contains("missing.mp4"), "\(result)")
            #expect(result.stderr.split(separator: "\n").count == 1)
            #expect(result.text.contains("sound track 3") && result.text.contains("eng") && result.text.contains("png"))
            let list = try studio.run(["probe", "--json", tracks, "missing.mp4"])
            let entries = try #require(try JSONSerialization.jsonObject(with: list.stdout) as? [[String: Any]])
            #expect(entries.count == 2 && entries[0]["info"] != nil && entries[1]["failure"] != nil)
            let missing = try studio.run(["probe", "--json", "missing.mp4"])
            let entry = try #require(try JSONSerialization.jsonObject(with: missing.stdout) as? [String: Any])
            #expect(
                missing.status == 65 && entry["path"] as? String == studio.file("missing.mp4")
                    && entry["failure"] != nil)
            let one = try studio.run(["probe", "--json", tracks])
            let info = try #require(try JSONSerialization.jsonObject(with: one.stdout) as? [String: Any])
            #expect(info["audio_tracks"] != nil && info["audioTracks"] == nil)
        }

        @Test func `a cut-off file is rendered as far as it goes, with one warning`() throws {
            let studio = try Studio()
            let whole = try Footage.made(
                "long.mp4",
                [
                    "-f", "lavfi", "-i", "testsrc2=s=160x96:r=30:d=4", "-c:v", "libx264", "-g", "30", "-bf", "0",
                    "-movflags",
                    "faststart",
                ])
            let bytes = try Data(contentsOf: URL(fileURLWithPath: whole))
            try bytes[..<(bytes.count * 6 / 10)].write(to: URL(fileURLWithPath: studio.file("cut.mp4")))
            try studio.script("draft:add_clip('cut.mp4') draft:add_clip('cut.mp4')")
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4"])
            #expect(result.status == 0)
            let lines = result.stderr.split(separator: "\n")
            #expect(lines.count == 1 && lines[0].contains("cut.mp4") && lines[0].contains("cut off"), "\(result)")
            #expect(lines.first?.contains("4 s") ?? false)
            let frames = try #require(Int(try FFmpeg.probe(studio.file("out.mp4"), "stream=nb_read_frames")))
            #expect((20..<200).contains(frames))
        }

        @Test func `a picture without its end is shown, with one warning`() throws {
            let studio = try Studio()
            let bytes = try Data(
                contentsOf: URL(
                    fileURLWithPath: Footage.made(
                        "whole.jpg", ["-f", "lavfi", "-i", "testsrc2=s=320x240", "-frames:v", "1"])))
            try bytes[..<(bytes.count * 7 / 10)].write(to: URL(fileURLWithPath: studio.file("cut.jpg")))
            try studio.script(
                """
                draft:add_image('cut.jpg', { duration = 1 })
                assert(cutroom.probe('cut.jpg').cut_off:find("the picture's data end", 1, true))
                assert(cutroom.probe(\(Footage.pattern.lua)).cut_off == nil)
                """)
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4"])
            let lines = result.stderr.split(separator: "\n")
            #expect(result.status == 0 && lines.count == 1, "\(result)")
            #expect(lines.first?.contains("cut.jpg’: was cut off: the picture's data end") == true, "\(result)")
            #expect(try studio.run(["probe", "cut.jpg"]).text.contains("cut off: "))
            #expect(try studio.run(["check", "edit.lua"]).stderr.contains("was cut off: "))
        }

        @Test(.enabled(if: !Sanitizer.isActive, Sanitizer.countsItself))
        func `a photo of a hundred megapixels is decoded once and let go`() throws {
            let studio = try Studio()
            let photo = try Footage.made(
                "large.jpg",
                [
                    "-f", "lavfi", "-i", "color=orange:s=12000x8400", "-frames:v", "1", "-q:v", "4", "-pix_fmt",
                    "yuvj420p",
                ])
            // Two of it in a transition, and as a sticker, over several segments.
            try studio.script(
                """
                draft:add_image(\(photo.lua), { duration = 3 })
                draft:add_image(\(photo.lua), { duration = 3, mode = "fill", transition = 1 })
                draft:add_effect("sticker", { image = \(photo.lua), rect = { 10, 10, 40, 28 } })
                """)
            let result = try studio.run(
                ["render", "edit.lua", "-o", "out.mp4", "--workers", "1"], through: ["/usr/bin/time", "-f", "peak %M"],
                timeout: 240)
            #expect(result.status == 0, "\(result)")
            // Kilobytes of the largest process. One decoded copy is 151 MB.
            let line = try #require(result.stderr.split(separator: "\n").first { $0.hasPrefix("peak ") })
            let peak = try #require(Int(line.dropFirst(5)))
            #expect(peak < 290_000, "a worker took \(peak) kB")
        }

        @Test(.enabled(if: hasPython, "Python 3 is not installed"))
        func `damaged files neither crash nor hang the host`() throws { try Self.fuzz(cases: 4) }

        private static func fuzz(cases: Int) throws {
            let studio = try Studio()
            let seed = Seed.announced(for: "damaged files", cases: cases)
            let result = try Command.run(
                [
                    "python3", "-B", Project.root + "/Tests/Fuzz/fuzz.py", "--count", "\(cases)", "--seed",
                    "\(seed % 1_000_000)", "--keep", studio.file("found"),
                ],
                environment: ["CUTROOM": Studio.program], timeout: 900)
            #expect(result.succeeded, "\(result)")
        }

        /// More of them.
        @Suite struct Sweep {
            @Test(arguments: choices.dropFirst(2))
            func `the chosen sound track is heard, under a clip and alone`(choice: String, frequency: Int) throws {
                try OddMediaTests().`the chosen sound track is heard, under a clip and alone`(
                    choice: choice, frequency: frequency)
            }

            @Test(.enabled(if: hasPython, "Python 3 is not installed"))
            func `damaged files neither crash nor hang the host`() throws { try fuzz(cases: 60) }
        }

        static let hasPython = Command.isInstalled("python3")
    }
}
