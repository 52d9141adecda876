import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A part of the output, and smaller pictures of it.
    @Suite struct ExtentTests {
        @Test func `a range renders that part of the timeline`() throws {
            let studio = try Studio()
            try studio.script("draft:add_clip(\(try Footage.indexed.lua))\ndraft.time_range = { 0, 0.5 }")
            for (index, range) in ["1,0.5", "0:01,0:00.5", "0:00:01,.5"].enumerated() {
                try studio.render(to: "\(index).mp4", with: ["--range", range])
                #expect(try FrameCode.indexes(of: studio.file("\(index).mp4")) == Array(30..<45), "\(range)")
            }
            let plan = try studio.run(["plan", "edit.lua", "--range", "1,0.5"])
            #expect(plan.text.contains("15 frames (0.5 s)"), "\(plan)")
            let over = try studio.run(["render", "edit.lua", "-o", "over.mp4", "--range", "3.5,9"])
            #expect(
                over.status == 0
                    && over.stderr
                        == "cutroom: warning: ‘--range 3.5,9’ reaches past the end at 4 s; 3.5–4 s is rendered\n",
                "\(over)")
            #expect(try Movie(studio.file("over.mp4")).frames == 15)
        }

        private static let mistakes: [([String], String)] = [
            (["--range", "4,1"], "does not lie on the timeline, which is 4 s long"),
            (["--range", "1"], "as in ‘--range 2,1.5’"), (["--range", "-1,2"], "as in ‘--range 2,1.5’"),
            (["--range", "1,0"], "as in ‘--range 2,1.5’"), (["--range", "1:99,1"], "as in ‘--range 2,1.5’"),
            (["--range", "nan,inf"], "as in ‘--range 2,1.5’"),
            (["--scale", "2"], "more than 0 and at most 1"), (["--scale", "0"], "more than 0 and at most 1"),
            (["--scale", "-1"], "more than 0"), (["--scale", "nan"], "more than 0"),
            (["--scale", "0.05"], "it would leave 8×4, but h264 needs at least 16×16"),
            (["--scale", "0.5", "-o", "out.wav"], "‘--scale’ does not apply to ‘.wav’"),
        ]

        /// Every second of ``Sweep``'s.
        @Test(arguments: mistakes.every(2))
        func `what cannot be is refused`(options: [String], says: String) throws {
            let studio = try Studio()
            try studio.script("draft:add_clip(\(Footage.indexed.lua))")
            let output = options.contains("-o") ? [] : ["-o", "out.mp4"]
            let result = try studio.run(["render", "edit.lua"] + output + options)
            #expect(result.status == 64 && result.stderr.contains(says) && result.text == "", "\(result)")
            #expect(studio.folder.names == ["edit.lua"])
        }

        /// A render at half the size is the render at full size, scaled: effects that count in
        /// pixels do the same.
        @Test(arguments: ["sdr"]) func `a scaled render shows the whole one's pictures`(color: String) throws {
            let studio = try Studio()
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 0.5 } })
                \(color == "sdr" ? "draft:add_effect('org.cutroom.pixelate', { tile = 16 })" : "")
                draft:add_title("Text", { size = 40 })
                """, size: (320, 180), options: ", color = '\(color)'")
            let quality = ["--quality", "2"]
            try studio.render(to: "whole.mp4", with: quality)
            try studio.render(to: "half.mp4", with: quality + ["--scale", "0.5"])
            let movie = try Movie(studio.file("half.mp4"))
            #expect(movie.picture?.width == 160 && movie.picture?.height == 90 && movie.frames == 15)
            func frames(_ name: String) throws -> [[UInt8]] {
                try FFmpeg.grayFrames(of: studio.file(name), width: 160, height: 90)
            }
            let (whole, half) = (try frames("whole.mp4"), try frames("half.mp4"))
            #expect(whole.count == half.count)
            let error = zip(whole.joined(), half.joined()).reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
            let psnr = 10 * log10(255 * 255 * Double(whole.joined().count) / max(error, 1))
            #expect(psnr > 34, "\(psnr) dB")
            // Parts of one size are not those of another, and those of the whole size are what they
            // were.
            let plans = try [[], ["--scale", "1"], ["--scale", "0.5"]].map {
                try studio.run(["plan", "edit.lua"] + quality + $0).text
            }
            #expect(plans[0] == plans[1] && plans[0] != plans[2] && plans[2].contains("scaled to 160×90"), "\(plans)")
        }

        @Test func `GIFs and pictures are scaled, too`() throws {
            let studio = try Studio()
            try studio.script("draft:add_clip(\(Footage.pattern.lua), { range = { 0, 0.2 } })", size: (320, 180))
            for (output, file) in [("out.gif", "out.gif"), ("p-%02d.png", "p-01.png"), ("out.webm", "out.webm")] {
                try studio.render(to: output, with: ["--scale", "0.25"])
                let picture = try #require(try Movie(studio.file(file)).picture)
                #expect(picture.width == 80 && picture.height == 46, "\(output): \(picture)")
            }
        }

        /// All mistakes, and an HDR canvas.
        @Suite struct Sweep {
            @Test(arguments: mistakes) func `what cannot be is refused`(options: [String], says: String) throws {
                try ExtentTests().`what cannot be is refused`(options: options, says: says)
            }

            @Test(arguments: ["sdr", "hlg"])
            func `a scaled render shows the whole one's pictures`(color: String) throws {
                try ExtentTests().`a scaled render shows the whole one's pictures`(color: color)
            }
        }
    }
}
