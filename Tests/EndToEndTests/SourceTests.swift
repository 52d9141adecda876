import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Generated clips and overlays in real renders.
    @Suite struct SourceTests {
        private static func plugin(_ defines: [String] = [], as name: String = "source", in studio: Studio) throws {
            try Fixture.plugin("source", defines, as: name, in: studio)
        }

        /// Red and alpha are the parameters', green is the frame's number, blue the seed.
        private static func red(_ shot: Shot) -> Double { shot.mean(64, 32, 32, 32).red }
        private static func green(_ shot: Shot) -> Int { Int(shot.mean(64, 32, 32, 32).green.rounded()) }

        /// With a gradient as a clip, a transition into a video, and a waveform and a spectrum over
        /// both; from a script and from its document, by one worker and by two.
        @Test func `any number of workers writes the same bytes`() throws {
            let studio = try Studio()
            try studio.script(
                """
                draft:add_source("org.cutroom.gradient", { duration = 3, speed = 0.2, angle = function(t) return 30 * t end })
                draft:add_clip(\(Footage.pattern.lua), { transition = { "dissolve", 1 } })
                draft:add_effect("org.cutroom.waveform", { media = \(Footage.pattern.lua), rect = { 5, 50, 151, 41 }, offset = -2 })
                draft:add_effect("org.cutroom.spectrum", { media = \(Footage.pattern.lua), rect = { -20, -5, 80, 40 }, opacity = { { 0, 0 }, { 5, 1 } }, range = { 1, 5 } })
                draft:add_effect("repeat", { range = { 1.5, 1 }, count = 2 })
                """)
            let one = try studio.render(to: "one.mp4", with: ["--workers", "1", "--no-cache"])
            let two = try studio.render(to: "two.mp4", with: ["--workers", "2", "--no-cache"])
            #expect(FileManager.default.contentsEqual(atPath: one, andPath: two))
            let movie = try Movie(one)
            #expect(movie.frames == 210 && movie.sound != nil)
            #expect(try studio.run(["save", "edit.lua", "-o", "edit.cutroom"]).succeeded)
            let third = try studio.render("edit.cutroom", to: "three.mp4", with: ["--workers", "2", "--no-cache"])
            #expect(FileManager.default.contentsEqual(atPath: one, andPath: third))
            // Its snapshots are its frames.
            let shots = try Shot.all(of: one)
            #expect(try studio.run(["cover", "edit.lua", "--at", "2.2", "-o", "cover.png"]).succeeded)
            #expect(try Shot.all(of: studio.file("cover.png"))[0].psnr(shots[66]) > 30)
        }

        /// A media file in place of a script, also with a name that says nothing.
        @Test func `a video file is a draft of one clip`() throws {
            let studio = try Studio()
            try FileManager.default.copyItem(atPath: try Footage.pattern, toPath: studio.file("footage"))
            try studio.folder.write("return require('cutroom').draft('footage')\n", to: "edit.lua")
            let names = ["footage", "edit.lua"]
            let plans = try names.map { try studio.run(["plan", $0, "--json"]).text }
            #expect(plans[0] == plans[1] && plans[0].contains("segments"))
            for name in names { #expect(try studio.run(["save", name, "-o", name + ".cutroom"]).succeeded) }
            #expect(
                try String(contentsOfFile: studio.file("footage.cutroom"), encoding: .utf8)
                    == String(contentsOfFile: studio.file("edit.lua.cutroom"), encoding: .utf8))
            try studio.render("footage", to: "out.mp4")
            #expect(try Movie(studio.file("out.mp4")).frames == Movie(try Footage.pattern).frames)
        }

        private struct Plan: Decodable {
            struct Segment: Decodable { var key: String }
            var libraries: String
            var segments: [Segment]

            init(_ beginning: String) throws {
                let studio = try Studio()
                try studio.script(beginning + "draft:add_source('org.cutroom.gradient', { duration = 1 })")
                let result = try studio.run(["plan", "edit.lua", "--json"])
                if !result.succeeded { Issue.record("\(result)") }
                self = try JSONDecoder().decode(Plan.self, from: result.stdout)
            }
        }

        /// What is kept under a key must not outlive the libraries that made it.
        @Test func `a draft that names no file has keys with the libraries too`() throws {
            let plain = try Plan("")
            #expect(plain.libraries.contains("avcodec "))
            let probing = try Plan("require('cutroom').probe(\(Footage.pattern.lua)) ")
            #expect(probing.segments[0].key == plain.segments[0].key)
        }

        @Test func `a clip is made for its own time and lies over the background`() throws {
            let studio = try Studio()
            try Self.plugin(in: studio)
            try studio.script(
                """
                draft.background = "#ffffff"
                draft:add_source("test.source", { duration = 1, alpha = 0 })
                draft:add_source("test.source", { duration = 1, alpha = 0.5, red = 0 })
                draft:add_source("test.source", { duration = 2, red = function(t) return t / 2 end })
                draft:add_effect("speed", { range = { 2, 2 }, factor = 2 })
                """)
            let shots = try Shot.all(of: try studio.render())
            try #require(shots.count == 90)
            #expect(shots[15].mean.distance(Shot.RGB(0xffffff)) < 3)
            // Half of (0, 15, seed) and half of white.
            let half = shots[45].mean
            #expect(abs(half.red - 127.5) < 3 && abs(half.green - (255 + 15) / 2) < 3, "\(half)")
            // In the third second two of the clip's pass: frame n shows the clip's 2n.
            for frame in [0, 10, 29] {
                let mean = shots[60 + frame].mean
                #expect(
                    abs(mean.red - 255 * Double(frame) / 30) < 4 && abs(mean.green - Double(2 * frame)) < 4,
                    "frame \(frame): \(mean)")
            }
        }

        /// Rectangles of odd numbers, within the picture and beyond its edge.
        private static let rects = [[21, 11, 61, 41], [-30, -20, 61, 41]]

        /// An overlay is as large as its rectangle, wherever that lies, with its own alpha and
        /// `opacity`; the rest of the picture stays.
        @Test(arguments: rects)
        func `an overlay fills its rectangle`(rect: [Int]) throws {
            let studio = try Studio()
            try Self.plugin(in: studio)
            try studio.script(
                """
                draft:add_clip(\(try Footage.solid("0x0000ff").lua))
                draft:add_effect("test.source", { rect = { \(rect.map(String.init).joined(separator: ", ")) }, range = { 0, 1 }, opacity = 0.5, alpha = 0.5 })
                """)
            let shots = try Shot.all(of: try studio.render(with: ["--quality", "0"]))
            let (left, top) = (max(0, rect[0]) + 4, max(0, rect[1]) + 4)
            let (right, bottom) = (min(160, rect[0] + rect[2]) - 4, min(96, rect[1] + rect[3]) - 4)
            let (with, without) = (shots[20], shots[45])
            // A quarter of red.
            let inside = with.mean(left, top, right - left, bottom - top)
            #expect(abs(inside.red - 64) < 4, "\(inside)")
            for y in 0..<96 {
                for x in 0..<160
                where x < rect[0] - 2 || x > rect[0] + rect[2] + 1 || y < rect[1] - 2 || y > rect[1] + rect[3] + 1 {
                    #expect(abs(with.sample(0, x, y) - without.sample(0, x, y)) <= 1)
                }
            }
        }

        @Test func `entries of one effect draw different random numbers`() throws {
            let studio = try Studio()
            try Self.plugin(in: studio)
            try studio.script(
                """
                draft:add_source("test.source", { duration = 0.2, red = 0 })
                draft:add_source("test.source", { duration = 0.2, red = 0 })
                """)
            let shots = try Shot.all(of: try studio.render(with: ["--quality", "0"]))
            let blues = shots.map { Int($0.mean.blue.rounded()) }
            #expect(
                shots.count == 12 && zip(blues[..<6], blues[6...]).filter { abs($0 - $1) > 8 }.count >= 4, "\(blues)")
        }

        /// A source with state counts its frames: one run from the clip's start, and anew when the
        /// clip is played again.
        @Test func `a source with state begins anew where its clip does`() throws {
            let studio = try Studio()
            try Self.plugin(["COUNTS", "SOURCE_STATE=CUTROOM_STATE_SEQUENTIAL"], in: studio)
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 1 } })
                draft:add_source("test.source", { duration = 3, red = 0 })
                draft:add_effect("repeat", { range = { 1, 3 }, count = 2 })
                """)
            let one = try studio.render(to: "one.mp4", with: ["--workers", "1", "--no-cache", "--quality", "0"])
            let two = try studio.render(to: "two.mp4", with: ["--workers", "2", "--no-cache", "--quality", "0"])
            #expect(FileManager.default.contentsEqual(atPath: one, andPath: two))
            let shots = try Shot.all(of: one)
            try #require(shots.count == 210)
            for frame in stride(from: 2, to: 90, by: 8) {
                for start in [30, 120] {
                    #expect(
                        abs(shots[start + frame].mean.blue - Double(frame)) < 3,
                        "frame \(start + frame): \(shots[start + frame].mean)")
                }
            }
        }

        /// What `plugin new` makes renders as its own README says.
        @Test func `a new project's source renders at once`() throws {
            let studio = try Studio()
            #expect(try studio.run(["plugin", "new", "board", "--lang", "c", "--kind", "source"]).succeeded)
            #expect(try Command.run(["make", "-C", studio.file("board")]).succeeded)
            let readme = try String(contentsOfFile: studio.file("board/README.md"), encoding: .utf8)
            let line = try #require(readme.split(separator: "\n").first { $0.contains("draft:add_source(") })
            try studio.script(String(line).replacing(/size = [0-9]+/, with: "size = 48"))
            let shots = try Shot.all(
                of: try studio.render(with: ["--plugin-path", "board/board.so", "--quality", "0"]))
            #expect(shots.count == 90)
            // Light and dark squares of 48 pixels, which move to the left by a pixel in each frame.
            let (dark, light) = (Shot.RGB(30, 60, 110), Shot.RGB(240, 200, 120))
            #expect(shots[0].mean(8, 8, 32, 32).distance(dark) < 5 && shots[0].mean(56, 8, 32, 32).distance(light) < 5)
            #expect(shots[48].mean(8, 8, 32, 32).distance(light) < 5)
        }

        // MARK: Formats

        @Test(arguments: ["CUTROOM_FORMAT_RGBAF32", "CUTROOM_FORMAT_YUV420P8,CUTROOM_FORMAT_RGBA8"])
        func `sources of other formats`(formats: String) throws {
            let studio = try Studio()
            try Self.plugin(["FIXTURE_FORMATS=\(formats)"], in: studio)
            try studio.script(
                """
                draft:add_source("test.source", { duration = 1, red = 0.5 })
                draft:add_clip(\(try Footage.solid("0x0000ff").lua), { range = { 0, 1 } })
                draft:add_effect("test.source", { rect = { 41, 21, 81, 61 }, range = { 1, 1 }, opacity = 0.5 })
                """)
            let shots = try Shot.all(of: try studio.render(with: ["--quality", "0"]))
            let isFloat = formats.hasSuffix("F32")
            // 4:2:0 of half luma is grey.
            #expect(
                abs(shots[10].mean.red - 127.5) < 3 && (isFloat || abs(shots[10].mean.green - 127.5) < 3),
                "\(shots[10].mean)")
            let over = shots[40].mean(60, 40, 32, 24)
            #expect(abs(over.red - 127.5) < 4, "\(over)")
            #expect(shots[40].mean(0, 0, 32, 16).distance(Shot.RGB(0x0000ff)) < 4)
        }

        /// On an HDR canvas a source makes floats as the canvas encodes them: white is at the
        /// reference level.
        @Test(arguments: [("hlg", 721.0), ("pq", 572.0)]) func `an HDR canvas`(color: String, white: Double) throws {
            let studio = try Studio()
            try HDRTests.script(
                studio, color,
                """
                draft:add_source("org.cutroom.gradient", { duration = 1, color = "#ffffff", color_2 = "#ffffff" })
                draft:add_source("org.cutroom.gradient", { duration = 1, color = "#000000", color_2 = "#000000" })
                draft:add_effect("org.cutroom.gradient", { color = "#ffffff", color_2 = "#ffffff", rect = { 31, 17, 65, 31 }, range = { 1, 1 } })
                draft:add_effect("org.cutroom.waveform", { rect = { 0, 0, 16, 16 }, range = { 1, 1 } })
                """)
            let one = try studio.render(with: ["--workers", "1", "--no-cache"])
            let shots = try WideShot.all(of: one)
            let (clip, over, beside) = (shots[10].codes(64, 32), shots[40].codes(64, 32), shots[40].codes(8, 56))
            #expect(abs(clip[0] - white) <= 2 && clip[1] == 512 && clip[2] == 512, "\(clip)")
            #expect(abs(over[0] - white) <= 2 && abs(beside[0] - 64) <= 1, "\(over) beside \(beside)")
            let two = try studio.render(to: "two.mp4", with: ["--workers", "2", "--no-cache"])
            #expect(FileManager.default.contentsEqual(atPath: one, andPath: two))
            // One that makes bytes is refused there.
            try Self.plugin(in: studio)
            try HDRTests.script(studio, color, "draft:add_source('test.source', { duration = 1 })")
            let refused = try studio.run(["check", "edit.lua"])
            #expect(
                refused.status == 65 && refused.stderr.contains("‘test.source’ works with 8 bits only"), "\(refused)")
        }

        // MARK: Failures

        private static func failing(_ studio: Studio) throws {
            try studio.script(
                """
                draft.background = "#00ff00"
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 2 } })
                draft:add_source("test.source", { duration = 4, while_there = \(studio.file("broken").lua) })
                """)
            try studio.folder.write("", to: "broken")
        }

        /// A crash, and what only a source cannot do.
        private static let faults: [(String, String, [String])] = [
            ("CRASHES", "three times", []),
            ("PASSES", "passes its input on (CUTROOM_PASS), and a source has none", []),
        ]

        @Test(arguments: faults)
        func `one that fails is named, and skipped where that is wished`(
            define: String, words: String, options: [String]
        ) throws {
            let studio = try Studio()
            try Self.plugin([define], in: studio)
            try Self.failing(studio)
            let failed = try studio.run(
                ["render", "edit.lua", "-o", "out.mp4", "--workers", "1"] + options, timeout: 120)
            #expect(failed.status == 70, "\(failed)")
            for part in [words, "test.source", studio.file("plugins/source.so"), "frame 100"] {
                #expect(failed.stderr.contains(part), "no ‘\(part)’ in: \(failed.stderr)")
            }
            let skipped = try studio.run(
                ["render", "edit.lua", "-o", "out.mp4", "--workers", "1", "--on-plugin-failure", "skip"] + options,
                timeout: 120)
            #expect(skipped.status == 0 && skipped.stderr.contains("without the effect ‘test.source’"), "\(skipped)")
            let shots = try Shot.all(of: studio.file("out.mp4"))
            try #require(shots.count == 180)
            // Frame 40 of the clip lies in the second of its two segments of two seconds: that
            // shows the background, the others are made.
            for (frame, shot) in shots.enumerated() where frame >= 60 && frame % 7 == 0 {
                let isMade = frame >= 120
                #expect(isMade == (shot.mean.red > 200), "frame \(frame): \(shot.mean)")
                if !isMade { #expect(shot.mean.distance(Shot.RGB(0x00ff00)) < 4) }
            }
        }

        /// With guarded memory the frames are the same.
        @Test func `paranoia changes nothing`() throws {
            let studio = try Studio()
            try studio.script(
                """
                draft:add_source("org.cutroom.gradient", { duration = 1, speed = 1 })
                draft:add_effect("org.cutroom.waveform", { media = \(Footage.tone.lua), rect = { 3, 3, 101, 51 } })
                """)
            let plain = try studio.render(to: "plain.mp4", with: ["--no-cache"])
            let guarded = try studio.render(to: "guarded.mp4", with: ["--no-cache", "--paranoid"])
            #expect(FileManager.default.contentsEqual(atPath: plain, andPath: guarded))
        }

        /// A file that a source reads is part of the keys of the segments that show it.
        @Test func `another sound is another picture`() throws {
            let studio = try Studio()
            try FFmpeg.run(["-f", "lavfi", "-i", "sine=300:d=4", studio.file("a.wav")])
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 2 } })
                draft:add_source("org.cutroom.waveform", { duration = 2, media = "a.wav" })
                """)
            try studio.render()
            let before = try Shot.all(of: studio.file("out.mp4"))
            try FFmpeg.run(["-y", "-f", "lavfi", "-i", "sine=300:d=4,volume=8", studio.file("a.wav")])
            let again = try studio.run(["render", "edit.lua", "-o", "out.mp4", "--overwrite", "--progress", "json"])
            #expect(try ProgressLines(again.text).last("completed")?.segmentsFromCache == 1, "\(again)")
            let after = try Shot.all(of: studio.file("out.mp4"))
            #expect(before[30] == after[30] && after[90].mean.red > before[90].mean.red + 20)
        }

        // MARK: frei0r

        @Test(.enabled(if: Frei0rTests.isInstalled, Frei0rTests.absence)) func `sources of frei0r`() throws {
            let studio = try Studio()
            try studio.script(
                """
                draft.background = "#0000ff"
                draft:add_source("frei0r.onecol0r", { duration = 0.5, color = "#ff8000" })
                draft:add_source("frei0r.test_pat_B", { duration = 0.5, transition = { "dissolve", 0.2 } })
                draft:add_source("frei0r.ising0r", { duration = 0.5 })
                draft:add_effect("frei0r.onecol0r", { color = "#00ff00", rect = { 20, 20, 101, 51 }, range = { 1.2, 0.1 } })
                """)
            let shots = try Shot.all(of: try studio.render(with: ["--quality", "0"]))
            #expect(shots[4].mean.distance(Shot.RGB(0xff8000)) < 4)
            // Colour bars, the first of which is white.
            #expect(
                shots[20].mean(2, 30, 10, 10).distance(Shot.RGB(0xffffff)) < 80
                    && Set(stride(from: 5, to: 160, by: 12).map { Int(shots[20].sample(0, $0, 40)) }).count > 5)
            #expect(shots[37].mean(40, 30, 40, 20).distance(Shot.RGB(0x00ff00)) < 4)
        }

        /// More rectangles and faults.
        @Suite struct Sweep {
            @Test(arguments: rects + [[20, 10, 60, 40], [130, 70, 61, 41]])
            func `an overlay fills its rectangle`(rect: [Int]) throws {
                try SourceTests().`an overlay fills its rectangle`(rect: rect)
            }

            @Test(
                arguments: faults + [
                    ("FAILS", "it is not my day", []), ("WRITES_BEYOND", "of the output", ["--paranoid"]),
                ])
            func `one that fails is named, and skipped where that is wished`(
                define: String, words: String, options: [String]
            ) throws {
                try SourceTests().`one that fails is named, and skipped where that is wished`(
                    define: define, words: words, options: options)
            }
        }
    }
}
