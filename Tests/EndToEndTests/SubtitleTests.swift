import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Subtitles, over the picture and as tracks.
    @Suite struct SubtitleTests {
        private static let srt =
            "1\n00:00:00,500 --> 00:00:01,000\n<i>One</i> & more\n\n2\n00:00:01,234 --> 00:00:01,750\nTwo\nlines\n"
            + "\n3\n00:00:01,500 --> 00:00:01,900\nOver\n"

        struct Packets: Decodable {
            struct Packet: Decodable {
                var pts_time: String
                var duration_time: String?
                var size: String
            }
            struct Stream: Decodable {
                var codec_name: String
                var codec_type: String
                var tags: [String: String]?
            }
            var packets: [Packet]
            var streams: [Stream]
        }

        private func track(of path: String) throws -> Packets {
            let output = try Command.run([
                "ffprobe", "-v", "error", "-select_streams", "s", "-show_packets", "-show_streams", "-of", "json", path,
            ])
            try #require(output.succeeded, "\(output)")
            return try JSONDecoder().decode(Packets.self, from: output.stdout)
        }

        /// The cues as ffmpeg reads them back.
        private func texts(of path: String) throws -> String {
            let output = try Command.run([
                "ffmpeg", "-v", "error", "-copyts", "-i", path, "-map", "0:s:0", "-f", "srt", "-",
            ])
            try #require(output.succeeded, "\(output)")
            return output.text.replacingOccurrences(of: "\r\n", with: "\n")
        }

        @Test(arguments: [("mp4", "mov_text"), ("webm", "webvtt")])
        func `a track of its own`(container: String, codec: String) throws {
            let studio = try Studio()
            try studio.folder.write(Self.srt, to: "talk.srt")
            try studio.script(
                """
                draft.export = {}
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 2 } })
                draft:add_subtitles("talk.srt", { as = "track", language = "eng" })
                """)
            let path = try studio.render(to: "out." + container)
            let found = try track(of: path)
            #expect(found.streams.map(\.codec_name) == [codec] && found.streams.first?.tags?["language"] == "eng")
            #expect(found.packets.allSatisfy { $0.duration_time != "N/A" }, "nothing has no length")
            let starts = found.packets.filter { $0.size != "2" }.compactMap { Double($0.pts_time) }
            let wanted = codec == "mov_text" ? [0.5, 1.234, 1.5, 1.75] : [0.5, 1.234, 1.5]
            #expect(
                starts.count == wanted.count && zip(starts, wanted).allSatisfy { abs($0 - $1) <= 0.001 }, "\(starts)")
            let texts = try texts(of: path)
            #expect(
                texts.contains("00:00:00,500 --> 00:00:01,000") && texts.contains("One") && texts.contains("& more"))
            #expect(texts.contains("Two\nlines") && texts.contains("Over"))
            let movie = try Movie(path)
            #expect(movie.frames == 60)
        }

        /// MOV has numbers for some languages, which libavformat knows by one name each.
        @Test func `a MOV keeps the languages that it can store, and says which it cannot`() throws {
            let studio = try Studio()
            try studio.folder.write(Self.srt, to: "talk.srt")
            let stored = [
                ("deu", "ger"), ("ger", "ger"), ("fra", "fra"), ("fre", "fra"), ("nld", "dut"), ("zho", "chi"),
                ("ces", "ces"), ("swe", "sve"), ("hrv", "hr "), ("gle", "iri"), ("eng", "eng"), ("jpn", "jpn"),
                ("jav", "jav"), ("cym", "wel"), ("xyz", nil), ("fas", nil),
            ]
            var lines = ["draft:add_clip(\(try Footage.pattern.lua), { range = { 0, 2 } })"]
            lines += stored.map { "draft:add_subtitles('talk.srt', { as = 'track', language = '\($0.0)' })" }
            try studio.script(lines.joined(separator: "\n"))
            let made = try studio.run(["render", "edit.lua", "-o", "out.mov", "--workers", "1"])
            try #require(made.succeeded, "\(made)")
            let languages = try track(of: studio.file("out.mov")).streams.map { $0.tags?["language"] }
            #expect(languages == stored.map(\.1), "\(languages)")
            let warnings = made.stderr.split(separator: "\n").filter { $0.contains("language") }
            #expect(warnings.count == 3, "\(made.stderr)")
            #expect(warnings.count { $0.contains(/edit\.lua:\d+: effect 15 .*‘xyz’/) } == 2, "\(warnings)")
            #expect(warnings.count { $0.contains(/edit\.lua:\d+: effect 16 .*mov cannot store .*‘fas’/) } == 1)
            // The same draft in another kind of file keeps them all.
            let other = try studio.run(["render", "edit.lua", "-o", "out.mkv", "--workers", "1"])
            #expect(!other.stderr.contains("cannot store"), "\(other.stderr)")
            #expect(
                try track(of: studio.file("out.mkv")).streams.map { $0.tags?["language"] } == stored.map(\.0))
        }

        @Test func `an ASS file stays one in Matroska, and becomes text elsewhere`() throws {
            let studio = try Studio()
            let ass =
                "[Script Info]\nScriptType: v4.00+\n[V4+ Styles]\nFormat: Name, Fontname, Fontsize\n"
                + "Style: Default,Sans,20\n[Events]\n"
                + "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
                + "Dialogue: 0,0:00:00.25,0:00:01.00,Default,,0,0,0,,{\\b1}One,\\Ntwo\n"
            try studio.folder.write(ass, to: "talk.ass")
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 2 } })
                draft:add_subtitles("talk.ass", { as = "track", name = "Signs" })
                """)
            let kept = try track(of: try studio.render(to: "out.mkv"))
            #expect(kept.streams.map(\.codec_name) == ["ass"] && kept.streams.first?.tags?["title"] == "Signs")
            #expect(kept.packets.compactMap { Double($0.pts_time) } == [0.25])
            #expect(try texts(of: try studio.render(to: "out.mp4")).contains("One,\ntwo"))
        }

        /// What ffmpeg's filter makes of a film and a subtitle file.
        private static func filtered(_ film: String, _ subtitles: String, in studio: Studio) throws -> [Shot] {
            let path = studio.file("theirs.mkv")
            try FFmpeg.run([
                "-i", film, "-vf", "format=gbrp,subtitles=\(subtitles),format=yuv420p", "-c:v", "ffv1", path,
            ])
            return try Shot.all(of: path)
        }

        /// White text where and when it should be, beside ffmpeg's own filter.
        @Test func `cues are over the picture while they are shown`() throws {
            let studio = try Studio()
            try studio.folder.write(Self.srt, to: "talk.srt")
            let black = try Footage.made(
                "black.mp4", ["-f", "lavfi", "-i", "color=black:s=320x180:r=30:d=2", "-pix_fmt", "yuv420p"])
            try studio.script(
                """
                draft:add_clip(\(black.lua))
                draft:add_subtitles("talk.srt", { size = 20, outline_width = 1, margin = 10 })
                """, size: (320, 180))
            let shots = try Shot.all(of: try studio.render())
            try #require(shots.count == 60)
            /// Rows with white, as a range; nil for none.
            func rows(_ shot: Shot) -> ClosedRange<Int>? {
                let found = (0..<180).filter { y in (0..<320).contains { shot.sample(0, $0, y) > 200 } }
                return found.first.flatMap { first in found.last.map { first...$0 } }
            }
            let shown = shots.map(rows)
            for (frame, rows) in shown.enumerated() {
                let time = Double(frame) / 30
                let isOn = (time >= 0.5 && time < 1) || (time >= 1.234 && time < 1.9)
                #expect((rows != nil) == isOn, "frame \(frame): \(String(describing: rows))")
            }
            // Its letters are other ones; when they are seen is the same.
            let theirs = try Self.filtered(black, studio.file("talk.srt"), in: studio)
            #expect(theirs.map { $0.luma.contains { $0 > 100 } } == shown.map { $0 != nil })
            let (one, two, three) = (try #require(shown[20]), try #require(shown[40]), try #require(shown[50]))
            #expect(
                abs(one.upperBound - two.upperBound) <= 1 && abs(two.upperBound - three.upperBound) <= 1,
                "one base line")
            #expect(two.lowerBound < one.lowerBound && three.lowerBound < two.lowerBound, "lines grow upwards")
            #expect((150...175).contains(one.upperBound))
            // One cue changes: the other part is found again.
            try studio.folder.write(Self.srt.replacingOccurrences(of: "One", with: "Uno"), to: "talk.srt")
            #expect(try Shot.all(of: try studio.render(to: "again.mp4"))[50] == shots[50])
        }

        @Test func `ASS looks as ffmpeg's filter draws it`() throws {
            let studio = try Studio()
            let ass =
                "[Script Info]\nScriptType: v4.00+\nPlayResX: 320\nPlayResY: 180\n[V4+ Styles]\n"
                + "Format: Name, Fontname, Fontsize, PrimaryColour, OutlineColour, BackColour, Bold, Italic, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding\n"
                + "Style: Default,Sans,28,&H0000FFFF,&H00FF0000,&H80000000,1,0,1,2,1,2,10,10,12,1\n[Events]\n"
                + "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
                + "Dialogue: 0,0:00:00.20,0:00:01.00,Default,,0,0,0,,{\\fad(200,200)}Fading text\n"
                + "Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\\k40}ka{\\k40}ra{\\k40}oke\n"
                + "Dialogue: 1,0:00:00.00,0:00:02.00,Default,,0,0,0,,{\\an8\\move(0,0,200,40)}moves\n"
            let path = try studio.folder.write(ass, to: "talk.ass")
            let black = try Footage.made(
                "grey.mp4", ["-f", "lavfi", "-i", "color=gray:s=320x180:r=30:d=2", "-pix_fmt", "yuv420p"])
            try studio.script(
                "draft:add_clip(\(black.lua))\ndraft:add_subtitles(\"talk.ass\")", size: (320, 180))
            let ours = try Shot.all(of: try studio.render())
            let theirs = try Self.filtered(black, path, in: studio)
            try #require(ours.count == 60 && theirs.count == 60)
            for frame in [3, 10, 20, 27, 40, 55] {
                let noise = ours[frame].psnr(theirs[frame])
                #expect(noise >= 30, "frame \(frame): \(noise) dB")
            }
        }

        /// Each container that has tracks of text.
        @Suite struct Sweep {
            @Test(arguments: [("mp4", "mov_text"), ("mov", "mov_text"), ("mkv", "subrip"), ("webm", "webvtt")])
            func `a track of its own`(container: String, codec: String) throws {
                try SubtitleTests().`a track of its own`(container: container, codec: codec)
            }
        }
    }
}
