import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Every kind of file, rendered for real and looked at by ffmpeg.
    @Suite struct OutputFormatTests {
        struct Format: CustomTestStringConvertible {
            var name: String
            var options: [String] = []
            /// ffprobe's names; nil: there is no such track.
            var video: String?
            var audio: String?
            var tag: String?
            /// Against the render without loss, in decibels.
            var psnr = 30.0
            /// One of those that stand for their kind in `make test`.
            var isUsual = false
            var testDescription: String { ([name] + options).joined(separator: " ") }
        }

        /// Two segments with sound. AV1 needs 64 lines.
        private static func edit(_ studio: Studio) throws {
            try studio.folder.write(
                """
                local cutroom = require "cutroom"
                local draft = cutroom.draft { size = { 128, 72 }, fps = 25 }
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 2.52 } })
                return draft

                """, to: "edit.lua")
        }
        private static let frames = 63
        private static let samples = 120_960

        static let pictures: [Format] = [
            Format(name: "a.mp4", video: "h264", audio: "aac", tag: "avc1", isUsual: true),
            Format(name: "b.mp4", options: ["--codec", "hevc"], video: "hevc", audio: "aac", tag: "hvc1"),
            Format(name: "c.mp4", options: ["--codec", "av1"], video: "av1", audio: "aac", tag: "av01"),
            Format(
                name: "d.mp4", options: ["--codec", "vp9", "--audio-codec", "opus"], video: "vp9", audio: "opus",
                tag: "vp09"),
            Format(
                name: "e.mov", options: ["--codec", "hevc", "--audio-codec", "aac"], video: "hevc", audio: "aac",
                tag: "hvc1"),
            Format(
                name: "f.mov", options: ["--codec", "prores"], video: "prores", audio: "pcm_s16le", tag: "apcn",
                psnr: 33),
            Format(
                name: "g.mov", options: ["--codec", "prores", "--profile", "4444", "--audio-codec", "pcm_s24"],
                video: "prores", audio: "pcm_s24le", tag: "ap4h", psnr: 36),
            Format(name: "h.webm", video: "vp9", audio: "opus"),
            Format(name: "i.webm", options: ["--codec", "av1"], video: "av1", audio: "opus"),
            Format(name: "j.mkv", video: "h264", audio: "opus"),
            Format(name: "k.mkv", options: ["--codec", "hevc", "--audio-codec", "flac"], video: "hevc", audio: "flac"),
            Format(name: "l.mkv", options: ["--codec", "prores"], video: "prores", audio: "pcm_s16le", psnr: 33),
            Format(
                name: "m.mp4", options: ["--codec", "hevc", "--quality", "0", "--audio-codec", "mp3"], video: "hevc",
                audio: "mp3", tag: "hvc1", psnr: 99),
            Format(
                name: "n.webm", options: ["--codec", "vp9", "--quality", "0"], video: "vp9", audio: "opus", psnr: 99),
            Format(name: "o.gif", video: "gif", psnr: 20, isUsual: true),
        ]

        @Test(arguments: pictures.filter(\.isUsual))
        func `a file holds exactly its frames and samples, whoever renders it`(format: Format) throws {
            try Self.holdsExactly(format)
        }

        private static func holdsExactly(_ format: Format) throws {
            let studio = try Studio()
            try edit(studio)
            let path = try studio.render(to: format.name, with: format.options + ["--workers", "1", "--no-cache"])
            try studio.render(to: "again-" + format.name, with: format.options + ["--workers", "2", "--no-cache"])
            #expect(FileManager.default.contentsEqual(atPath: path, andPath: studio.file("again-" + format.name)))

            #expect(try FFmpeg.probe(path, "stream=codec_name") == format.video)
            #expect(try FFmpeg.probe(path, "stream=codec_name", stream: "a:0") == format.audio ?? "")
            #expect(try FFmpeg.probe(path, "stream=nb_read_frames") == "\(frames)")
            if let tag = format.tag { #expect(try FFmpeg.probe(path, "stream=codec_tag_string") == tag) }
            if format.video != "gif" {
                let tags = try FFmpeg.probe(path, "stream=color_range,color_space,color_transfer,color_primaries")
                #expect(tags.split(separator: "\n") == ["tv", "bt709", "bt709", "bt709"])
            }
            let times = try FFmpeg.probe(path, "frame=pts_time").split(separator: "\n").map {
                Double($0.prefix { $0 != "," }) ?? -1
            }
            for (index, time) in times.enumerated() {
                #expect(abs(time - Double(index) / 25) < 0.0051, "frame \(index)")
            }
            // Matroska has one length, which may count Opus's delay in.
            let length = try #require(Double(try FFmpeg.probe(path, "format=duration")))
            #expect(length > 2.5185 && length < 2.529)
            // At this log level, ffmpeg prints its complaints.
            let decoded = try FFmpeg.run(["-i", path, "-f", "null", "-"])
            #expect(decoded.stderr.isEmpty, "\(decoded)")
            if let audio = format.audio {
                let heard = try FFmpeg.samples(of: path).count
                // An MP4's edit list ends the sound; ffmpeg's decoder gives the last packet whole.
                let isWhole = format.name.hasSuffix("mp4") || audio == "aac"
                #expect(
                    isWhole ? (samples...samples + 1152).contains(heard) : heard == samples, "\(heard)")
            }
            let probe = try studio.run(["probe", path])
            #expect(probe.text.contains("128×72, 25 fps, 2.52 s"), "\(probe)")
            // Matroska's clock counts milliseconds, and PCM's last packet is between two of them.
            let isCoarse = format.name.hasSuffix("mkv") && format.audio == "pcm_s16le"
            if format.audio != nil {
                #expect(probe.text.contains(isCoarse ? "1 channel, 2.5" : "1 channel, 2.52 s"), "\(probe)")
            }

            let reference = studio.file("lossless.mp4")
            try lossless.get().write(to: URL(fileURLWithPath: reference))
            #expect(try psnr(path, reference) >= format.psnr)
        }

        /// Files of so few frames that libavformat makes up lengths of tracks that have none.
        private static let shortFiles = [("a.mkv", 1), ("d.webm", 2), ("e.mp4", 1)]

        @Test(arguments: shortFiles)
        func `a file of a few frames is right too`(name: String, frames: Int) throws {
            let studio = try Studio()
            try studio.script("draft:add_clip(\(try Footage.pattern.lua), { range = { 0, \(frames)/25 } })", fps: "25")
            #expect(try FFmpeg.probe(try studio.render(to: name), "stream=nb_read_frames") == "\(frames)")
            let probe = try studio.run(["probe", name]).text
            #expect(probe.contains("25 fps, \(Double(frames) / 25) s"), "\(probe)")
        }

        /// The file of the same draft without loss, rendered once.
        private static let lossless = Result {
            let studio = try Studio()
            try edit(studio)
            return try Data(contentsOf: URL(fileURLWithPath: try studio.render(with: ["--quality", "0"])))
        }

        static let sounds: [Format] = [
            Format(name: "a.wav", audio: "pcm_s16le"),
            Format(name: "b.wav", options: ["--audio-codec", "pcm_s24"], audio: "pcm_s24le"),
            Format(name: "c.flac", audio: "flac", isUsual: true), Format(name: "d.mp3", audio: "mp3", isUsual: true),
            Format(name: "e.opus", audio: "opus"),
            Format(name: "f.m4a", audio: "aac"),
        ]

        @Test(arguments: sounds.filter(\.isUsual))
        func `a file of sound is as long as its draft and begins with it`(format: Format) throws {
            let studio = try Studio()
            let click = try Footage.made(
                "click-at-one.wav",
                [
                    "-f", "lavfi", "-i", "aevalsrc='if(lt(abs(t-1),0.0005),0.8,0)':sample_rate=48000:duration=2",
                ])
            try studio.script(
                "draft:add_clip(\(Footage.pattern.lua), { range = { 0, 2 }, volume = 0 })\ndraft:add_audio(\(click.lua))"
            )
            let path = try studio.render(to: format.name, with: format.options + ["--workers", "1", "--no-cache"])
            try studio.render(to: "again-" + format.name, with: format.options + ["--workers", "2", "--no-cache"])
            #expect(FileManager.default.contentsEqual(atPath: path, andPath: studio.file("again-" + format.name)))
            #expect(try FFmpeg.probe(path, "stream=codec_name", stream: "a:0") == format.audio)
            #expect(try Movie(path).picture == nil)
            let samples = try FFmpeg.samples(of: path)
            #expect(
                samples.count == 96_000 || format.audio == "aac" && samples.count - 96_000 < 1024, "\(samples.count)")
            let peak = try #require(samples.indices.max { abs(samples[$0]) < abs(samples[$1]) })
            #expect(abs(peak - 48_000) < 40, "the click is at \(peak)")
            #expect(try studio.run(["probe", path]).text.contains("1 channel, 2 s"))
        }

        @Test func `the index of a web file comes first`() throws {
            let studio = try Studio()
            try studio.script("draft:add_clip(\(Footage.silent.lua), { range = { 0, 0.5 } })")
            let file = try Data(contentsOf: URL(fileURLWithPath: try studio.render(to: "a.webm")))
            // The identifiers of Cues and Cluster (RFC 9559, 5.1).
            let (cues, cluster) = (
                file.range(of: Data([0x1C, 0x53, 0xBB, 0x6B])), file.range(of: Data([0x1F, 0x43, 0xB6, 0x75]))
            )
            // The first place of the cues' identifier may be the seek head's, which names it.
            #expect(try #require(cues).lowerBound < (try #require(cluster)).lowerBound)
        }

        /// Noise that its source could not afford; the usual quality alone would keep all of what
        /// is left of it.
        @Test func `a film of a low bit rate does not become much larger`() throws { try Self.isHeld("h264", 21) }

        /// A short file is mostly its key frame: what it may have is the ceiling for its length,
        /// and one second more.
        @Test(arguments: [5, 13, 25, 50, 100]) func `a short film keeps the bound of the ceiling`(frames: Int) throws {
            try Self.keepsBound("h264", frames: frames)
        }

        private static func keepsBound(_ codec: String, frames: Int) throws {
            let studio = try Studio()
            let noise = try Self.noise()
            try studio.script(
                "draft:add_clip(\(noise.lua), { range = { 0, \(Double(frames) / 25) } }) draft.export = {}",
                size: (320, 180), fps: "25")
            let held = try studio.render(with: ["--codec", codec])
            let sizes = try FFmpeg.probe(held, "packet=size").split(separator: "\n").compactMap { Int($0) }
            #expect(sizes.count == frames)
            let rate = try #require(Double(try FFmpeg.probe(noise, "stream=bit_rate")))
            let bits = Double(sizes.reduce(0, +)) * 8
            let (seconds, segments) = (Double(frames) / 25, Double(max(1, frames / 50)))
            #expect(bits <= rate * (seconds + segments), "\(bits) bits, at \(rate) in a second")
            // The ceiling binds: without it there are more.
            let free = try studio.render(to: "free.mp4", with: ["--codec", codec, "--quality", "21"])
            let all = try FFmpeg.probe(free, "packet=size").split(separator: "\n").compactMap { Int($0) }
            #expect(all.reduce(0, +) > sizes.reduce(0, +))
        }

        private static func noise() throws -> String {
            try Footage.made(
                "noise-600k.mp4",
                [
                    "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=4,noise=alls=80:allf=t:all_seed=1", "-c:v",
                    "libx264", "-b:v", "600k",
                    "-maxrate", "600k", "-bufsize", "300k",
                ])
        }

        /// - Parameter usual: the quality that the codec has where nothing is said.
        private static func isHeld(_ codec: String, _ usual: Int) throws {
            let studio = try Studio()
            let noise = try Self.noise()
            try studio.folder.write(
                "local draft = require('cutroom').draft { size = { 320, 180 }, fps = 25 } draft:add_clip(\(noise.lua)) return draft",
                to: "edit.lua")
            func size(_ path: String) throws -> Int { try Data(contentsOf: URL(fileURLWithPath: path)).count }
            let source = try size(noise)
            let usualSize = try size(
                try studio.render(to: "free.mp4", with: ["--codec", codec, "--quality", "\(usual)"]))
            let held = try studio.render(to: "held.mp4", with: ["--codec", codec])
            let heldSize = try size(held)
            #expect(heldSize * 2 < source * 3, "\(heldSize) bytes from \(source)")
            #expect(usualSize > source * 3 / 2, "without the ceiling \(usualSize) bytes from \(source)")
            #expect(try FFmpeg.probe(held, "stream=nb_read_frames") == "100")
            #expect(try psnr(held, noise) > 15)
        }

        @Test func `a bit rate is kept over the whole file`() throws {
            let studio = try Studio()
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 4 } })
                draft:add_image(\(Footage.still.lua), { duration = 4 })
                draft.export = { video = { bit_rate = 250000, preset = "ultrafast" } }
                """)
            let plan = try studio.run(["plan", "edit.lua"])
            #expect(plan.text.contains("250 kbit/s"), "\(plan)")
            let path = try studio.render(with: ["--workers", "1", "--no-cache"])
            try studio.render(to: "again.mp4", with: ["--workers", "2"])
            #expect(FileManager.default.contentsEqual(atPath: path, andPath: studio.file("again.mp4")))
            let sizes = try FFmpeg.probe(path, "packet=size").split(separator: "\n").compactMap { Int($0) }
            #expect(sizes.count == 240)
            let rate = Double(sizes.reduce(0, +)) * 8 / 8
            #expect(abs(rate / 250_000 - 1) < 0.1, "\(rate) bits per second")
        }

        /// All kinds of files, and the slow codecs.
        @Suite struct Sweep {
            @Test(arguments: pictures)
            func `a file holds exactly its frames and samples, whoever renders it`(format: Format) throws {
                try holdsExactly(format)
            }

            @Test(arguments: shortFiles + [("b.mkv", 2), ("c.mkv", 3)])
            func `a file of a few frames is right too`(name: String, frames: Int) throws {
                try OutputFormatTests().`a file of a few frames is right too`(name: name, frames: frames)
            }

            @Test(arguments: sounds)
            func `a file of sound is as long as its draft and begins with it`(format: Format) throws {
                try OutputFormatTests().`a file of sound is as long as its draft and begins with it`(format: format)
            }

            @Test(arguments: [5, 13, 25, 50, 100])
            func `a short film keeps the bound of the ceiling`(frames: Int) throws {
                try keepsBound("hevc", frames: frames)
            }

            @Test(arguments: [("hevc", 23), ("vp9", 32), ("av1", 32)])
            func `a film of a low bit rate does not become much larger`(codec: String, usual: Int) throws {
                try isHeld(codec, usual)
            }
        }

        /// The luma plane's PSNR in decibels; 100 for equal pictures.
        private static func psnr(_ path: String, _ reference: String) throws -> Double {
            func luma(_ path: String) throws -> Data {
                try FFmpeg.run([
                    "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-vf",
                    "scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd+full_chroma_inp,format=yuv420p,extractplanes=y",
                    "-f", "rawvideo", "-",
                ]).stdout
            }
            let (a, b) = (try luma(path), try luma(reference))
            try #require(a.count == b.count && !a.isEmpty)
            var error = 0
            a.withUnsafeBytes { a in
                b.withUnsafeBytes { b in
                    for i in 0..<a.count { error += (Int(a[i]) - Int(b[i])) * (Int(a[i]) - Int(b[i])) }
                }
            }
            return error == 0 ? 100 : 10 * log10(255 * 255 * Double(a.count) / Double(error))
        }
    }
}
