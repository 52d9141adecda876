import Foundation
import TestSupport
import Testing

extension EndToEndPlugins {
    /// Music that makes room for the main track's voice, by its level over time.
    @Suite struct DuckingTests {
        /// A second of 200 Hz at −23 dB (RMS), with a picture.
        private static var voice: String {
            get throws {
                try Footage.made(
                    "voice.mov",
                    [
                        "-f", "lavfi", "-i", "color=gray:size=64x64:rate=25:duration=1", "-f", "lavfi", "-i",
                        "aevalsrc='0.1*sin(400*PI*t)|0.1*sin(400*PI*t)':sample_rate=48000:duration=1", "-c:v",
                        "libx264",
                        "-preset", "ultrafast", "-c:a", "pcm_s16le",
                    ])
            }
        }

        /// Six seconds of 3 kHz.
        private static var music: String {
            get throws {
                try Footage.made(
                    "music3k.wav",
                    ["-f", "lavfi", "-i", "aevalsrc=0.25*sin(6000*PI*t):sample_rate=48000:duration=6"])
            }
        }

        /// Seconds that the detector takes to fall from the voice's mean square to the threshold's,
        /// with its one pole of 5 ms.
        private static let tail = 0.005 * log(0.005 / 1e-4)

        private static let values = "threshold = -40, amount = 20, attack = 100, hold = 200, release = 500"

        /// The voice is heard from 2 to 3 s of six.
        fileprivate static func script(_ studio: Studio, effects: String, clip: String = "", more: String = "") throws {
            try studio.script(
                """
                draft:add_image(\(Footage.still.lua), { duration = 2 })
                draft:add_clip(\(voice.lua), { range = { 0, 1 }\(clip) })
                draft:add_image(\(Footage.still.lua), { duration = 3 })
                draft:add_audio(\(music.lua), { effects = { \(effects) } })
                \(more)
                """, size: (64, 64), fps: "25")
        }

        /// How much softer the music is, in dB, by correlation with it over 10 ms, which is 30 of
        /// its periods and 2 of the voice's.
        fileprivate static func reduction(_ sound: Sound, at time: Double) -> Double {
            let (first, count) = (Int((time * Sound.rate).rounded()) - 240, 480)
            var (real, imaginary) = (0.0, 0.0)
            for index in first..<first + count {
                let angle = 6000 * Double.pi * Double(index) / Sound.rate
                real += Double(sound.samples[index]) * cos(angle)
                imaginary += Double(sound.samples[index]) * sin(angle)
            }
            return -20 * log10(2 * (real * real + imaginary * imaginary).squareRoot() / Double(count) / 0.25)
        }

        fileprivate static func heard(_ studio: Studio) throws -> Sound {
            try Sound(of: try studio.render(to: "out.wav", with: ["--overwrite"]))
        }

        @Test func `it is down when the voice begins, and comes back after its end`() throws {
            let studio = try Studio()
            try Self.script(studio, effects: "{ \"org.cutroom.ducking\", { \(Self.values) } }")
            let heard = try Self.heard(studio)
            #expect(heard.samples.count == 288_000)
            for (time, wanted) in [
                (0.5, 0.0), (1.88, 0), (1.925, 5), (1.95, 10), (1.975, 15), (2.01, 20), (2.5, 20), (2.95, 20),
                // 200 ms are held, then it rises for 500 ms.
                (3.1, 20), (3.2, 20), (3.325 + Self.tail, 15), (3.45 + Self.tail, 10), (3.575 + Self.tail, 5),
                (3.74, 0),
                (5.5, 0),
            ] {
                let found = Self.reduction(heard, at: time)
                #expect(abs(found - wanted) < 0.3, "at \(time) s: \(found) dB")
            }
        }

        @Test func `what acts on the main track's sound acts on what keys it`() throws {
            let studio = try Studio()
            // 20 dB above the threshold; 30 dB less are not heard.
            for (gain, wanted) in [(-10.0, 20.0), (-30, 0)] {
                try Self.script(
                    studio, effects: "{ \"org.cutroom.ducking\", { \(Self.values) } }",
                    more: "draft:add_effect(\"org.cutroom.gain\", { gain = \(gain) })")
                let found = Self.reduction(try Self.heard(studio), at: 2.5)
                #expect(abs(found - wanted) < 0.3, "\(gain) dB: \(found)")
            }
            // The voice's own volume, and a place that a repeat gives it: 2–3 and 3–4 s.
            try Self.script(
                studio, effects: "{ \"org.cutroom.ducking\", { \(Self.values) } }",
                more: "draft:add_effect(\"repeat\", { range = { 2, 1 }, count = 2 })")
            let twice = try Self.heard(studio)
            #expect(abs(Self.reduction(twice, at: 3.9) - 20) < 0.3 && abs(Self.reduction(twice, at: 4.8)) < 0.3)
            try Self.script(studio, effects: "{ \"org.cutroom.ducking\", { \(Self.values) } }", clip: ", volume = 0.01")
            #expect(abs(Self.reduction(try Self.heard(studio), at: 2.5)) < 0.3)
        }

        @Test func `what begins under a voice begins down, and before one on its way`() throws {
            let studio = try Studio()
            try Self.script(
                studio, effects: "{ \"org.cutroom.ducking\", { range = { 2.5, 2 }, \(Self.values) } }")
            let under = try Self.heard(studio)
            for (time, wanted) in [(2.4, 0.0), (2.51, 20), (2.9, 20), (3.45 + Self.tail, 10), (4, 0)] {
                #expect(abs(Self.reduction(under, at: time) - wanted) < 0.3, "at \(time) s")
            }
            // Half of the attack is before the range.
            try Self.script(
                studio, effects: "{ \"org.cutroom.ducking\", { range = { 1.95, 2 }, \(Self.values) } }")
            let before = try Self.heard(studio)
            for (time, wanted) in [(1.94, 0.0), (1.96, 12), (1.98, 16), (2.01, 20)] {
                #expect(abs(Self.reduction(before, at: time) - wanted) < 0.3, "at \(time) s")
            }
        }

        @Test func `it comes back by straight lines, whatever becomes of the amount meanwhile`() throws {
            let studio = try Studio()
            func heard(_ amount: String) throws -> Sound {
                let values = "threshold = -40, amount = { \(amount) }, attack = 100, hold = 200, release = 500"
                try Self.script(studio, effects: "{ \"org.cutroom.ducking\", { \(values) } }")
                return try Self.heard(studio)
            }
            let after = try heard("{ 0, 20 }, { 3.23, 20 }, { 3.25, 1 }")
            for (time, wanted) in [
                (3.1, 20.0), (3.325 + Self.tail, 15), (3.45 + Self.tail, 10), (3.575 + Self.tail, 5), (3.74, 0),
            ] {
                #expect(abs(Self.reduction(after, at: time) - wanted) < 0.4, "at \(time) s")
            }
            // In the voice, from 20 to 5 dB at the pace of the 20, and from there at that of the 5.
            let during = try heard("{ 0, 20 }, { 2.4, 20 }, { 2.41, 5 }")
            for (time, wanted) in [
                (2.35, 20.0), (2.53, 15), (2.655, 10), (2.85, 5), (3.2, 5), (3.45 + Self.tail, 2.5), (3.74, 0),
            ] {
                #expect(abs(Self.reduction(during, at: time) - wanted) < 0.4, "at \(time) s")
            }
        }

        @Test func `filters that look ahead may follow`() throws {
            let studio = try Studio()
            try Fixture.plugin("sound", as: "sound", in: studio)
            try Self.script(
                studio,
                effects:
                    "{ \"org.cutroom.ducking\", { \(Self.values) } }, { \"org.cutroom.noise_reduction\", { amount = 0 } }"
            )
            let heard = try Self.heard(studio)
            for (time, wanted) in [(1.95, 10.0), (2.5, 20), (3.45 + Self.tail, 10)] {
                #expect(abs(Self.reduction(heard, at: time) - wanted) < 0.3, "at \(time) s")
            }
        }

        @Test func `what it listens to is said of it`() throws {
            let info = try Studio().run(["plugin", "info", "org.cutroom.ducking"])
            #expect(info.status == 0 && info.text.contains("keyed by the sound of the main track"), "\(info)")
        }

        @Test(arguments: [
            "draft:add_effect(\"org.cutroom.ducking\", {})",
            "draft:add_clip(VOICE, { effects = { { \"org.cutroom.ducking\" } } })",
        ])
        func `on the main track it has nothing to listen to`(line: String) throws {
            let studio = try Studio()
            let body = try line.replacingOccurrences(of: "VOICE", with: Self.voice.lua)
            try studio.script("draft:add_clip(\(Self.voice.lua))\n\(body)", size: (64, 64))
            let result = try studio.run(["check", "edit.lua"])
            #expect(result.status == 65, "\(result)")
            for words in ["edit.lua:4", "which it would be a part of here; put it into the ‘effects’ of an audio clip"]
            {
                #expect(result.stderr.contains(words), "\(result)")
            }
        }

        /// What takes longer.
        @Suite struct Sweep {
            @Test func `the bytes are the same for any number of workers, and follow the voice`() throws {
                let studio = try Studio()
                try DuckingTests.script(studio, effects: "{ \"org.cutroom.ducking\" }")
                var outputs: [Data] = []
                for workers in ["1", "4"] {
                    try studio.emptyCache()
                    let path = try studio.render(to: "\(workers).mp4", with: ["--workers", workers])
                    outputs.append(try Data(contentsOf: URL(fileURLWithPath: path)))
                }
                #expect(outputs[0] == outputs[1])
                // What the voice does decides the music's bytes: the sound is rendered again.
                try DuckingTests.script(studio, effects: "{ \"org.cutroom.ducking\" }", clip: ", volume = 0")
                let silent = try DuckingTests.reduction(DuckingTests.heard(studio), at: 2.5)
                #expect(abs(silent) < 0.1)
            }
        }
    }
}
