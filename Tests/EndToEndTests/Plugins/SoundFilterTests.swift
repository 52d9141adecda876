import Foundation
import TestSupport
import Testing

extension EndToEndPlugins {
    /// Plugins' audio filters in real renders: where they act, that bytes stay the same, and what
    /// they do wrong.
    @Suite struct SoundFilterTests {
        private static func studio() throws -> Studio {
            let studio = try Studio()
            try Fixture.plugin("sound", as: "sound", in: studio)
            return studio
        }

        /// Lossless, so that samples can be compared.
        private func sound(_ body: String, _ studio: Studio) throws -> Sound {
            try studio.script(body, size: (64, 64))
            return try Sound(of: try studio.render(to: "out.wav", with: ["--overwrite"]))
        }

        /// Four seconds of a wave on both channels, with a picture.
        private static func wave(_ name: String, _ formula: String) throws -> String {
            try Footage.made(
                name,
                [
                    "-f", "lavfi", "-i", "color=gray:size=64x64:rate=30:duration=4", "-f", "lavfi", "-i",
                    "aevalsrc='\(formula)|\(formula)':sample_rate=48000:duration=4", "-c:v", "libx264", "-preset",
                    "ultrafast", "-c:a", "pcm_s16le",
                ])
        }

        private static var flat: String { get throws { try wave("flat.mov", "0.25") } }

        private static let gain = "\"test.gain\", { gain = 0.5"

        @Test func `a clip's filter acts before its volume, in the clip's time, to the sample`() throws {
            let heard = try sound(
                """
                draft:add_clip(\(Self.flat.lua), { range = { 0, 1 } })
                draft:add_clip(\(Self.flat.lua), { range = { 1, 2 }, volume = 0.5, effects = { { \(Self.gain), range = { 0.5, 1 } } } } })
                """, Self.studio())
            #expect(heard.samples.count == 144_000)
            for (range, wanted) in [
                (0..<48_000, 0.25), (48_000..<72_000, 0.125), (72_000..<120_000, 0.0625), (120_000..<144_000, 0.125),
            ] {
                #expect(heard.samples[range].allSatisfy { abs(Double($0) - wanted) < 2e-4 }, "\(range)")
            }
        }

        @Test func `a filter of the effect list acts on the main track and not on music`() throws {
            let heard = try sound(
                """
                draft:add_clip(\(Self.flat.lua), { range = { 0, 2 } })
                draft:add_audio(\(Self.flat.lua), { range = { 0, 2 } })
                draft:add_effect("test.gain", { gain = 0, range = { 0.5, 0.5 } })
                draft:add_effect("speed", { factor = 0.5, range = { 0, 1 } })
                """, Self.studio())
            // 0.5–1 s of the track is 1–2 s at half the speed.
            for (range, wanted) in [(4800..<47_000, 0.5), (48_000..<95_990, 0.25)] {
                #expect(heard.samples[range].allSatisfy { abs(Double($0) - wanted) < 0.01 }, "\(range)")
            }
            #expect(heard.samples[47_999] > 0.4 && heard.samples[48_000] < 0.3)
        }

        @Test func `an audio clip's filters run through its loop`() throws {
            let heard = try sound(
                """
                draft:add_image(\(Footage.still.lua), { duration = 2 })
                draft:add_audio(\(Self.flat.lua), { at = 0.5, range = { 0, 0.25 }, loop = true, effects = {
                  { "test.check", { gain = { { 0, 0 }, { 1, 2 } } } }, { "test.gain", { gain = 0.5, range = { 1, 9 } } } } })
                """, Self.studio())
            #expect(heard.samples[..<24_000].allSatisfy { $0 == 0 })
            // Twice the elapsed time, until it is halved.
            for (time, wanted) in [(0.75, 0.125), (1.25, 0.375), (1.6, 0.25), (1.9, 0.25)] {
                #expect(abs(Double(heard.samples[Int(time * 48_000)]) - wanted) < 0.005, "at \(time) s")
            }
        }

        @Test func `a clip's filter in a repeat, under a speed effect, and played backwards`() throws {
            let studio = try Self.studio()
            for (options, list) in [
                ("", "draft:add_effect(\"repeat\", { range = { 0.5, 1 }, count = 3 })"),
                ("", "draft:add_effect(\"speed\", { factor = 2, range = { 0.5, 1 } })"),
                (", reverse = true, speed = 2", ""),
            ] {
                let heard = try sound(
                    """
                    draft:add_clip(\(Self.flat.lua), { range = { 0, 4 }\(options), effects = { { "test.check", { gain = 0.5, range = { 1, 1 } } } } })
                    \(list)
                    """, studio)
                let soft = heard.samples.indices.filter { abs(heard.samples[$0] - 0.125) < 0.01 }.count
                // The repeat plays 1–1.5 s three times and 1.5–2 s once; double speed leaves half
                // of 1–1.5 s.
                let wanted = list.contains("repeat") ? 96_000 : list.contains("speed") ? 36_000 : 48_000
                #expect(abs(soft - wanted) < 1200, "\(options)\(list): \(soft)")
            }
        }

        /// From 0 to 1/2.
        private static var rising: String { get throws { try wave("rising.mov", "t/8") } }

        /// Played backwards at twice the speed it falls from 1/2 to 0 in two seconds, of which the
        /// filter takes the first.
        @Test func `a clip's filter gets its sound after speed and reverse`() throws {
            let heard = try sound(
                "draft:add_clip(\(Self.rising.lua), { reverse = true, speed = 2, effects = { { \"test.gain\", { gain = 0, range = { 0, 1 } } } } })",
                Self.studio())
            #expect(heard.samples.count == 96_000)
            #expect(heard.samples[..<47_000].allSatisfy { abs($0) < 1e-4 })
            for (time, wanted) in [(1.1, 0.225), (1.5, 0.125), (1.9, 0.025)] {
                let level = heard.samples[Int(time * 48_000)]
                #expect(abs(Double(level) - wanted) < 0.015, "at \(time) s: \(level)")
            }
        }

        /// Whatever the source has, a filter gets the channels of the output, in blocks that are
        /// not longer than was said.
        @Test(arguments: [1, 6]) func `blocks have as many channels as the output`(channels: Int) throws {
            let studio = try Studio()
            try Fixture.plugin("sound", ["MORE"], as: "sound", in: studio)
            let six = try Footage.made(
                "six.wav",
                ["-f", "lavfi", "-i", "aevalsrc='0.1|0.1|0.1|0.1|0.1|0.1:c=5.1':sample_rate=48000:duration=0.5"])
            try studio.script(
                """
                draft.export = { audio = { channels = \(channels) } }
                draft:add_image(\(Footage.still.lua), { duration = 1 })
                draft:add_audio(\(six.lua), { effects = { { "test.layout" } } })
                draft:add_audio(\(Footage.tone.lua), { at = 0.5, range = { 0, 0.5 }, effects = { { "test.layout" } } })
                """, size: (64, 64))
            let path = try studio.render(to: "out.wav")
            let samples = try FFmpeg.samples(of: path, channels: channels)
            #expect(samples.count == 48_000 * channels)
            for (index, sample) in samples.enumerated() {
                let wanted = Float(channels) / 10 + Float(index % channels) / 100
                if abs(sample - wanted) > 2e-4 {
                    Issue.record("sample \(index) is \(sample), not \(wanted)")
                    break
                }
            }
        }

        /// One that sees what comes before has its output elsewhere, whatever it allows.
        @Test func `a filter with reach does not work in place`() throws {
            let studio = try Studio()
            try Fixture.plugin("sound", ["MORE"], as: "sound", in: studio)
            let heard = try sound(
                "draft:add_clip(\(Self.rising.lua), { range = { 0, 1 }, effects = { { \"test.reaching\" } } })", studio)
            #expect(abs(Double(heard.samples[24_003]) - 0.0625) < 1e-4)
        }

        @Test func `the bytes are the same for any number of workers, and come from the cache`() throws {
            var outputs: [Data] = []
            for workers in [1, 2, 4] {
                let studio = try Studio()
                try studio.script(
                    """
                    draft:add_clip(\(Footage.pattern.lua), { range = { 0, 3 }, effects = { { "org.cutroom.pitch", { semitones = 3 } } } })
                    draft:add_audio(\(Footage.tone.lua), { loop = true, volume = 0.3, effects = { { "org.cutroom.echo" }, { "org.cutroom.noise_reduction" } } })
                    draft:add_effect("org.cutroom.compressor", { threshold = function(t) return -20 - t end })
                    draft:add_effect("repeat", { range = { 1, 0.5 }, count = 2 })
                    draft:add_effect("org.cutroom.equalizer", { range = { 0.7, 2 }, mid_gain = -6 })
                    """)
                let output = try studio.render(with: ["--workers", "\(workers)"])
                outputs.append(try Data(contentsOf: URL(fileURLWithPath: output)))
                let before = studio.cachedParts
                try studio.render(to: "again.mp4")
                #expect(studio.cachedParts == before)
                #expect(try Data(contentsOf: URL(fileURLWithPath: studio.file("again.mp4"))) == outputs.last)
            }
            #expect(Set(outputs).count == 1)
        }

        @Test func `what may differ each time is not kept`() throws {
            let studio = try Studio()
            try Fixture.plugin("sound", ["FIXTURE_DETERMINISM=CUTROOM_DETERMINISM_NONE"], as: "sound", in: studio)
            try studio.script(
                "draft:add_clip(\(Footage.pattern.lua), { range = { 0, 1 }, effects = { { \(Self.gain) } } } })")
            try studio.render(to: "out.m4a")
            #expect(studio.cacheEntries.isEmpty)
        }

        @Test func `a crash names plugin, effect, time and signal`() throws {
            let studio = try Self.studio()
            try studio.script(
                "draft:add_clip(\(Footage.pattern.lua), { range = { 0, 2 } })\ndraft:add_effect(\"test.fault\", { fault = \"crash\", at = 1.5 })"
            )
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4"])
            #expect(result.status == 70, "\(result)")
            for part in ["test.fault", studio.file("plugins/sound.so"), "SIGSEGV", "at 1.4"] {
                #expect(result.stderr.contains(part), "no ‘\(part)’ in: \(result.stderr)")
            }
            #expect(!FileManager.default.fileExists(atPath: studio.file("out.mp4")))
        }

        @Test(arguments: [
            ("error", "the tape is torn"), ("nan", "infinite or not a number"),
            ("infinity", "infinite or not a number"),
        ])
        func `an error names plugin, effect and time`(fault: String, text: String) throws {
            let studio = try Self.studio()
            try studio.script(
                "draft:add_clip(\(Footage.pattern.lua), { range = { 0, 2 }, effects = { { \"test.fault\", { fault = \"\(fault)\", at = 1 } } } })"
            )
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4"])
            #expect(result.status == 70, "\(result)")
            for part in ["test.fault", studio.file("plugins/sound.so"), "at 0.99", text] {
                #expect(result.stderr.contains(part), "no ‘\(part)’ in: \(result.stderr)")
            }
        }

        private static let misplaced: [(String, String)] = [
            (
                "draft:add_audio(TONE, { effects = { { \"org.cutroom.blur\" } } })",
                "is a filter, but an audio filter is needed"
            ),
            (
                "draft:add_audio(TONE, { effects = { { \"lut\", { image = \"look.png\" } } } })",
                "changes the picture, and an audio clip has none"
            ),
            (
                "draft:add_audio(TONE, { effects = { { \"speed\", { factor = 2 } } } })",
                "belongs in the draft's effect list"
            ),
            ("draft:add_audio(TONE, { effects = { { \"org.cutroom.gian\" } } })", "did you mean"),
            (
                "draft:add_audio(TONE, { effects = { { \"org.cutroom.gain\", { gain = 100 } } } })",
                "between -60 and 24 dB"
            ),
            (
                "draft:add_audio(TONE, { range = { 0, 1 }, effects = { { \"org.cutroom.gain\", { range = { 2, 1 } } } } })",
                "does not lie in the clip"
            ),
            ("draft:add_image(STILL, { duration = 1, effects = { { \"org.cutroom.gain\" } } })", "an image has none"),
            (
                "draft:add_image(STILL, { duration = 1, transition = { kind = \"org.cutroom.gain\", duration = 0.5 } })",
                "but a transition is needed"
            ),
        ]

        /// Every second of ``Sweep``'s.
        @Test(arguments: misplaced.every(2))
        func `the wrong effect in the wrong place says so`(line: String, words: String) throws {
            let studio = try Studio()
            let body = line.replacingOccurrences(of: "TONE", with: try Footage.tone.lua)
                .replacingOccurrences(of: "STILL", with: try Footage.still.lua)
            try studio.script("draft:add_image(\(Footage.still.lua), { duration = 2 })\n" + body)
            let result = try studio.run(["check", "edit.lua"])
            #expect(result.status == 65 && result.stderr.contains(words), "\(result)")
        }

        @Test func `what a new audio filter's README says renders`() throws {
            let studio = try Studio()
            #expect(try studio.run(["plugin", "new", "louder", "--lang", "c", "--kind", "audio-filter"]).succeeded)
            #expect(try Command.run(["make", "-C", studio.file("louder")]).succeeded)
            let readme = try String(contentsOfFile: studio.file("louder/README.md"), encoding: .utf8)
            let line = try #require(readme.split(separator: "\n").first { $0.contains("draft:add_effect") })
            try studio.script("draft:add_clip(\(Self.flat.lua), { range = { 0, 1 } })\n\(line)")
            let heard = try Sound(of: try studio.render(to: "out.wav", with: ["--plugin-path", "louder/louder.so"]))
            // 0.8 times 0.25.
            #expect(abs(heard.level(0.2, 0.6) - 20 * log10(0.2)) < 0.1)
        }

        @Suite struct Sweep {
            @Test(arguments: misplaced)
            func `the wrong effect in the wrong place says so`(line: String, words: String) throws {
                try SoundFilterTests().`the wrong effect in the wrong place says so`(line: line, words: words)
            }

            @Test(arguments: [1, 2, 6]) func `blocks have as many channels as the output`(channels: Int) throws {
                try SoundFilterTests().`blocks have as many channels as the output`(channels: channels)
            }
        }
    }
}
