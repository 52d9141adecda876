import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// `cutroom record --script`: effects that are recorded with the picture.
    @Suite struct RecordEffectsTests {
        /// The recorded sizes are those of the scripts.
        private static let base = ["record", "talk.cutroom", "--video", "test", "--audio", "none"]

        /// A script with effects over the whole picture.
        private static func script(_ studio: Studio, _ effects: String...) throws {
            let text =
                [#"local draft = require("cutroom").draft { size = { 320, 180 } }"#] + effects.map { "draft:\($0)" }
            try studio.folder.write((text + ["return draft"]).joined(separator: "\n"), to: "live.lua")
        }

        /// Builds the fixture that paints all luma with 60.
        private static func paint(_ studio: Studio) throws {
            try Fixture.plugin("paints", ["VALUE=60"], as: "paints", in: studio)
        }

        /// Luma of 60 in the range 16 to 235, as grey: the test picture has none in its middle.
        private static func isPainted(_ grey: UInt8) -> Bool { abs(Int(grey) - 51) <= 4 }

        /// The middle luma of each frame of a take.
        private static func lumas(_ studio: Studio, _ take: Int) throws -> [UInt8] {
            let path = studio.file("talk.takes/000\(take).mp4")
            return try FFmpeg.grayFrames(of: path, width: 320, height: 180).map { $0[90 * 320 + 160] }
        }

        private static func isNear(_ luma: UInt8?, _ value: Int) -> Bool {
            luma.map { abs(Int($0) - value) <= 4 } ?? false
        }

        @Test func `takes have the effects, and renders do not apply them again`() throws {
            let studio = try Studio()
            try Self.paint(studio)
            try Self.script(studio, #"add_effect("test.paints")"#)
            let result = try studio.run(Self.base + ["--script", "live.lua", "--max-duration", "1"])
            try #require(result.status == 0, "\(result)")
            let recorded = try Self.lumas(studio, 1)
            #expect(!recorded.isEmpty && recorded.allSatisfy(Self.isPainted), "\(recorded)")
            // Those of the last recording.
            let second = try studio.run(Self.base + ["--max-duration", "2"])
            try #require(second.status == 0, "\(second)")
            #expect(try Self.lumas(studio, 2).allSatisfy(Self.isPainted))
            try studio.render("talk.cutroom", to: "talk.mp4")
            let rendered = try FFmpeg.grayFrames(of: studio.file("talk.mp4"), width: 320, height: 180)
            #expect(rendered.count == 60 && rendered.allSatisfy { Self.isPainted($0[90 * 320 + 160]) })
            // And none.
            let plain = try studio.run(Self.base + ["--size", "320x180", "--script", "none", "--max-duration", "3"])
            try #require(plain.status == 0, "\(plain)")
            #expect(try !Self.lumas(studio, 3).contains(where: Self.isPainted))
            studio.expectClean()
        }

        struct Fault: Sendable, CustomTestStringConvertible {
            let define: String
            let words: [String]
            var testDescription: String { define }
        }

        private static let faults = [
            Fault(define: "CRASHES", words: Sanitizer.isActive ? [] : ["crashed (Segmentation fault)"]),
            Fault(define: "HANGS", words: ["made no picture for 250 ms"]),
            Fault(define: "FAILS", words: ["it is not my day"]),
        ]

        /// What fails is left out, the other effects come back, and the take goes on.
        @Test(arguments: faults) func `a plugin that fails is left out of the take`(fault: Fault) throws {
            let studio = try Studio()
            try Fixture.plugin("misbehaves", [fault.define, "FRAME=20"], as: "misbehaves", in: studio)
            try Self.paint(studio)
            try Self.script(
                studio, #"add_effect("test.misbehaves", { while_there = "" })"#, #"add_effect("test.paints")"#)
            let result = try studio.run(Self.base + ["--script", "live.lua", "--max-duration", "4"])
            try #require(result.status == 0, "\(result)")
            let sentence = "The live effect ‘test.misbehaves’ "
            #expect(
                result.stderr.contains(sentence) && result.stderr.contains("is left out from now on"), "\(result)")
            for word in fault.words { #expect(result.stderr.contains(word), "\(result)") }
            let movie = try Movie(studio.file("talk.takes/0001.mp4"))
            #expect(abs((movie.pictureDuration ?? 0) - 4) < 0.001, "\(movie)")
            let lumas = try Self.lumas(studio, 1)
            #expect(lumas.first.map(Self.isPainted) == true && lumas.last.map(Self.isPainted) == true, "\(lumas)")
            #expect(!lumas.allSatisfy(Self.isPainted), "nothing was left out: \(lumas)")
            studio.expectClean()
        }

        /// A title that begins in the take opens its fonts, and a plugin logs and prints.
        @Test func `an effect may begin late, and a plugin may say what it likes`() throws {
            let studio = try Studio()
            try Fixture.plugin("misbehaves", ["SAYS", "FRAME=20"], as: "misbehaves", in: studio)
            try Self.script(
                studio, #"add_effect("test.misbehaves", { while_there = "" })"#,
                #"add_title("Late", { size = 120, range = { 1.5, 9 } })"#)
            let result = try studio.run(Self.base + ["--script", "live.lua", "--max-duration", "3"])
            try #require(result.status == 0, "\(result)")
            #expect(!result.stderr.contains("left out"), "\(result)")
            // Of each picture, but told once.
            let plugin = "Effect test.misbehaves of plugin ‘Fixture’ (\(studio.file("plugins/misbehaves.so")))"
            for words in ["\(plugin) warns: a matter of concern", "\(plugin) reports an error: a matter of alarm"] {
                #expect(result.stderr.components(separatedBy: words).count == 2, "\(result)")
            }
            #expect(!result.stderr.contains("of interest"), "\(result)")
            let frames = try FFmpeg.grayFrames(of: studio.file("talk.takes/0001.mp4"), width: 320, height: 180)
            #expect(frames.first?.max() ?? 255 < 40 && frames.last?.max() ?? 0 > 200, "black, and then the title")
        }

        @Test func `a turned picture has the effects upright, and ends with its source`() throws {
            let studio = try Studio()
            let pipe = studio.file("video")
            #expect(mkfifo(pipe, 0o600) == 0)
            // The left half is white.
            let writer = try Command([
                "ffmpeg", "-v", "error", "-nostdin", "-re", "-f", "lavfi", "-i",
                "color=black:s=320x180:r=25,drawbox=w=160:color=white:t=fill", "-c:v", "rawvideo", "-pix_fmt",
                "yuv420p", "-t", "2", "-f", "nut", "-y", pipe,
            ])
            try studio.folder.write(
                """
                local draft = require("cutroom").draft { size = { 180, 320 }, fps = 25 }
                draft:add_layer { color = "#ffffff", size = { 40, 40 }, position = { 90, 290 } }
                return draft
                """, to: "live.lua")
            let result = try studio.run([
                "record", "talk.cutroom", "--video", "pipe:\(pipe)", "--audio", "none", "--rotate", "90", "--script",
                "live.lua",
            ])
            writer.send(SIGKILL)
            #expect(result.status == 74 && result.stderr.contains("it has ended"), "\(result)")
            let frames = try FFmpeg.grayFrames(of: studio.file("talk.takes/0001.mp4"), width: 180, height: 320)
            let last = try #require(frames.last)
            func luma(_ x: Int, _ y: Int) -> UInt8 { last[y * 180 + x] }
            #expect(luma(90, 40) > 200 && luma(90, 290) > 200 && luma(20, 290) < 40)
            // No picture is missing at the end, and the last one is not drawn out.
            let length = try #require(try Movie(studio.file("talk.takes/0001.mp4")).pictureDuration)
            #expect(abs(length * 25 - Double(frames.count)) <= 2, "\(frames.count) frames in \(length) s")
        }

        @Test func `effects that are too slow are left out`() throws {
            let studio = try Studio()
            try Fixture.plugin("misbehaves", ["NAPS"], as: "misbehaves", in: studio)
            try Self.script(studio, #"add_effect("test.misbehaves", { while_there = "" })"#)
            let result = try studio.run(Self.base + ["--script", "live.lua", "--max-duration", "6"])
            try #require(result.status == 0, "\(result)")
            #expect(
                result.stderr.contains(
                    "The live effect ‘test.misbehaves’ made less than half of the pictures in time, and is left out"),
                "\(result)")
            #expect(try Movie(studio.file("talk.takes/0001.mp4")).pictureDuration.map { abs($0 - 6) < 0.001 } == true)
        }

        @Test func `what cannot be done live is an error before anything is recorded`() throws {
            let studio = try Studio()
            try Fixture.plugin("around", as: "around", in: studio)
            func refusal(_ effects: String..., options: [String] = []) throws -> Command.Output {
                let lines = effects.map { "draft:\($0)" }.joined(separator: "\n")
                try studio.folder.write(
                    "local draft = require(\"cutroom\").draft {}\n\(lines)\nreturn draft", to: "live.lua")
                let result = try studio.run(Self.base + ["--script", "live.lua", "--max-duration", "1"] + options)
                #expect(result.status != 0, "\(result)")
                return result
            }
            let pattern = try Footage.pattern.lua
            for (script, words) in [
                ("add_clip(\(pattern))", "live.lua:2: clip 1: is not recorded; leave it out of the live effects"),
                ("add_effect(\"speed\", { factor = 2 })", "changes time; leave it out of the live effects"),
                ("add_effect(\"test.around\")", "needs later frames, which a live picture does not have yet"),
                ("add_effect(\"test.none\")", "there is no effect ‘test.none’"),
                ("validate()", "‘live.lua’ has no effects on the picture."),
            ] {
                let result = try refusal(script)
                #expect(result.stderr.contains(words), "\(result)")
            }
            let sized = try refusal(options: ["--size", "320x180"])
            #expect(sized.status == 64 && sized.stderr.contains("The script sets the size; omit ‘--size’."), "\(sized)")
            let soundOnly = try refusal(options: ["--video", "none"])
            #expect(soundOnly.status == 64, "\(soundOnly)")
            #expect(!FileManager.default.fileExists(atPath: studio.file("talk.cutroom")))
        }
    }
}
