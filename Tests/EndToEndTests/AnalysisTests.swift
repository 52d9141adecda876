import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Analyses from scripts: what they see, what is kept of them, and how they fail.
    @Suite struct AnalysisTests {
        /// A second of which each frame is one shade: 20, 22, 24 …
        private static var ramp: String {
            get throws { try Footage.drawn("analysed-ramp.mp4", lum: "20+2*N", cb: "128", cr: "128") }
        }

        private static func edit(
            _ studio: Studio, _ options: String = "", _ file: String? = nil, id: String = "test.measures", then: String
        ) throws {
            let file = try file ?? ramp
            try studio.script(
                """
                draft:add_clip(\(try ramp.lua), { range = { 0, 1 } })
                local track = cutroom.analyse(\(file.lua), "\(id)", { \(options) })
                \(then)
                """)
        }

        /// What the script prints.
        private static func printed(_ studio: Studio, _ arguments: [String] = []) throws -> [[Double]] {
            let result = try studio.run(["check", "edit.lua"] + arguments)
            try #require(result.status == 0, "\(result)")
            return result.stderr.split(separator: "\n").map { $0.split(separator: "\t").compactMap { Double($0) } }
        }

        private static let frames = """
            print(track.width, track.height, track.fps, track.start, track.duration, #track.frames)
            for _, f in ipairs(track.frames) do print(f.time, f.light[1], f.size[1], f.size[2], f.place[1], f.place[2], table.unpack(f.around)) end
            """

        @Test func `it sees the frames that a clip of the range shows`() throws {
            let studio = try Studio()
            try Fixture.plugin("measures", ["RUNS"], as: "measures", in: studio)
            try Self.edit(
                studio, "range = { 0.5, 0.5 }, fps = 15, size = { 32, 24 }, scale = { { 0, 1 }, { 0.4, 2 } }",
                then: Self.frames)
            let lines = try Self.printed(studio)
            let head = try #require(lines.first)
            #expect(
                zip(head, [32, 24, 15, 0.5, 8.0 / 15, 8]).allSatisfy { abs($0 - $1) < 1e-9 } && head.count == 6,
                "\(head)")
            try #require(lines.count == 9)
            for (index, line) in lines.dropFirst().enumerated() {
                // The last frame before the middle, 0.5 + (index + 1/2) / 15.
                func shade(_ index: Int) -> Double { (0..<8).contains(index) ? Double(20 + 2 * (15 + 2 * index)) : -1 }
                let time = Double(index) / 15
                #expect(abs(line[0] - 0.5 - time) < 1e-9 && line[4] == Double(index) && abs(line[5] - time) < 1e-9)
                #expect(abs(line[1] - shade(index) * (1 + min(time, 0.4) / 0.4)) < 0.6, "frame \(index): \(line)")
                #expect(Array(line[2...3]) == [32, 24])
                for other in 0..<3 {
                    #expect(abs(line[6 + other] - shade(index - 1 + other)) < 0.6, "frame \(index): \(line)")
                }
            }
            // Guarded frames change nothing.
            let plain = try studio.run(["cover", "edit.lua", "-o", "a.png", "--at", "0"])
            let guarded = try studio.run(["cover", "edit.lua", "-o", "b.png", "--at", "0", "--no-cache", "--paranoid"])
            #expect(plain.status == 0 && guarded.status == 0 && plain.stderr == guarded.stderr, "\(plain) \(guarded)")
        }

        /// The second analysis finds the worker of the first.
        @Test func `each analysis has an instance of its own, whatever the analyser allows`() throws {
            let studio = try Studio()
            try Fixture.plugin("numbered", ["SHARED", "ANALYSES"], as: "numbered", in: studio)
            try Self.edit(
                studio, "range = { 0, 0.2 }", id: "test.numbered",
                then: """
                    local other = cutroom.analyse(\(try Self.ramp.lua), "test.numbered", { range = { 0.5, 0.2 } })
                    print(track.frames[1].instance[1], track.frames[5].instance[1], other.frames[1].instance[1])
                    """)
            #expect(try Self.printed(studio, ["--workers", "1"]) == [[1, 1, 2]])
        }

        @Test func `a picture lies as a clip shows it`() throws {
            let studio = try Studio()
            try Fixture.plugin("measures", as: "measures", in: studio)
            let tall = try Footage.made(
                "analysed-tall.mp4",
                [
                    "-f", "lavfi", "-i", "testsrc2=size=128x96:rate=10:duration=1", "-vf", "setsar=1/2", "-c:v",
                    "libx264",
                ])
            try Self.edit(studio, "", tall, then: "print(track.width, track.height, #track.frames)")
            #expect(try Self.printed(studio) == [[64, 96, 10]])
            try Self.edit(studio, "", try Footage.still, then: "print(track.width, track.height, #track.frames)")
            #expect(try Self.printed(studio) == [[160, 96, 1]])
        }

        /// Four quarters of 40, 100, 140 and 200, stored lying on their side.
        @Test func `a picture stands upright`() throws {
            let studio = try Studio()
            try Fixture.plugin("measures", ["TELLS"], as: "measures", in: studio)
            let plain = try Footage.drawn(
                "analysed-quarters.mp4", lum: "40+60*gt(X,79)+100*gt(Y,47)", cb: "128", cr: "128")
            let turned = try Footage.made(
                "analysed-turned.mp4", ["-i", plain, "-c", "copy", "-metadata:s:v", "rotate=90"])
            try Self.edit(
                studio, "range = { 0, 0.1 }", turned,
                then: "print(track.width, track.height, track.frames[1].told[4])")
            let line = try #require(try Self.printed(studio).first)
            let gray = try FFmpeg.grayFrames(of: turned, width: 96, height: 160)[0][20 * 96 + 12]
            let wanted = 16 + Double(gray) * 219 / 255
            #expect(line[..<2] == [96, 160] && abs(line[2] - wanted) < 3 && abs(wanted - 40) > 50, "\(line) \(wanted)")
        }

        @Test func `what it sees of HDR is what an SDR render shows`() throws {
            let studio = try Studio()
            try Fixture.plugin("measures", as: "measures", in: studio)
            let film = try HDRTests.hlg
            try Self.edit(studio, "range = { 0, 0.1 }", film, then: "print(track.frames[1].light[1])")
            let light = try #require(try Self.printed(studio).first?.first)
            try studio.script("draft:add_clip(\(film.lua), { range = { 0, 0.1 } })", size: (128, 64), fps: "25")
            let shown = try Shot.all(of: try studio.render(with: ["--quality", "0"]))[0].luma
            func mean(_ values: some Collection<UInt8>) -> Double {
                values.reduce(0) { $0 + Double($1) } / Double(values.count)
            }
            #expect(abs(light - mean(shown)) < 0.5, "\(light) \(mean(shown))")
            // The stored picture is not rotated yet.
            let stored = try FFmpeg.run([
                "-i", film, "-frames:v", "1", "-vf", "extractplanes=y,format=gray10le", "-f", "rawvideo", "-",
            ]).stdout
            let raw = stride(from: 0, to: stored.count, by: 2).map {
                (UInt16(stored[$0]) | UInt16(stored[$0 + 1]) << 8) / 4
            }
            #expect(abs(light - mean(raw.map { UInt8($0) })) > 4)
        }

        @Test func `one instance sees the frames in order, in the range's time`() throws {
            let studio = try Studio()
            try Fixture.plugin("measures", ["TELLS"], as: "measures", in: studio)
            try Self.edit(
                studio, "range = { 0.25, 1.5 }",
                then: "for _, f in ipairs(track.frames) do print(f.place[1], f.place[2], f.told[1], f.told[2]) end")
            let lines = try Self.printed(studio)
            #expect(lines.count == 45)
            for (index, line) in lines.enumerated() {
                let time = Double(index) / 30
                #expect(
                    line[0] == Double(index) && line[2] == Double(index) && abs(line[1] - time) < 1e-9
                        && abs(line[3] - time) < 1e-9, "frame \(index): \(line)")
            }
        }

        /// The same as for a filter: floats come last, whatever the order of the list.
        @Test(arguments: [
            ("RGBAF32,CUTROOM_FORMAT_RGBA8", 1), ("RGBA8,CUTROOM_FORMAT_YUV420P8", 1),
            ("YUV420P8,CUTROOM_FORMAT_RGBA8", 3), ("RGBAF32", 2),
        ])
        func `it gets the best format that is offered`(list: String, format: Double) throws {
            let studio = try Studio()
            try Fixture.plugin(
                "measures", ["TELLS", "FIXTURE_FORMATS=CUTROOM_FORMAT_\(list)"], as: "measures", in: studio)
            try Self.edit(studio, "range = { 0, 0.1 }", then: "print(track.frames[1].told[3])")
            #expect(try Self.printed(studio) == [[format]])
        }

        // MARK: The cache

        /// How many frames were analysed, by the progress that is told.
        private static func analysed(_ studio: Studio, _ arguments: [String] = []) throws -> Bool {
            let result = try studio.run(
                ["render", "edit.lua", "-o", "out.mp4", "--overwrite", "--progress", "json"] + arguments)
            try #require(result.status == 0, "\(result)")
            return result.text.contains("\"stage\":\"analysing analysed-ramp.mp4 (test.measures)\"")
        }

        @Test func `what was found is kept, under everything that decides it`() throws {
            let studio = try Studio()
            try Fixture.plugin("measures", as: "measures", in: studio)
            try studio.folder.write("1", to: "model")
            let options = "range = { 0, 0.5 }, model = \(studio.file("model").lua)"
            try Self.edit(studio, options, then: "print(track.frames[1].light[1])")
            #expect(try Self.analysed(studio))
            let kept = studio.cachedParts
            #expect(try Self.analysed(studio) == false && studio.cachedParts == kept)
            #expect(try Self.analysed(studio, ["--no-cache"]) && studio.cachedParts == kept)
            // A parameter, and the file that another one names.
            try Self.edit(studio, options + ", scale = 2", then: "print(track.frames[1].light[1])")
            #expect(try Self.analysed(studio))
            try Self.edit(studio, options, then: "print(track.frames[1].light[1])")
            #expect(try Self.analysed(studio) == false)
            try studio.folder.write("22", to: "model")
            #expect(try Self.analysed(studio))
            // The plugin.
            try Fixture.plugin("measures", ["RUNS"], as: "measures", in: studio)
            #expect(try Self.analysed(studio))
            #expect(try Self.analysed(studio) == false)
        }

        @Test func `two questions at once are answered once, and the draft is the same each time`() throws {
            let studio = try Studio()
            try Fixture.plugin(
                "measures", ["FIXTURE_DETERMINISM=CUTROOM_DETERMINISM_NONE"], as: "measures", in: studio)
            try Self.edit(
                studio, "range = { 0, 0.5 }",
                then:
                    "local again = cutroom.analyse(\(try Self.ramp.lua), 'test.measures', { range = { 0, 0.5 } })\nassert(again ~= track and again.frames[3].light[1] == track.frames[3].light[1])\n"
                    + "draft:add_effect('org.cutroom.blur', { radius = cutroom.map(cutroom.smooth({ { 0, track.frames[1].light[1] }, { 1, 5 } }, 0.1), function(x) return x / 10 end) })"
            )
            let first = try studio.run(["plan", "edit.lua", "--json"]),
                second = try studio.run(["plan", "edit.lua", "--json", "--no-cache"])
            #expect(first.status == 0 && first.text == second.text)
            // Results that may differ from run to run are not cached.
            #expect(studio.cachedParts == 0)
        }

        @Test func `a damaged entry is found and made again`() throws {
            let studio = try Studio()
            try Fixture.plugin("measures", as: "measures", in: studio)
            try Self.edit(studio, "range = { 0, 0.5 }", then: "print(track.frames[7].light[1])")
            let whole = try Self.printed(studio)
            let entries = studio.cacheEntries
            try #require(entries.count == 1)
            let text = try String(contentsOfFile: entries[0], encoding: .utf8)
            // One digit, and half of it.
            for damaged in [
                text.replacingOccurrences(of: "\"light\":[3", with: "\"light\":[4"),
                String(text.prefix(text.count / 2)), "",
            ] {
                #expect(damaged != text)
                try damaged.write(toFile: entries[0], atomically: false, encoding: .utf8)
                let result = try studio.run(["check", "edit.lua"])
                #expect(result.status == 0 && result.stderr.contains("damaged"), "\(result)")
                #expect(try String(contentsOfFile: entries[0], encoding: .utf8).count == text.count)
                #expect(try Self.printed(studio) == whole)
            }
        }

        @Test func `the bound of the cache holds`() throws {
            let studio = try Studio()
            try Fixture.plugin("measures", as: "measures", in: studio)
            for frames in 1...6 {
                try Self.edit(studio, "range = { 0, \(Double(frames) / 30) }", then: "")
                _ = try Self.printed(studio, ["--cache-size", "20K"])
                #expect(studio.cachedParts <= 2)
            }
            try Self.edit(studio, "range = { 0, 0.7 }", then: "")
            let before = studio.cachedParts
            _ = try Self.printed(studio, ["--cache-size", "0"])
            #expect(studio.cachedParts <= before)
        }

        // MARK: Failures

        private static let faults = [
            ("FAILS", ["it is not my day"]), ("EMITS_NAN", ["numbers must be finite"]),
            ("CRASHES", ["three times"] + (Sanitizer.isActive ? [] : ["SIGSEGV"])),
            ("HANGS", ["three times", "made no progress for 2.0 seconds"]),
            ("EMITS_MUCH", ["more than 4096 numbers"]),
        ]

        @Test(arguments: faults.prefix(2))
        func `a plugin that fails is named, at the script's line`(define: String, words: [String]) throws {
            let studio = try Studio()
            try Fixture.plugin("measures", [define], as: "measures", in: studio)
            try Self.edit(studio, then: "")
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4", "--stall-timeout", "2"])
            #expect(result.status == 70, "\(result)")
            for part in words + [
                "edit.lua:4: the analysis of", "test.measures", studio.file("plugins/measures.so"), "frame 5",
            ] {
                #expect(result.stderr.contains(part), "no ‘\(part)’ in: \(result.stderr)")
            }
            #expect(studio.cachedParts == 0 && !FileManager.default.fileExists(atPath: studio.file("out.mp4")))
        }

        @Test func `numbers without end are refused`() throws {
            let studio = try Studio()
            try Fixture.plugin("measures", ["EMITS_EARLY"], as: "measures", in: studio)
            try Self.edit(studio, "fps = 240, size = { 16, 16 }", then: "")
            let result = try studio.run(["check", "edit.lua"])
            #expect(
                result.status == 65
                    && result.stderr.contains(
                        "gives more numbers than a script can hold (32 MB after 314 of 480 frames)"),
                "\(result)")
        }

        @Test func `Ctrl-C stops it at once`() throws {
            let studio = try Studio()
            try Fixture.plugin("measures", ["HANGS"], as: "measures", in: studio)
            try Self.edit(studio, then: "")
            let run = try studio.start(["check", "edit.lua", "--stall-timeout", "600"])
            #expect(Command.until(timeout: 60) { !studio.workers.isEmpty })
            Thread.sleep(forTimeInterval: 1)
            run.send(SIGINT, toGroup: true)
            let result = run.wait(timeout: 20)
            #expect(!result.isTimeout && result.status == 130, "\(result)")
            studio.expectClean()
        }

        // MARK: What comes with Cutroom

        /// How much the picture's speed changes from frame to frame, in pixels: 0 for a steady
        /// camera.
        private static func unrest(_ studio: Studio, _ clip: String) throws -> Double {
            try edit(
                studio, "", clip, id: "org.cutroom.camera_motion",
                then: "for _, f in ipairs(track.frames) do print(f.motion[1] * 960, f.motion[2] * 540, f.trust[1]) end")
            let lines = try printed(studio)
            #expect(lines.count == 120 && lines.dropFirst().allSatisfy { $0[2] > 0.25 })
            let changes: [Double] = zip(lines.dropFirst(), lines.dropFirst(2)).map { one, next in
                let (x, y) = (next[0] - one[0], next[1] - one[1])
                return x * x + y * y
            }
            return (changes.reduce(0, +) / Double(changes.count)).squareRoot()
        }

        /// What comes with Cutroom, on clips that take long to draw.
        @Suite struct Sweep {
            @Test(arguments: faults.dropFirst(2))
            func `a plugin that fails is named, at the script's line`(define: String, words: [String]) throws {
                try AnalysisTests().`a plugin that fails is named, at the script's line`(define: define, words: words)
            }

            /// Somebody walks past on a known way, and smiles from the second second on.
            @Test func `faces and smiles are found where they are`() throws {
                let studio = try Studio()
                let clip = try Footage.examples + "/face.mp4"
                try edit(
                    studio, "smile = true", clip, id: "org.cutroom.faces",
                    then:
                        "for _, f in ipairs(track.frames) do print(f.time, f.smiles[1] or 0, table.unpack(f.faces)) end"
                )
                let lines = try printed(studio)
                try #require(lines.count == 120)
                let found = lines.filter { $0.count == 6 }
                #expect(found.count >= 114, "\(found.count) of 120")
                var (worst, smiles) = (0.0, 0)
                for line in found {
                    // The face's centre is 72 to the right and 93 down in its picture of 144×180.
                    let x = 250 + 150 * sin(2 * .pi * line[0] / 4) + 72, y = 60 + 30 * sin(2 * .pi * line[0] / 2) + 93
                    worst = max(worst, hypot((line[2] + line[4] / 2) * 640 - x, (line[3] + line[5] / 2) * 360 - y))
                    if (line[1] >= 0.5) == (line[0] >= 2) { smiles += 1 }
                }
                #expect(worst < 20, "\(worst) pixels")
                #expect(smiles >= found.count * 9 / 10, "\(smiles) of \(found.count)")
            }

            @Test(.enabled(if: MediaFolder.has("dancer1.webm"), MediaFolder.absence))
            func `a real face is found in most frames`() throws {
                let studio = try Studio()
                let clip = try #require(MediaFolder.file("dancer1.webm"))
                try edit(
                    studio, "range = { 0, 1 }", clip, id: "org.cutroom.faces",
                    then: "for _, f in ipairs(track.frames) do print(#f.faces // 4, table.unpack(f.faces)) end")
                let lines = try printed(studio)
                try #require(lines.count == 30)
                // The head is in the upper half, left of the middle to the middle, about a sixth as
                // high as the picture.
                let plausible = lines.filter { line in
                    line[0] == 1 && (0.35...0.55).contains(line[1] + line[3] / 2)
                        && (0.15...0.35).contains(line[2] + line[4] / 2)
                        && (0.1...0.25).contains(line[4])
                }
                #expect(plausible.count >= 24, "\(lines)")
            }

            @Test func `a shaken clip is measured and held still`() throws {
                let studio = try Studio()
                let clip = try Footage.examples + "/shaky.mp4"
                let shaken = try unrest(studio, clip)
                // By the clip's own formula.
                func place(_ n: Int) -> (Double, Double) {
                    let t = Double(n) / 30, turn = 2 * Double.pi * t
                    return (
                        (100 + 30 * t + (20 * sin(2.3 * turn) + 14 * sin(5.1 * turn + 1)).rounded(.down)).rounded(
                            .down),
                        90 + (16 * sin(3.1 * turn + 2) + 9 * sin(6.7 * turn)).rounded(.down)
                    )
                }
                let known = (2..<120).map { n in
                    let (a, b, c) = (place(n - 2), place(n - 1), place(n))
                    return pow(c.0 - 2 * b.0 + a.0, 2) + pow(c.1 - 2 * b.1 + a.1, 2)
                }
                let truth = (known.reduce(0, +) / Double(known.count)).squareRoot()
                #expect(abs(shaken / truth - 1) < 0.03, "\(shaken) is not \(truth)")
                let steady = try studio.run([
                    "render", Project.root + "/Scripts/stabilise.lua", "--set", "media=\(try Footage.examples)", "-o",
                    "steady.mp4", "--quality", "8",
                ])
                try #require(steady.status == 0, "\(steady)")
                let rest = try unrest(studio, studio.file("steady.mp4"))
                #expect(rest < shaken / 6, "\(shaken) became \(rest)")
            }
        }

        @Test func `a sticker goes where its keys say, and grows about its centre`() throws {
            let studio = try Studio()
            let white = try Footage.made("white.png", ["-f", "lavfi", "-i", "color=white:size=8x8", "-frames:v", "1"])
            try studio.script(
                """
                draft:add_clip(\(try Footage.solid("black").lua), { range = { 0, 1 } })
                draft:add_effect("sticker", { image = \(white.lua), rect = { { 0, { 10, 20, 20, 10 } }, { 1, { 70, 20, 60, 40 } } } })
                """)
            let frames = try FFmpeg.grayFrames(of: try studio.render(with: ["--quality", "0"]), width: 160, height: 96)
            try #require(frames.count == 30)
            for (index, frame) in frames.enumerated() {
                let share = Double(index) / 30
                let (x, width, height) = (10 + 60 * share, 20 + 40 * share, 10 + 30 * share)
                let lit = frame.indices.filter { frame[$0] > 128 }
                let columns = lit.map { $0 % 160 }, rows = lit.map { $0 / 160 }
                let (left, right) = (columns.min() ?? 0, (columns.max() ?? 0) + 1)
                let (top, bottom) = (rows.min() ?? 0, (rows.max() ?? 0) + 1)
                #expect(
                    abs(Double(right - left) - width) <= 1 && abs(Double(bottom - top) - height) <= 1, "frame \(index)")
                #expect(
                    abs(Double(left + right) / 2 - x - width / 2) <= 0.5
                        && abs(Double(top + bottom) / 2 - 20 - height / 2) <= 0.5, "frame \(index)")
                #expect(lit.count == (right - left) * (bottom - top))
            }
        }
    }
}
