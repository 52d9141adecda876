import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Damaged media are never shown without a word.
    @Suite struct DamagedMediaTests {
        /// Eight seconds with a key frame each second; 40 bytes of the frame at 2.4 s are
        /// overwritten.
        private static func clip(in studio: Studio, isDamaged: Bool = true) throws -> String {
            let path = studio.file("clip.mp4")
            try FFmpeg.make(
                [
                    "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=8", "-f", "lavfi", "-i", "sine=d=8", "-c:v",
                    "libx264", "-g", "25", "-bf", "0", "-c:a", "aac",
                ], at: path)
            guard isDamaged else { return path }
            let output = try Command.run([
                "ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=size,pos", "-of", "csv=p=0",
                path,
            ])
            let numbers = output.text.split(separator: "\n")[60].split(separator: ",").compactMap { Int($0) }
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            var generator = SplitMix64(seed: 8)
            let middle = numbers[1] + numbers[0] / 2
            for offset in middle..<min(middle + 40, numbers[1] + numbers[0]) {
                bytes[offset] = UInt8.random(in: 0...255, using: &generator)
            }
            try bytes.write(to: URL(fileURLWithPath: path))
            return path
        }

        private static func edit(_ studio: Studio) throws {
            try studio.script("draft:add_clip(\"clip.mp4\")\n", size: (320, 180), fps: "25")
        }

        private static func warnings(_ output: Command.Output) -> [Substring] {
            output.stderr.split(separator: "\n").filter { $0.contains("is damaged") }
        }

        @Test func `a warning names file and time, once, for any number of workers and from the cache`() throws {
            var files: Set<Data> = []
            var texts: Set<[Substring]> = []
            for workers in 1...3 {
                let studio = try Studio()
                _ = try Self.clip(in: studio)
                try Self.edit(studio)
                for _ in 0..<2 {
                    let output = try studio.run([
                        "render", "edit.lua", "-o", "out.mp4", "-y", "--workers", "\(workers)", "--progress", "none",
                    ])
                    #expect(output.status == 0, "\(output)")
                    texts.insert(Self.warnings(output))
                    files.insert(try Data(contentsOf: URL(fileURLWithPath: studio.file("out.mp4"))))
                }
            }
            #expect(files.count == 1)
            let text = try #require(texts.first?.first)
            #expect(texts.count == 1 && texts.first?.count == 1, "\(texts)")
            #expect(text.contains("‘clip.mp4’") && text.contains("picture"), "\(text)")
            #expect(text.contains("from 2.4 s to 3 s"), "\(text)")
        }

        @Test func `programs get it as JSON`() throws {
            let studio = try Studio()
            let path = try Self.clip(in: studio)
            try Self.edit(studio)
            let output = try studio.run(["render", "edit.lua", "-o", "out.mp4", "--progress", "json"])
            let line = try #require(output.text.split(separator: "\n").first { $0.contains("\"damaged\"") })
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect((object["file"] as? String)?.hasSuffix("/clip.mp4") == true, "\(object) \(path)")
            #expect(object["stream"] as? String == "picture" && object["start"] as? Double == 2.4)
            #expect(object["end"] as? Double == 3 && object["others"] as? Int == 0)
        }

        @Test func `strict makes it an error, from the cache too`() throws {
            let studio = try Studio()
            _ = try Self.clip(in: studio)
            try Self.edit(studio)
            for _ in 0..<2 {
                let output = try studio.run(["render", "edit.lua", "-o", "out.mp4", "--strict", "--progress", "none"])
                #expect(output.status == 65, "\(output)")
                let sentence = "‘clip.mp4’ is damaged: its picture is wrong or missing from 2.4 s to 3 s"
                #expect(output.stderr.contains(sentence), "\(output)")
                #expect(!FileManager.default.fileExists(atPath: studio.file("out.mp4")))
            }
        }

        @Test func `what the output does not show is no matter, and intact media are none`() throws {
            let studio = try Studio()
            _ = try Self.clip(in: studio)
            try studio.script("draft:add_clip(\"clip.mp4\", { range = { 4, 3 } })\n", size: (320, 180), fps: "25")
            let away = try studio.run(["render", "edit.lua", "-o", "a.mp4", "--strict", "--progress", "none"])
            #expect(away.status == 0 && Self.warnings(away).isEmpty, "\(away)")
            let whole = try Studio()
            _ = try Self.clip(in: whole, isDamaged: false)
            try Self.edit(whole)
            let output = try whole.run(["render", "edit.lua", "-o", "out.mp4", "--strict", "--progress", "none"])
            #expect(output.status == 0 && output.stderr.isEmpty, "\(output)")
        }
    }
}
