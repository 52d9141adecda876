import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Sound of a loudness that is asked for, measured by ffmpeg's own meter on what it decodes.
    @Suite struct LoudnessTests {
        private struct Heard {
            var integrated = 0.0
            var truePeak = 0.0

            init(of path: String) throws {
                let output = try Command.run([
                    "ffmpeg", "-hide_banner", "-nostdin", "-i", path, "-map", "0:a:0", "-af", "ebur128=peak=true", "-f",
                    "null", "-",
                ])
                let summary = output.stderr.components(separatedBy: "Summary:").last ?? ""
                func number(_ name: String) throws -> Double {
                    let line = summary.split(separator: "\n").first { $0.contains(name) }
                    return try #require(line?.split(separator: " ").compactMap { Double($0) }.first, "\(output)")
                }
                (integrated, truePeak) = (try number("I: "), try number("Peak:"))
            }
        }

        /// Twelve seconds of soft and loud noise with drum strokes in it, in stereo: peaks about 15
        /// dB above its loudness.
        private static var drums: String {
            get throws {
                let side = { (seed: Int) in
                    "0.02*(1+sin(0.5*PI*t))*(2*random(\(seed))-1)+0.3*exp(-40*mod(t+0.1*\(seed),0.5))*sin(2*PI*90*t)"
                        + "+0.35*exp(-300*mod(t,0.5))*(2*random(\(seed + 2))-1)"
                }
                return try Footage.made(
                    "drums.wav",
                    ["-f", "lavfi", "-i", "aevalsrc='\(side(0))|\(side(1))':sample_rate=48000:duration=12"])
            }
        }

        private static let loudnesses = [
            ("wav", -11, -1), ("wav", -23.0, -1.0), ("m4a", -14, -1.5), ("opus", -14, -1), ("mp3", -12, -2),
        ]

        @Test(arguments: loudnesses.prefix(1))
        func `the output has the loudness, and its peaks are bounded`(
            container: String, loudness: Double, truePeak: Double
        ) throws {
            let studio = try Studio()
            try studio.script(
                "draft:add_audio(\(Self.drums.lua))\ndraft.loudness = \(loudness)\ndraft.true_peak = \(truePeak)")
            let heard = try Heard(of: try studio.render(to: "out." + container))
            #expect(abs(heard.integrated - loudness) <= 0.3, "\(heard)")
            #expect(heard.truePeak <= truePeak + 0.1, "\(heard)")
        }

        @Test func `what was measured is kept, and the plan says what is asked for`() throws {
            let studio = try Studio()
            func script(_ more: String) throws {
                try studio.script(
                    "draft:add_audio(\(Self.drums.lua), { range = { 0, 3 } })\ndraft.loudness = -16\n\(more)")
            }
            try script("")
            let plan = try studio.run(["plan", "edit.lua"])
            #expect(
                plan.text.contains("normalizes it to −16 LUFS, with true peaks up to −1 dBTP")
                    || plan.text.contains("normalizes it to -16 LUFS, with true peaks up to -1 dBTP"), "\(plan)")
            var sounds: [Data] = []
            for workers in ["1", "3"] {
                try studio.emptyCache()
                sounds.append(
                    try Data(
                        contentsOf: URL(
                            fileURLWithPath: studio.render(to: "\(workers).mp4", with: ["--workers", workers]))))
            }
            #expect(sounds[0] == sounds[1])
            // Another picture: its parts are made, and the sound is not.
            let before = studio.cacheEntries
            try script("draft:add_title(\"Hello\", { size = 20 })")
            try studio.render(to: "titled.mp4")
            #expect(studio.cacheEntries.count == before.count + 2 || studio.cacheEntries.count == before.count + 1)
            let kept = try Heard(of: studio.file("titled.mp4"))
            #expect(abs(kept.integrated + 16) <= 0.3, "\(kept)")
        }

        @Test func `silence, what is short, and what cannot be reached are told of`() throws {
            let studio = try Studio()
            let silence = try Footage.made(
                "silence.wav", ["-f", "lavfi", "-i", "anullsrc=sample_rate=48000", "-t", "2"])
            try studio.script("draft:add_audio(\(silence.lua))\ndraft.loudness = -14")
            for _ in 0..<2 {
                // The second time the sound comes from the cache.
                let result = try studio.run(["render", "edit.lua", "-o", "silence.wav", "--overwrite"])
                #expect(result.status == 0 && result.stderr.contains("the sound is silent, or too short"), "\(result)")
            }
            #expect(try Sound(of: studio.file("silence.wav")).peak == 0)
            try studio.script("draft:add_audio(\(Footage.tone.lua), { range = { 0, 0.3 } })\ndraft.loudness = -14")
            let short = try studio.run(["render", "edit.lua", "-o", "short.wav"])
            #expect(short.status == 0 && short.stderr.contains("shorter than 0.4 s"), "\(short)")
            // A tone that is held 9 dB below full scale has no −5 LUFS.
            try studio.script("draft:add_audio(\(Footage.tone.lua))\ndraft.loudness = -5\ndraft.true_peak = -9")
            let loud = try studio.run(["render", "edit.lua", "-o", "loud.wav"])
            #expect(loud.status == 0 && loud.stderr.contains("LUFS instead of"), "\(loud)")
            #expect(try Heard(of: studio.file("loud.wav")).truePeak <= -8.9)
        }

        /// The other loudnesses and files.
        @Suite struct Sweep {
            @Test(arguments: loudnesses.dropFirst(1))
            func `the output has the loudness, and its peaks are bounded`(
                container: String, loudness: Double, truePeak: Double
            ) throws {
                try LoudnessTests().`the output has the loudness, and its peaks are bounded`(
                    container: container, loudness: loudness, truePeak: truePeak)
            }
        }
    }

    /// Drafts without a clip, sound beside its picture, and filters with a key of their own.
    @Suite struct SoundPlaceTests {
        @Test func `a draft of sound alone is a file of sound, or an audiogram`() throws {
            let studio = try Studio()
            try studio.script(
                """
                draft:add_audio(\(Footage.tone.lua), { at = 0.5, range = { 0, 2 } })
                draft:add_effect("org.cutroom.waveform", { media = \(Footage.tone.lua), rect = { 0, 24, 160, 48 }, color = "#ffffff" })
                draft:add_title("Hello", { size = 20, range = { 0, 1 } })
                draft.background = "#0000ff"
                assert(draft.duration == 2.5 and draft.original_duration == 2.5)
                """)
            for name in ["out.m4a", "out.wav"] {
                let sound = try Movie(try studio.render(to: name))
                #expect(sound.picture == nil && abs((sound.soundDuration ?? 0) - 2.5) < 0.001)
            }
            let movie = try Movie(try studio.render())
            #expect(movie.frames == 75 && abs((movie.soundDuration ?? 0) - 2.5) < 0.001)
            let frames = try FFmpeg.grayFrames(of: studio.file("out.mp4"), width: 160, height: 96)
            // Blue above and below, bars between.
            #expect(frames[60][5 * 160 + 5] < 40 && (frames[60].max() ?? 0) > 150)
            let heard = try Sound(of: studio.file("out.wav"))
            #expect(heard.level(0, 0.45) < -100 && heard.level(0.6, 1.8) > -30)
        }

        /// Three seconds of 440 Hz, then three of 1320 Hz, with a picture.
        private static var twoTones: String {
            get throws {
                try Footage.made(
                    "two-tones.mov",
                    [
                        "-f", "lavfi", "-i", "color=gray:size=64x64:rate=25:duration=6", "-f", "lavfi", "-i",
                        "aevalsrc='0.25*sin(2*PI*if(lt(t,3),440,1320)*t)':sample_rate=48000:duration=6", "-c:v",
                        "libx264",
                        "-preset", "ultrafast", "-c:a", "pcm_s16le",
                    ])
            }
        }

        @Test func `sound comes before its picture and stays after it`() throws {
            let studio = try Studio()
            // The high tone from 1 s on, a second before the picture changes; backwards the same.
            for (range, options) in [("3, 2", "sound_lead = 0.0"), ("4.5, 1", "sound_lead = 1, fade_in = 0.5")] {
                try studio.script(
                    """
                    draft:add_clip(\(Self.twoTones.lua), { range = { 0, 2 }, volume = 0 })
                    draft:add_clip(\(Self.twoTones.lua), { range = { \(range) }, \(options) })
                    """, size: (64, 64), fps: "25")
                let heard = try Sound(of: try studio.render(to: "out.wav", with: ["--overwrite"]))
                let hasLead = options.contains("fade_in")
                #expect(heard.level(0, 0.95) < -100)
                if hasLead {
                    #expect(abs(heard.frequency(1.6, 0.3) - 1320) < 1 && abs(heard.frequency(2.2, 0.5) - 1320) < 1)
                    // Half-way through the fade.
                    #expect(abs(heard.level(1.24, 0.02) - heard.level(1.6, 0.2) + 6) < 0.5)
                } else {
                    #expect(heard.level(1.2, 0.7) < -100 && abs(heard.frequency(2.2, 0.5) - 1320) < 1)
                }
            }
            try studio.script(
                """
                draft:add_clip(\(Self.twoTones.lua), { range = { 1, 1 }, sound_tail = 1, reverse = true })
                draft:add_clip(\(Self.twoTones.lua), { range = { 3, 1 }, volume = 0.5 })
                """, size: (64, 64), fps: "25")
            let heard = try Sound(of: try studio.render(to: "out.wav", with: ["--overwrite"]))
            #expect(abs(heard.frequency(0.2, 0.6) - 440) < 1)
            // Both tones: 440 Hz at −12 dB, 1320 Hz at −18 dB (peak), of sines 3 dB less.
            #expect(abs(heard.level(1.2, 0.6) - 10 * log10(0.25 * 0.25 / 2 + 0.125 * 0.125 / 2)) < 0.2)
        }

        @Test func `a filter is keyed by what it names`() throws {
            let studio = try Studio()
            func level(_ key: String, _ time: Double) throws -> Double {
                let duck = "effects = { { \"org.cutroom.ducking\", { key = \(key), amount = 20, threshold = -60 } } }"
                try studio.script(
                    """
                    draft:add_clip(\(Self.twoTones.lua), { id = "picture", range = { 0, 3 }, volume = 0.0001 })
                    draft:add_audio(\(Self.twoTones.lua), { id = "voice", range = { 3, 1 }, at = 1, volume = 0.05 })
                    draft:add_audio(\(Footage.tone.lua), { id = "music", range = { 0, 3 }, \(duck) })
                    """, size: (64, 64), fps: "25")
                return try Sound(of: try studio.render(to: "out.wav", with: ["--overwrite"])).level(time, 0.3)
            }
            let (before, under) = (try level("\"voice\"", 0.2), try level("{ \"voice\" }", 1.4))
            #expect(before - under > 12 && before - under < 21, "\(before) \(under)")
            // The picture's own sound is too soft to key.
            let other = try level("{ \"picture\" }", 1.4)
            #expect(abs(other - before) < 0.5, "\(other) \(before)")
        }
    }
}
