import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Streams that cannot be decoded, and ends of files that are missing, are reported; `--strict`
    /// refuses them.
    @Suite struct LostStreamTests {
        /// A clip of one second whose sound has a damaged configuration.
        private static func clip(in studio: Studio) throws {
            let path = studio.file("clip.mp4")
            try FFmpeg.make(
                [
                    "-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=1", "-f", "lavfi", "-i", "sine=d=1", "-c:v",
                    "libx264",
                    "-c:a", "aac",
                ], at: path)
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            let box = try #require(bytes.range(of: Data("esds".utf8))).upperBound
            let place = try #require(bytes.range(of: Data([0x05, 0x80, 0x80, 0x80]), in: box..<bytes.count)).upperBound
            bytes.replaceSubrange(place + 1..<place + 3, with: [0xFF, 0xFF])
            try bytes.write(to: URL(fileURLWithPath: path))
        }

        private static func run(_ studio: Studio, _ arguments: String...) throws -> Command.Output {
            try studio.run(["render", "edit.lua", "-o", "out.mp4", "-y", "--progress", "none"] + arguments)
        }

        private static let sentence =
            "‘clip.mp4’: sound track 1 (aac) cannot be decoded: its decoder's configuration is damaged or missing"

        @Test func `a sound track that cannot be decoded is a warning, and an error with strict`() throws {
            let studio = try Studio()
            try Self.clip(in: studio)
            try studio.script("draft:add_clip(\"clip.mp4\")\n", size: (160, 96), fps: "25")
            let usual = try Self.run(studio)
            #expect(usual.status == 0 && usual.stderr.contains(Self.sentence), "\(usual)")
            #expect(usual.stderr.components(separatedBy: "cannot be decoded").count == 2, "\(usual)")
            let check = try studio.run(["check", "edit.lua"])
            #expect((check.text + check.stderr).contains(Self.sentence), "\(check)")
            let strict = try Self.run(studio, "--strict")
            #expect(strict.status == 65 && strict.stderr.contains("Without ‘--strict’"), "\(strict)")
            let probe = try studio.run(["probe", "clip.mp4"])
            #expect(probe.text.contains("left out: sound track 1 (aac) cannot be decoded"), "\(probe)")
            let json = try studio.run(["probe", "clip.mp4", "--json"])
            #expect(json.text.contains("\"unreadable\"") && json.text.contains("damaged_configuration"), "\(json)")
        }

        @Test func `strict does not mind sound that is not played`() throws {
            let studio = try Studio()
            try Self.clip(in: studio)
            try studio.script("draft:add_clip(\"clip.mp4\", { volume = 0 })\n", size: (160, 96), fps: "25")
            let output = try Self.run(studio, "--strict")
            #expect(output.status == 0 && output.stderr.contains(Self.sentence), "\(output)")
        }

        @Test func `sound that is asked for says why there is none`() throws {
            let studio = try Studio()
            try Self.clip(in: studio)
            try studio.script("draft:add_audio(\"clip.mp4\")\n", size: (160, 96), fps: "25")
            let output = try Self.run(studio)
            #expect(output.status == 65, "\(output)")
            #expect(output.stderr.contains("has no sound that can be decoded; sound track 1 (aac)"), "\(output)")
            try studio.script(
                "draft:add_clip(\"clip.mp4\", { audio_track = \"eng\" })\n", size: (160, 96), fps: "25")
            let chosen = try Self.run(studio)
            #expect(chosen.stderr.contains("sound that can be decoded; sound track 1 (aac)"), "\(chosen)")
        }

        /// One bit of a page in the middle, and of the last page.
        @Test(arguments: [10, 19]) func `strict refuses an Ogg file with a damaged page`(_ second: Int) throws {
            let studio = try Studio()
            let path = studio.file("song.opus")
            try FFmpeg.make(
                [
                    "-f", "lavfi", "-i", "anoisesrc=c=pink:a=0.3:d=20:r=48000", "-c:a", "libopus", "-page_duration",
                    "1000000",
                ],
                at: path)
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            var pages: [Int] = []
            var start = 0
            while let place = bytes.range(of: Data("OggS\0".utf8), in: start..<bytes.count) {
                pages.append(place.lowerBound)
                start = place.upperBound
            }
            bytes[(second == 19 ? pages[pages.count - 1] : pages[second]) + 60] ^= 4
            try bytes.write(to: URL(fileURLWithPath: path))
            try FFmpeg.make(
                ["-f", "lavfi", "-i", "color=black:s=160x96", "-frames:v", "1", "-update", "1"],
                at: studio.file("black.png"))
            try studio.script(
                "draft:add_image(\"black.png\", { duration = 20 })\n"
                    + "draft:add_audio(\"song.opus\")\n", size: (160, 96), fps: "5")
            let usual = try Self.run(studio)
            #expect(usual.status == 0 && usual.stderr.contains("data are missing or damaged at byte"), "\(usual)")
            if second == 19 {
                #expect(usual.stderr.contains("was cut off: its last page is missing"), "\(usual)")
            } else {
                #expect(usual.stderr.contains("its sound is wrong or missing from"), "\(usual)")
            }
            let strict = try Self.run(studio, "--strict")
            #expect(strict.status == 65, "\(strict)")
        }

        /// A file whose end is missing is refused whatever its format is, unless the draft does not
        /// use the end.
        @Test(arguments: ["mp4", "mkv", "flv", "avi"])
        func `strict refuses a file that was cut off, where its end is used`(_ suffix: String) throws {
            let studio = try Studio()
            let path = studio.file("clip.\(suffix)")
            try FFmpeg.make(
                [
                    "-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=6", "-f", "lavfi", "-i",
                    "anoisesrc=a=0.2:d=6:r=44100", "-c:v", "mpeg4", "-g", "12", "-c:a", "libmp3lame", "-movflags",
                    "+faststart",
                ].map { suffix == "flv" && $0 == "mpeg4" ? "flv1" : $0 }, at: path)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            try bytes.prefix(bytes.count * 7 / 10).write(to: URL(fileURLWithPath: path))
            try studio.script("draft:add_clip(\"clip.\(suffix)\")\n", size: (160, 96), fps: "25")
            let usual = try Self.run(studio)
            #expect(usual.status == 0 && usual.stderr.contains("was cut off: "), "\(usual)")
            let strict = try Self.run(studio, "--strict")
            #expect(strict.status == 65 && strict.stderr.contains("was cut off: "), "\(strict)")
            try studio.script(
                "draft:add_clip(\"clip.\(suffix)\", { range = { 0, 1 } })\n", size: (160, 96), fps: "25")
            let part = try Self.run(studio, "--strict")
            #expect(part.status == 0, "\(part)")
        }

        @Test func `strict does not mind the end of sound that is not played`() throws {
            let studio = try Studio()
            let path = studio.file("clip.ogv")
            try FFmpeg.make(
                [
                    "-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=2", "-f", "lavfi", "-i",
                    "anoisesrc=a=0.2:d=2:r=48000", "-f", "lavfi", "-i", "anoisesrc=a=0.2:d=2.5:r=48000:seed=2", "-map",
                    "0", "-map", "1", "-map", "2", "-c:v", "libtheora", "-c:a", "libvorbis",
                ], at: path)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            let last = try #require(bytes.range(of: Data("OggS\0".utf8), options: .backwards)).lowerBound
            try bytes[..<last].write(to: URL(fileURLWithPath: path))
            for (track, status) in [(1, 0), (2, 65)] as [(Int, Int32)] {
                try studio.script(
                    "draft:add_clip(\"clip.ogv\", { audio_track = \(track) })\n", size: (160, 96), fps: "25")
                let output = try Self.run(studio, "--strict")
                #expect(output.status == status, "\(track): \(output)")
            }
        }

        @Test func `channels without a layout are said`() throws {
            let studio = try Studio()
            let samples = studio.file("many.raw")
            try Data(repeating: 16, count: 9 * 2 * 48_000).write(to: URL(fileURLWithPath: samples))
            try FFmpeg.run([
                "-f", "s16le", "-ar", "48000", "-ac", "9", "-i", samples, "-c", "copy", studio.file("many.wav"),
            ])
            try studio.script("draft:add_audio(\"many.wav\")\n", size: (160, 96), fps: "25")
            let output = try studio.run(["render", "edit.lua", "-o", "out.wav", "--progress", "none"])
            #expect(output.status == 0, "\(output)")
            #expect(output.stderr.contains("its sound has 9 channels without a layout"), "\(output)")
        }
    }
}
