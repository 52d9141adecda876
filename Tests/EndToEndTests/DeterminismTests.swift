import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The same draft gives the same bytes, whoever renders it and whatever happens meanwhile.
    @Suite struct DeterminismTests {
        /// Eight seconds with some of everything: four segments and sound.
        private static func edit(_ studio: Studio) throws {
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua), { id = "first", range = { 0, 3 } })
                draft:add_clip(\(Footage.pattern.lua), { range = { 0.5, 3 }, speed = 0.75, volume = 0.5, transition = { "slide_up", 0.5 } })
                draft:add_image(\(Footage.still.lua), { duration = 1.5, mode = "fill", transition = { "dissolve", 0.5 } })
                draft:add_audio(\(Footage.tone.lua), { loop = true, volume = 0.3, fade_out = 1 })
                draft:add_effect("org.cutroom.vignette", { strength = function(t) return 0.5 + 0.4 * math.sin(t) end })
                draft:add_effect("repeat", { range = { 1, 0.5 }, count = 2 })
                draft:add_effect("org.cutroom.rgb_split", { range = { 2, 1 } })
                draft:add_title("Same", { size = 24, opacity = { { 0, 0, "ease_in" }, { 3, 1 } } })
                """, size: (320, 180))
        }

        private static func reference() throws -> Data {
            let studio = try Studio()
            try edit(studio)
            return try Data(contentsOf: URL(fileURLWithPath: try studio.render(with: ["--workers", "1"])))
        }

        /// Beyond four workers, each of the four segments gets several threads: eight with 32.
        @Test func `one, two and 32 workers write the same bytes, killed ones too`() throws {
            try Self.checkWorkers([2, 32], killed: [16])
        }

        private static func checkWorkers(_ counts: [Int], killed: [Int]) throws {
            let reference = try reference()
            for workers in counts {
                let studio = try Studio()
                try edit(studio)
                let output = try studio.render(with: ["--workers", "\(workers)"])
                #expect(try Data(contentsOf: URL(fileURLWithPath: output)) == reference, "\(workers) workers")
            }
            for workers in killed { try renderKilling(workers, reference) }
        }

        /// A worker is killed while its segment is under way, twice.
        private static func renderKilling(_ workers: Int, _ reference: Data) throws {
            let studio = try Studio()
            try edit(studio)
            let render = try studio.start([
                "render", "edit.lua", "-o", "out.mp4", "--workers", "\(workers)", "--progress", "json",
            ])
            for done in [1, 60] {
                let isUnderWay = Command.until(timeout: 60) {
                    let lines = try? ProgressLines(wholeLines(render.stdoutSoFar))
                    return (lines?.progress.last?.done ?? 0) >= done && !studio.workers.isEmpty
                }
                try #require(isUnderWay && render.isRunning, "\(render.wait(timeout: 1))")
                let victim = try #require(studio.workers.max())
                #expect(kill(victim, SIGKILL) == 0)
                try #require(Command.until { !studio.workers.contains(victim) })
            }
            let result = render.wait(timeout: 120)
            #expect(result.status == 0, "\(result)")
            studio.expectClean()
            let found = try Data(contentsOf: URL(fileURLWithPath: studio.file("out.mp4")))
            #expect(found == reference, "\(workers) workers, some of which were killed")
        }

        @Suite struct Sweep {
            @Test func `four and eight workers write the same bytes, and two that are killed`() throws {
                try checkWorkers([4, 8], killed: [2])
            }

            @Test func `another C library writes the same bytes`() throws { try DeterminismTests().checkOtherLibrary() }

            /// A few seconds with some of everything, from a seed.
            private static func script(_ random: inout SplitMix64) throws -> String {
                let (pattern, tone) = (try Footage.pattern.lua, try Footage.tone.lua)
                var lines: [String] = []
                for index in 0..<Int.random(in: 1...4, using: &random) {
                    let start = Double(Int.random(in: 0...20, using: &random)) / 10
                    let length = Double(Int.random(in: 8...20, using: &random)) / 10
                    var options = ["range = { \(start), \(length) }"]
                    if index > 0, random.chance(1, in: 2) {
                        let kind = random.pick(["dissolve", "fade", "slide_up", "wipe_left"])
                        options.append("transition = { \"\(kind)\", 0.25 }")
                    }
                    if random.chance(1, in: 3) {
                        options.append(random.pick(["speed = 0.7", "speed = 1.5", "reverse = true"]))
                    }
                    if random.chance(1, in: 3) { options.append("mode = \"\(random.pick(["fill", "stretch"]))\"") }
                    lines.append("draft:add_clip(\(pattern), { \(options.joined(separator: ", ")) })")
                }
                let effects = [
                    "draft:add_effect(\"org.cutroom.vignette\", { strength = function(t) return 0.5 + 0.04 * t end })",
                    "draft:add_effect(\"repeat\", { range = { 0.2, 0.5 }, count = 2 })",
                    "draft:add_effect(\"org.cutroom.rgb_split\", { range = { 0.3, 0.5 } })",
                    "draft:add_title(\"Same\", { size = 24, opacity = { { 0, 0, \"ease_in\" }, { 0.7, 1 } } })",
                    """
                    draft:add_layer(\(pattern), { range = { 0.5, 0.7 }, size = { 131, 77 }, rotation = 11,
                      position = { 40, 30 }, anchor = "top_left", opacity = 0.8 })
                    """,
                    "draft:add_audio(\(tone), { loop = true, volume = 0.3 })",
                ]
                for effect in effects where random.chance(1, in: 2) { lines.append(effect) }
                return lines.joined(separator: "\n")
            }

            /// Random drafts with one worker, and with 2 … 64 of which some are killed. A draft of
            /// one segment has as many threads as there are workers.
            @Test func `random drafts are the same for any number of workers and threads`() throws {
                let cases = Seed.cases(12)
                let seed = Seed.announced(for: "DeterminismTests.Sweep", cases: cases)
                for index in 0..<cases {
                    var random = SplitMix64.forCase(index, of: seed)
                    let script = try Self.script(&random)
                    func render(_ workers: Int, kills: Int) throws -> Data {
                        let studio = try Studio()
                        try studio.script(script, size: (320, 180))
                        let render = try studio.start([
                            "render", "edit.lua", "-o", "out.mp4", "--workers", "\(workers)", "--progress", "json",
                        ])
                        for _ in 0..<kills {
                            let done = Int.random(in: 1...40, using: &random)
                            let isUnderWay = Command.until(timeout: 30) {
                                let lines = try? ProgressLines(DeterminismTests.wholeLines(render.stdoutSoFar))
                                return !render.isRunning
                                    || (lines?.progress.last?.done ?? 0) >= done && !studio.workers.isEmpty
                            }
                            guard isUnderWay, render.isRunning,
                                let victim = studio.workers.randomElement(using: &random)
                            else { break }
                            _ = kill(victim, SIGKILL)
                        }
                        let result = render.wait(timeout: 180)
                        try #require(result.status == 0, "case \(index) of CUTROOM_SEED=\(seed): \(result)\n\(script)")
                        return try Data(contentsOf: URL(fileURLWithPath: studio.file("out.mp4")))
                    }
                    let reference = try render(1, kills: 0)
                    for workers in [2, 3, 4, 5, 8, 16, 32, 64] {
                        #expect(
                            try render(workers, kills: Int.random(in: 0...2, using: &random)) == reference,
                            "case \(index) of CUTROOM_SEED=\(seed): \(workers) workers\n\(script)")
                    }
                }
            }
        }

        /// The C library's functions in variants without fused multiply-add: other last bits, as on
        /// another machine.
        private static let otherLibrary = ["GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2_Usable,-AVX2"]

        /// What decides bytes calls no function of the C library whose last bits differ between
        /// machines.
        private func checkOtherLibrary() throws {
            // The last ten bits of many results.
            let sums = """
                local sum = 0
                for i = 1, 20000 do sum = (sum * 31 + math.exp(i / 30000) * 2.0 ^ 52 % 1024) % 2.0 ^ 40 end
                print(("%a"):format(sum))
                """
            let hdr = try ["smpte2084", "arib-std-b67"].map { transfer in
                try Footage.made(
                    "determinism-\(transfer).mkv",
                    [
                        "-f", "lavfi", "-i", "testsrc2=size=160x96:rate=10:duration=0.5", "-pix_fmt", "yuv420p10le",
                        "-color_primaries", "bt2020", "-color_trc", transfer, "-colorspace", "bt2020nc", "-c:v", "ffv1",
                    ])
            }
            // FFmpeg's decoders of compressed sound make their tables with the C library.
            let plain = try Footage.made(
                "determinism-pcm.mkv",
                [
                    "-f", "lavfi", "-i", "testsrc2=size=64x64:rate=10:duration=2", "-f", "lavfi", "-i",
                    "aevalsrc='0.4*sin(2*PI*440*t)+0.1*sin(2*PI*3000*t*t)|0.3*sin(2*PI*554*t)':sample_rate=48000:duration=2",
                    "-c:v", "ffv1", "-c:a", "pcm_s16le",
                ])
            func bytes(_ environment: [String: String?]) throws -> (sum: Substring, files: [String: Data]) {
                let studio = try Studio()
                studio.environment = environment
                try studio.script(
                    """
                    \(sums)
                    local tone = { range = { 0, 1 }, speed = 0.9,
                      volume = { { 0, 1 }, { 0.5, 0.3, "ease_out_elastic" } },
                      effects = { { "org.cutroom.equalizer", low_gain = 7, high_gain = -5 },
                        { "org.cutroom.compressor", threshold = -30 }, { "org.cutroom.pitch", semitones = 3 },
                        { "org.cutroom.noise_reduction" } } }
                    draft:add_clip(\(plain.lua), { range = { 0, 1 } })
                    draft:add_clip(\(plain.lua), { range = { 1, 1 }, speed = 1.3, transition = { "dissolve", 0.5 } })
                    draft:add_audio(\(plain.lua), tone)
                    draft.loudness = -9
                    """, as: "sound.lua")
                try studio.script(
                    """
                    draft:add_clip(\(hdr[0].lua))
                    draft:add_clip(\(hdr[1].lua))
                    draft:add_source("org.cutroom.gradient", { duration = 0.3, angle = 33 })
                    draft:add_effect("org.cutroom.rgb_split", { amount = 7, angle = 77 })
                    """, fps: "10", as: "sdr.lua")
                var files: [String: Data] = [:]
                func add(_ script: String, _ output: String) throws {
                    let path = try studio.render(script, to: output)
                    files[output] = try Data(contentsOf: URL(fileURLWithPath: path))
                }
                try add("sound.lua", "sound.wav")
                // Without loss, so that pictures are compared and not the encoder's choices. Covers
                // are tone-mapped.
                for color in ["hlg", "pq"] {
                    try studio.script(
                        """
                        draft:add_clip(\(hdr[0].lua))
                        draft:add_clip(\(hdr[1].lua))
                        draft:add_clip(\(Footage.pattern.lua), { range = { 0, 0.3 } })
                        draft:add_source("org.cutroom.gradient", { duration = 0.3, angle = 33 })
                        draft.export = { video = { codec = "hevc", quality = 0 } }
                        """, fps: "10", options: ", color = \"\(color)\"", as: "\(color).lua")
                    let path = try studio.render("\(color).lua", to: "\(color).mp4")
                    files[color] = try FFmpeg.run(["-i", path, "-f", "rawvideo", "-"]).stdout
                    let cover = try studio.run(["cover", "\(color).lua", "--at", "0.7", "-o", "\(color).png"])
                    try #require(cover.status == 0, "\(cover)")
                    files["cover, \(color)"] = try Data(contentsOf: URL(fileURLWithPath: studio.file("\(color).png")))
                }
                try studio.render("sdr.lua", to: "sdr/")
                for file in try FileManager.default.contentsOfDirectory(atPath: studio.file("sdr")) {
                    files[file] = try Data(contentsOf: URL(fileURLWithPath: studio.file("sdr/\(file)")))
                }
                let check = try studio.run(["check", "sound.lua"])
                try #require(check.status == 0, "\(check)")
                return (check.stderr.split(separator: "\n").first { $0.contains("0x1.") } ?? "", files)
            }
            let (usual, other) = (try bytes([:]), try bytes(Self.otherLibrary))
            #expect(usual.files.count == 18 && usual.files.keys == other.files.keys)
            for (name, data) in usual.files { #expect(other.files[name] == data, "\(name)") }
            // The script's own sum shows that the library was another one.
            #expect(!usual.sum.isEmpty && usual.sum != other.sum, "\(usual.sum)")
        }

        /// Thirty clips of about two seconds, behind others or none.
        private static func clips(_ studio: Studio, behind others: String = "") throws {
            try studio.script(
                """
                \(others)
                for i = 0, 29 do
                  draft:add_clip(\(Footage.pattern.lua), { range = { 0.05 * i, 2 }, transition = i % 4 == 2 and { "dissolve", 0.25 } or nil })
                end
                """)
        }

        @Test func `a file that was rendered anew equals one whose parts were there`() throws {
            let studio = try Studio()
            try Self.clips(studio)
            try studio.render(to: "before.mp4")
            let before = studio.cachedParts
            try Self.clips(
                studio, behind: "draft:add_clip(\(Footage.pattern.lua), { range = { 3, 1 }, speed = 0.5 })")
            let reused = try Data(contentsOf: URL(fileURLWithPath: try studio.render()))
            let made = studio.cachedParts - before
            let plan = try studio.run(["plan", "edit.lua", "--json"])
            let parts = try #require(
                (try JSONSerialization.jsonObject(with: plan.stdout) as? [String: Any])?["segments"] as? [Any])
            #expect(made > 0 && made * 10 <= parts.count, "\(made) of \(parts.count) parts were made")
            let anew = try studio.render(to: "anew.mp4", with: ["--no-cache"])
            #expect(try Data(contentsOf: URL(fileURLWithPath: anew)) == reused)
        }

        /// A logo lies over everything: what was there before an insertion at the front is there
        /// after it.
        @Test func `under a layer over everything an insertion renders the seam`() throws {
            let studio = try Studio()
            func edit(_ others: String) throws {
                try studio.script(
                    """
                    \(others)
                    for i = 0, 9 do draft:add_clip(\(Footage.pattern.lua), { range = { 0.2 * i, 2 } }) end
                    draft:add_layer(\(Footage.still.lua), { width = "20%", position = "top_right", margin = 4, opacity = 0.7, corner_radius = 5 })
                    """)
            }
            try edit("")
            try studio.render(to: "before.mp4")
            try edit("draft:add_image(\(Footage.still.lua), { duration = 2 })")
            let result = try studio.run(["render", "edit.lua", "-o", "after.mp4", "--progress", "json"])
            let completed = try #require(try ProgressLines(result.text).last("completed"), "\(result)")
            #expect(completed.segments == 11 && completed.segmentsFromCache == 10, "\(result)")
            let anew = try studio.render(to: "anew.mp4", with: ["--no-cache"])
            #expect(FileManager.default.contentsEqual(atPath: anew, andPath: studio.file("after.mp4")))
        }

        /// What a segment's encoder finds in memory that others have used before must not reach the
        /// file: each worker count gives it another history. The picture is one with which libx264
        /// was seen to do that.
        @Test func `what was in memory before does not matter`() throws {
            var outputs: Set<Data> = []
            for round in 0..<4 {
                let studio = try Studio()
                try studio.script(
                    "draft:add_clip(\(Footage.pattern.lua))\ndraft:add_title(\"Same\", { size = 20, range = { 3, 1 } })"
                )
                outputs.insert(
                    try Data(
                        contentsOf: URL(fileURLWithPath: try studio.render(with: ["--workers", "\(1 + round % 2)"]))))
            }
            #expect(outputs.count == 1)
        }

        fileprivate static func wholeLines(_ text: String) -> String {
            String(text[..<(text.lastIndex(of: "\n") ?? text.startIndex)])
        }

        @Test func `equal drafts give equal plans, a script and its document too`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            let plan = try studio.run(["plan", "edit.lua", "--json"])
            try #require(plan.status == 0 && plan.stdout.count > 1000, "\(plan)")
            #expect(try studio.run(["plan", "edit.lua", "--json", "--workers", "4"]).stdout == plan.stdout)
            #expect(try JSONSerialization.jsonObject(with: plan.stdout) is [String: Any])
            let saved = try studio.run(["save", "edit.lua", "-o", "edit.cutroom"])
            try #require(saved.status == 0, "\(saved)")
            #expect(try studio.run(["plan", "edit.cutroom", "--json"]).stdout == plan.stdout)
            // A document of the document is the same document.
            _ = try studio.run(["save", "edit.cutroom", "-o", "again.cutroom"])
            #expect(
                FileManager.default.contentsEqual(
                    atPath: studio.file("edit.cutroom"), andPath: studio.file("again.cutroom")))
        }

        @Test func `a document renders as its script does`() throws {
            let studio = try Studio()
            try studio.script(
                "draft:add_clip(\(Footage.pattern.lua), { range = { 0, 0.5 } })\ndraft:add_title(\"Hi\", { size = 20 })"
            )
            try studio.render(to: "a.mp4", with: ["--no-cache"])
            _ = try studio.run(["save", "edit.lua", "-o", "edit.cutroom"])
            try studio.render("edit.cutroom", to: "b.mp4", with: ["--no-cache"])
            #expect(FileManager.default.contentsEqual(atPath: studio.file("a.mp4"), andPath: studio.file("b.mp4")))
        }
    }
}
