import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Subtitle files with something odd in them, and what they look like on other canvases and
    /// with other workers.
    @Suite struct SubtitleInputTests {
        /// The head of an ASS file for a canvas of 320×180, with white letters of one font and
        /// nothing around them.
        private static func head(font: String) -> String {
            "[Script Info]\nScriptType: v4.00+\nPlayResX: 320\nPlayResY: 180\n[V4+ Styles]\n"
                + "Format: Name, Fontname, Fontsize, PrimaryColour, BorderStyle, Outline, Shadow, Alignment\n"
                + "Style: Default,\(font),60,&H00FFFFFF,1,0,0,5\n"
        }

        private static func events(_ text: String) -> String {
            "[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
                + "Dialogue: 0,0:00:00.00,0:00:05.00,Default,,0,0,0,,\(text)\n"
        }

        private func cover(_ studio: Studio, _ name: String, at time: Double) throws -> Data {
            let result = try studio.run(["cover", "edit.lua", "--at", "\(time)", "-o", name, "--overwrite"])
            try #require(result.succeeded, "\(result)")
            return try Data(contentsOf: URL(fileURLWithPath: studio.file(name)))
        }

        // MARK: Cues

        private static func time(_ milliseconds: Int) -> String {
            let (rest, sign) = (abs(milliseconds), milliseconds < 0 ? "-" : "")
            return "\(sign)0:\(rest / 60_000):\(rest / 1000 % 60),\(String(1000 + rest % 1000).dropFirst())"
        }

        /// In no order, over one another and before the beginning; the picture is that of a file
        /// with nothing else than what is shown.
        @Test func `of a hundred thousand cues those are drawn that are shown`() throws {
            var random = SplitMix64(seed: 17)
            let cues = (0..<100_000).map { index in
                let start = Int.random(in: -5000...500_000, using: &random)
                return (start: start, end: start + Int.random(in: -2...30, using: &random), text: "cue \(index)")
            }
            func file(_ cues: [(start: Int, end: Int, text: String)]) -> String {
                cues.map { "7\n\(Self.time($0.start)) --> \(Self.time($0.end))\n\($0.text)\n" }.joined(separator: "\n")
            }
            let studio = try Studio()
            try studio.folder.write(file(cues), to: "all.srt")
            try studio.script("draft.duration = 9\ndraft:add_subtitles(\"all.srt\", { size = 8 })", size: (320, 180))
            let all = try studio.run(["cover", "edit.lua", "--at", "4", "-o", "all.png"])
            try #require(all.succeeded, "\(all)")
            // A cue that ends before it begins is left out, and the first few are reported.
            let warnings = all.stderr.split(separator: "\n")
            #expect(
                (2...4).contains(warnings.count)
                    && warnings.allSatisfy { $0.hasPrefix("cutroom: warning: edit.lua:4: effect 1 (subtitles): ") },
                "\(all)")
            #expect(all.stderr.contains("the cue ends before it has begun, and is left out"), "\(all)")
            let shown = cues.enumerated().filter { $0.element.start <= 4000 && $0.element.end > 4000 }
                .sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
            try #require(shown.count >= 2, "\(shown)")
            try studio.folder.write(file(shown), to: "all.srt")
            #expect(
                try cover(studio, "some.png", at: 4) == Data(contentsOf: URL(fileURLWithPath: studio.file("all.png"))))
        }

        // MARK: Fonts in the file

        /// DejaVu Serif under a name that nothing installed has.
        private static let font: Data? = {
            let found = try? Command.run(["fc-match", "-f", "%{family}\n%{file}", "DejaVu Serif"]).text.split(
                separator: "\n")
            guard let found, found.first == "DejaVu Serif",
                var bytes = found.last.flatMap({ FileManager.default.contents(atPath: String($0)) })
            else { return nil }
            for encoding in [String.Encoding.utf16BigEndian, .utf8] {
                guard let old = "DejaVu".data(using: encoding), let new = "Qutrum".data(using: encoding) else {
                    return nil
                }
                var place = bytes.startIndex
                while let range = bytes.range(of: old, in: place..<bytes.endIndex) {
                    bytes.replaceSubrange(range, with: new)
                    place = range.upperBound
                }
            }
            return bytes
        }()

        /// As ASS files have it: three bytes are four characters of six bits, from ‘!’ on, in lines
        /// of eighty.
        private static func section(_ font: Data) -> String {
            var text: [UInt8] = []
            for start in stride(from: 0, to: font.count, by: 3) {
                let part = Array(font[start..<min(start + 3, font.count)])
                let bits = (0..<3).reduce(0) { $0 << 8 | Int($1 < part.count ? part[$1] : 0) }
                for place in 0...part.count { text.append(UInt8(bits >> (18 - 6 * place) & 63) + 33) }
            }
            let lines = stride(from: 0, to: text.count, by: 80).map {
                String(decoding: text[$0..<min($0 + 80, text.count)], as: UTF8.self)
            }
            return "[Fonts]\nfontname: qutrum_0.ttf\n" + lines.joined(separator: "\n") + "\n"
        }

        @Test(.enabled(if: font != nil, "DejaVu Serif is not installed"))
        func `letters of a font that the file brings`() throws {
            let font = try #require(Self.font)
            let studio = try Studio()
            try studio.script("draft.duration = 1\ndraft:add_subtitles(\"a.ass\")", size: (320, 180))
            func drawn(_ font: String, _ section: String = "") throws -> Data {
                try studio.folder.write(Self.head(font: font) + section + Self.events("Raging"), to: "a.ass")
                return try cover(studio, "a.png", at: 0.5)
            }
            let installed = try drawn("DejaVu Serif")
            #expect(try drawn("Qutrum Serif", Self.section(font)) == installed)
            #expect(try drawn("Qutrum Serif") != installed)
            // Damaged ones are none.
            var noise = SplitMix64(seed: 4)
            let broken = Data((0..<20_000).map { _ in UInt8.random(in: 0...255, using: &noise) })
            #expect(try drawn("Qutrum Serif", Self.section(broken)) == drawn("Qutrum Serif"))
            #expect(try drawn("DejaVu Serif", Self.section(font.prefix(font.count / 2))) == installed)
        }

        // MARK: Canvases and workers

        @Test(arguments: [("hlg", 721.0), ("pq", 572.0)]) func `white is at the reference level of an HDR canvas`(
            color: String, white: Double
        ) throws {
            let studio = try Studio()
            try studio.folder.write("0:0 --> 0:1\n████████\n", to: "a.srt")
            try studio.folder.write(Self.head(font: "Sans") + Self.events("████████"), to: "a.ass")
            try HDRTests.script(
                studio, color,
                """
                draft.duration = 0.4
                draft:add_subtitles("a.srt", { size = 40, outline_width = 0, position = "center", range = { 0, 0.2 } })
                draft:add_subtitles("a.ass", { range = { 0.2, 0.2 } })
                """)
            let shots = try WideShot.all(of: try studio.render())
            try #require(shots.count == 10)
            for frame in [2, 7] {
                let codes = shots[frame].codes(64, 32)
                #expect(abs(codes[0] - white) <= 1 && codes[1] == 512 && codes[2] == 512, "frame \(frame): \(codes)")
            }
        }

        /// Cues, karaoke, ASS that moves and titles that move, over the seams of parts.
        @Test func `any number of workers writes the same bytes`() throws {
            let studio = try Studio()
            let srt = (0..<12).map {
                "\($0)\n\(Self.time($0 * 450)) --> \(Self.time($0 * 450 + 700))\ncue <i>number</i> \($0)\n"
            }
            try studio.folder.write(srt.joined(separator: "\n"), to: "a.srt")
            try studio.folder.write(
                "WEBVTT\n\n0:00.5 --> 0:05.5\n<0:01.0>Row <0:02.0>row <0:03.0>your <0:04.0>boat\n", to: "a.vtt")
            try studio.folder.write(
                Self.head(font: "Sans") + Self.events("{\\move(0,0,300,100)\\fad(300,300)\\k100}mo{\\k100}ving"),
                to: "a.ass")
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 3 } })
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 3 }, speed = 0.75, transition = { "dissolve", 0.5 } })
                draft:add_subtitles("a.srt", { size = 12 })
                draft:add_subtitles("a.vtt", { size = 12, position = "top", highlight = "gold" })
                draft:add_subtitles("a.ass")
                draft:add_title("Letters come", { size = 20, range = { 1, 4 }, enter = { "slide_up", 0.5, { by = "letter", stagger = 0.05 } }, leave = { "spin", 0.5 } })
                draft:add_title("Round", { size = 16, rotation = { { 0, 0 }, { 6, 360, "ease_in_out_back" } }, position = { { 0, { 20, 20 } }, { 6, { 300, 160 } } } })
                """, size: (320, 180))
            let one = try studio.render(to: "one.mp4", with: ["--workers", "1", "--no-cache"])
            let three = try studio.render(to: "three.mp4", with: ["--workers", "3", "--no-cache"])
            #expect(FileManager.default.contentsEqual(atPath: one, andPath: three))
        }
    }
}
