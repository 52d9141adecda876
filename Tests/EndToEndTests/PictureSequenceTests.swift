import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A picture for each frame.
    @Suite struct PictureSequenceTests {
        private func studio() throws -> Studio {
            let studio = try Studio()
            try studio.script("draft:add_clip(\(Footage.indexed.lua), { range = { 0, 0.4 } })")
            return studio
        }

        @Test(arguments: [("frames/", "frames/%04d.png"), ("shot-%03d.png", "shot-%03d.png"), ("p%d.jpg", "p%d.jpg")])
        func `each frame is a picture of its own`(output: String, pattern: String) throws {
            let studio = try studio()
            try studio.render(to: output, with: ["--workers", "2"])
            let names = studio.folder.names.filter { $0.hasPrefix(output.prefix(1)) }
            #expect(names.count == (output.hasSuffix("/") ? 1 : 12))
            let data = try FFmpeg.run([
                "-framerate", "30", "-start_number", "1", "-i", studio.file(pattern), "-vf", "format=gray", "-f",
                "rawvideo", "-",
            ]).stdout
            try #require(data.count == 12 * 160 * 96)
            for frame in 0..<12 {
                let luma = Array(data[(frame * 160 * 96)..<((frame + 1) * 160 * 96)])
                #expect(FrameCode.index(luma: luma, width: 160, height: 96) == frame)
            }
        }

        @Test func `pictures are the render's colours`() throws {
            let studio = try Studio()
            try studio.script("draft:add_clip(\(Footage.solid("red").lua), { range = { 0, 0.1 } })")
            for (name, first) in [("c%02d.png", "c01.png"), ("c%02d.jpg", "c01.jpg")] {
                try studio.render(to: name)
                let rgb = try FFmpeg.run(["-i", studio.file(first), "-vf", "format=rgb24", "-f", "rawvideo", "-"])
                    .stdout
                for (value, wanted) in zip(rgb.prefix(3), [254, 0, 0]) {
                    #expect(abs(Int(value) - wanted) <= 3, "\(first): \(Array(rgb.prefix(3)))")
                }
            }
            // A screen's transfer, so that a browser shows what it shows of the video.
            let png = try Data(contentsOf: URL(fileURLWithPath: studio.file("c01.png")))
            #expect(png.range(of: Data("sRGB".utf8)) != nil)
        }

        @Test func `existing pictures are kept unless the user says otherwise`() throws {
            let studio = try studio()
            try studio.folder.write("mine", to: "s-05.png")
            let refused = try studio.run(["render", "edit.lua", "-o", "s-%02d.png"])
            #expect(refused.status == 73 && refused.stderr.contains("s-05.png’ exists"), "\(refused)")
            #expect(studio.folder.names.filter { $0.hasPrefix("s-") } == ["s-05.png"])
            try studio.render(to: "s-%02d.png", with: ["--overwrite"])
            #expect(studio.folder.names.filter { $0.hasPrefix("s-") }.count == 12)
            // Into a folder that is there, beside what is in it.
            try FileManager.default.createDirectory(atPath: studio.file("there"), withIntermediateDirectories: true)
            try studio.folder.write("mine", to: "there/note.txt")
            try studio.render(to: "there/")
            #expect(try FileManager.default.contentsOfDirectory(atPath: studio.file("there")).count == 13)
            #expect(try studio.run(["render", "edit.lua", "-o", "there/"]).status == 73)
            #expect(try studio.run(["render", "edit.lua", "-o", "edit.lua/"]).status == 73)
        }

        @Test(arguments: ["a.png", "a-%s.png", "a-%04d-%d.png", "a-%4d.jpg", "a-%.png"])
        func `a name without a number's place is refused`(name: String) throws {
            let studio = try studio()
            let result = try studio.run(["render", "edit.lua", "-o", name])
            #expect(result.status == 64 && result.stderr.contains("%04d"), "\(result)")
        }

        @Test func `what does not go together is said before any work`() throws {
            let studio = try studio()
            let cases = [
                (["-o", "a.webm", "--codec", "h264"], "webm cannot hold h264"),
                (["-o", "a.mp4", "--audio-codec", "pcm"], "mp4 cannot hold pcm_s16"),
                (["-o", "a.gif", "--codec", "h264"], "gif has no ‘--codec’"),
                (["-o", "a.mov", "--codec", "prores", "--preset", "fast"], "prores has no ‘--preset’"),
                (["-o", "a.mp4", "--bit-rate", "fast"], "--bit-rate fast"),
                (["-o", "a.mp4", "--codec", "h266"], "did you mean"),
            ]
            for (arguments, words) in cases {
                let result = try studio.run(["render", "edit.lua"] + arguments)
                #expect(result.status == 64 && result.stderr.contains(words), "\(result)")
            }
            #expect(studio.folder.names == ["edit.lua"])
        }
    }
}
