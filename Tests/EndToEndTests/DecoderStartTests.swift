import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Streams that say things once, at their beginning: whichever worker renders a segment knows
    /// them.
    @Suite struct DecoderStartTests {
        private static let pattern = ["-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=9"]

        private static func expectEqualBytes(_ arguments: [String], as name: String) throws {
            let studio = try Studio()
            try FFmpeg.make(pattern + arguments, at: studio.file(name))
            try expectEqualBytes(in: studio, of: studio.file(name))
        }

        /// Renders a file whole with 1, 2 and 3 workers.
        private static func expectEqualBytes(in studio: Studio, of path: String) throws {
            var files: [Data] = []
            try studio.script("draft:add_clip(\(path.lua))\n", size: (160, 96), fps: "25")
            for workers in 1...3 {
                let output = try studio.run(
                    [
                        "render", "edit.lua", "-o", "out.mp4", "-y", "--no-cache", "--workers", "\(workers)",
                        "--progress", "none", "--strict",
                    ], timeout: 300)
                #expect(output.status == 0, "\(output)")
                files.append(try Data(contentsOf: URL(fileURLWithPath: studio.file("out.mp4"))))
            }
            #expect(files[0] == files[1] && files[0] == files[2], "\(path)")
        }

        @Test func `parameter sets that are sent once`() throws {
            try Self.expectEqualBytes(
                [
                    "-c:v", "libx264", "-flags", "+global_header", "-bsf:v", "dump_extra=freq=e", "-x264-params",
                    "open-gop=1:keyint=25:min-keyint=25:scenecut=0",
                ], as: "once.ts")
        }

        private static let tone = ["-f", "lavfi", "-i", "sine=f=440:r=44100:d=9"]

        @Test func `a codec that is read from the start`() throws {
            try Self.expectEqualBytes(
                Self.tone + ["-c:v", "zmbv", "-g", "25", "-c:a", "adpcm_yamaha"], as: "remembers.avi")
        }

        @Suite struct Sweep {
            /// x264 4:4:4 of a version that decoders must know, with MP3.
            @Test(.enabled(if: MediaFolder.has("cockatoo.mp4"), MediaFolder.absence)) func `an old encoder`() throws {
                let path = try #require(MediaFolder.file("cockatoo.mp4"))
                try DecoderStartTests.expectEqualBytes(in: try Studio(), of: path)
            }

            @Test(arguments: [
                ["palette.avi", "-pix_fmt", "pal8", "-c:v", "rawvideo"], ["quirks.avi", "-c:v", "mpeg4", "-g", "25"],
                ["xvid.mkv", "-c:v", "libxvid", "-g", "25"], ["mpeg2.mpg", "-c:v", "mpeg2video", "-g", "25"],
                ["open.mkv", "-c:v", "libx265", "-x265-params", "keyint=25:log-level=none"],
                ["vp8.webm", "-c:v", "libvpx", "-g", "25", "-deadline", "realtime"], ["motion.mkv", "-c:v", "mjpeg"],
                ["theora.ogv", "-c:v", "libtheora", "-g", "25"], ["windows.wmv", "-c:v", "wmv2", "-g", "25"],
                ["spark.flv", "-c:v", "flv", "-g", "25"], ["lossless.mkv", "-c:v", "ffv1", "-g", "25"],
                ["snow.mkv", "-c:v", "snow", "-strict", "-2", "-g", "25", "-qscale:v", "2"],
                ["svq1.mov", "-c:v", "svq1", "-g", "25"], ["vc2.mkv", "-c:v", "vc2", "-strict", "-2"],
                ["real.rm", "-c:v", "rv20", "-g", "25"], ["screen.flv", "-c:v", "flashsv", "-g", "25"],
                ["old.avi", "-c:v", "msmpeg4", "-g", "25"],
                ["h263.mkv", "-s", "176x144", "-c:v", "h263", "-g", "25"], ["cineform.mov", "-c:v", "cfhd"],
                ["prores.mov", "-c:v", "prores_ks"], ["stamps.mp4", "-c:v", "libxvid", "-g", "25", "-bf", "2"],
                ["order.mxf", "-c:v", "libx264", "-g", "25", "-bf", "2"],
                ["first.mpg", "-c:v", "mpeg1video", "-bf", "2"],
                ["av1.mkv", "-c:v", "libaom-av1", "-cpu-used", "8", "-usage", "realtime", "-g", "25"],
                ["vp9.webm", "-c:v", "libvpx-vp9", "-g", "25", "-deadline", "realtime", "-cpu-used", "8"],
                ["joint.ts"] + tone + ["-c:v", "mpeg2video", "-g", "25", "-c:a", "mp2"],
                ["sound.wmv"] + tone + ["-c:v", "wmv1", "-g", "25", "-c:a", "wmav2"],
                ["waves.avi"] + tone + ["-c:v", "mpeg4", "-g", "25", "-c:a", "adpcm_ms"],
            ]) func `other codecs`(_ material: [String]) throws {
                try DecoderStartTests.expectEqualBytes(Array(material.dropFirst()), as: material[0])
            }
        }
    }
}
