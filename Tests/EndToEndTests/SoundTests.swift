import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The sound of an output, measured.
    @Suite struct SoundTests {
        /// Renders a script to sound alone.
        private func sound(_ body: String) throws -> Sound {
            let studio = try Studio()
            try studio.script(body, size: (64, 64))
            return try Sound(of: try studio.render(to: "out.m4a"))
        }

        /// A silent picture of some seconds, which the sound lies on.
        private func stage(_ seconds: Double) throws -> String {
            "draft:add_image(\(try Footage.still.lua), { duration = \(seconds) })\n"
        }

        private static func noise(_ seed: Int) throws -> String {
            try Footage.made(
                "noise-\(seed).mp4",
                [
                    "-f", "lavfi", "-i", "color=gray:size=64x64:rate=30:duration=3", "-f", "lavfi", "-i",
                    "anoisesrc=color=white:amplitude=0.3:seed=\(seed):sample_rate=48000:duration=3", "-c:v", "libx264",
                    "-preset", "ultrafast",
                    "-c:a", "aac", "-b:a", "256k",
                ])
        }

        @Test func `volume half is six decibels less`() throws {
            let loud = try sound("draft:add_clip(\(Footage.pattern.lua), { range = { 0, 2 } })")
            let soft = try sound("draft:add_clip(\(Footage.pattern.lua), { range = { 0, 2 }, volume = 0.5 })")
            #expect(abs(loud.level(0.5, 1) - soft.level(0.5, 1) - 20 * log10(2)) < 0.2)
        }

        @Test func `music lies under everything at its own volume`() throws {
            let one = try sound(try stage(3) + "draft:add_audio(\(Footage.tone.lua))")
            let music = try sound(try stage(3) + "draft:add_audio(\(Footage.tone.lua), { volume = 0.4, at = 1 })")
            #expect(abs(music.level(1.5, 1) - one.level(1.5, 1) - 20 * log10(0.4)) < 0.2)
            #expect(music.level(0, 0.9) < -70)
            #expect(abs(music.duration - 3) < 0.03)
        }

        @Test func `fades are straight lines of amplitude`() throws {
            let whole = try sound(try stage(3) + "draft:add_audio(\(Footage.tone.lua), { range = { 0, 3 } })")
            let faded = try sound(
                try stage(3) + "draft:add_audio(\(Footage.tone.lua), { range = { 0, 3 }, fade_in = 1, fade_out = 1 })")
            for (time, factor) in [(0.25, 0.25), (0.5, 0.5), (0.75, 0.75), (1.5, 1), (2.25, 0.75), (2.75, 0.25)] {
                let change = faded.level(time - 0.02, 0.04) - whole.level(time - 0.02, 0.04)
                #expect(abs(change - 20 * log10(factor)) < 0.5, "at \(time) s: \(change) dB")
            }
        }

        @Test func `a ramp follows its keyframes`() throws {
            let whole = try sound(try stage(3) + "draft:add_audio(\(Footage.tone.lua), { range = { 0, 3 } })")
            let keys = "{ { 0, 1 }, { 1, 1 }, { 2, 0.25 }, { 3, 0.25 } }"
            let ramp = try sound(
                try stage(3) + "draft:add_audio(\(Footage.tone.lua), { range = { 0, 3 }, volume = \(keys) })")
            for (time, factor) in [(0.5, 1), (1.5, 0.625), (2.5, 0.25)] {
                let change = ramp.level(time - 0.02, 0.04) - whole.level(time - 0.02, 0.04)
                #expect(abs(change - 20 * log10(factor)) < 0.4, "at \(time) s: \(change) dB")
            }
        }

        @Test func `two clips cross with equal power`() throws {
            let (a, b) = (try Self.noise(1), try Self.noise(2))
            let mixed = try sound(
                """
                draft:add_clip(\(a.lua), { range = { 0, 2 } })
                draft:add_clip(\(b.lua), { range = { 0, 2 }, transition = { "dissolve", 1 } })
                """)
            let level = mixed.level(0.2, 0.6)
            for time in [1.0, 1.2, 1.4, 1.6, 1.8] {
                #expect(
                    abs(mixed.level(time, 0.2) - level) < 1,
                    "at \(time) s: \(mixed.level(time, 0.2)) dB, else \(level) dB")
            }
        }

        @Test(arguments: [0.5, 0.75, 1.5, 2]) func `another speed keeps the pitch`(speed: Double) throws {
            let kept = try sound("draft:add_clip(\(Footage.pattern.lua), { range = { 0, 2 }, speed = \(speed) })")
            #expect(abs(kept.duration - 2 / speed) < 0.04)
            #expect(abs(kept.frequency(0.2, 0.6) / 440 - 1) < 0.01)
            #expect(
                abs(
                    kept.level(0.2, 0.6)
                        - (try sound("draft:add_clip(\(Footage.pattern.lua), { range = { 0, 1 } })").level(0.2, 0.6)))
                    < 1)
        }

        /// Renders a script to uncompressed sound, and returns the file's bytes.
        private func wave(_ body: String) throws -> Data {
            let studio = try Studio()
            try studio.script(body, size: (64, 64))
            return try Data(contentsOf: URL(fileURLWithPath: try studio.render(to: "out.wav")))
        }

        /// Cuts of one source that follow one another sound as one clip over the whole, to the
        /// sample.
        @Test(arguments: [("", 1.25), (", reverse = true", 1.5)]) func `cuts at a speed leave no seam`(
            options: String, speed: Double
        ) throws {
            let file = try Footage.pattern.lua
            func clip(_ start: Double, _ length: Double) -> String {
                "draft:add_clip(\(file), { range = { \(start), \(length) }, speed = \(speed)\(options) })"
            }
            let starts = stride(from: 0.0, to: 2, by: 0.25)
            let order = options.isEmpty ? Array(starts) : starts.reversed()
            let whole = try wave(clip(0, 2))
            #expect(try wave(order.map { clip($0, 0.25) }.joined(separator: "\n")) == whole)
            // In a draft in a draft, which is mixed in a run of its own.
            let cuts = order.map { clip($0, 0.25) }.joined(separator: "\n")
            let nested = try wave(
                """
                local inner = cutroom.draft { size = { 64, 64 }, fps = 30 }
                \(cuts.replacingOccurrences(of: "draft:", with: "inner:"))
                draft:add_clip(inner)
                """)
            #expect(nested == whole)
        }

        /// Audio clips, each a voice of its own, of which one looks ahead and others have volumes
        /// of their own.
        @Test func `cuts of audio clips at a speed leave no seam`() throws {
            let file = try Footage.tone.lua
            func sound(_ more: [Int: String]) throws -> Data {
                let lines = (0..<8).map {
                    "draft:add_audio(\(file), { at = \($0) * 0.2, range = { \($0) * 0.25, 0.25 }, "
                        + "speed = 1.25\(more[$0] ?? "") })"
                }
                return try wave(try stage(1.6) + lines.joined(separator: "\n"))
            }
            let whole = try wave(
                try stage(1.6) + "draft:add_audio(\(file), { at = 0, range = { 0, 2 }, speed = 1.25 })")
            #expect(try sound([:]) == whole)
            // A filter that looks ahead reads its clip before the others are played to their ends.
            // They stay as they are.
            let filtered = try sound([3: ", effects = { { \"org.cutroom.noise_reduction\" } }"])
            let second = Int(whole.dropFirst(28).withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) })
            #expect(filtered.count == whole.count && filtered != whole)
            #expect(filtered.prefix(44 + second * 6 / 10) == whole.prefix(44 + second * 6 / 10))
            #expect(filtered.suffix(second * 8 / 10) == whole.suffix(second * 8 / 10))
        }

        @Test(arguments: [0.5, 2]) func `without its pitch kept a tone moves with the speed`(speed: Double) throws {
            let moved = try sound(
                try stage(1)
                    + "draft:add_audio(\(Footage.tone.lua), { range = { 0, 2 }, speed = \(speed), keep_pitch = false })"
            )
            #expect(abs(moved.frequency(0.2, 0.6) / (440 * speed) - 1) < 0.01)
        }

        @Test func `a loop plays to the end`() throws {
            let source = try Footage.made(
                "beep.wav",
                [
                    "-f", "lavfi", "-i",
                    "aevalsrc='if(lt(t,0.1),0.5*sin(2*PI*1000*t),0)':sample_rate=48000:duration=0.5",
                ])
            let loop = try sound(try stage(2.2) + "draft:add_audio(\(source.lua), { loop = true })")
            let onsets = loop.onsets(above: 0.2, pause: 0.2)
            #expect(onsets.count == 5)
            for (onset, wanted) in zip(onsets, [0, 0.5, 1, 1.5, 2]) { #expect(abs(onset - wanted) < 0.002) }
        }

        @Test(arguments: ["wav", "m4a", "mp3", "ogg"]) func `sound starts at its sample`(format: String) throws {
            let codecs = [
                "wav": [], "m4a": ["-c:a", "aac"], "mp3": ["-c:a", "libmp3lame"], "ogg": ["-c:a", "libvorbis"],
            ]
            let source = try Footage.made(
                "impulse." + format,
                [
                    "-f", "lavfi", "-i", "aevalsrc='if(between(n,24000,24003),0.9,0)':sample_rate=48000:duration=2",
                ] + (codecs[format] ?? []) + (format == "wav" ? [] : ["-b:a", "192k"]))
            // Sample 24000 of the source, from 0.25 s on, at 1.1 s: the impulse is due at 1.35 s.
            let heard = try sound(try stage(3) + "draft:add_audio(\(source.lua), { at = 1.1, range = { 0.25, 1.5 } })")
            let peak = try #require(heard.samples.indices.max { abs(heard.samples[$0]) < abs(heard.samples[$1]) })
            #expect(abs(Double(peak) / Sound.rate - 1.35) < 0.001)
        }

        @Test func `what is too loud is limited and not clipped`() throws {
            let tone = try Footage.made(
                "loud.wav", ["-f", "lavfi", "-i", "aevalsrc='0.95*sin(2*PI*500*t)':sample_rate=48000:duration=3"])
            let sum = try sound(try stage(3) + "draft:add_audio(\(tone.lua))\ndraft:add_audio(\(tone.lua))")
            // AAC moves single samples a little over what was put in.
            #expect(sum.peak <= 1.05)
            #expect(sum.level(1, 1) > -4)
            #expect(abs(sum.frequency(1, 1) / 500 - 1) < 0.001)
            // A clipped sine has a strong third harmonic, a limited one nearly none.
            let harmonic = Self.amplitude(of: 1500, in: sum) / Self.amplitude(of: 500, in: sum)
            #expect(harmonic < 0.02, "third harmonic \(harmonic)")
        }

        /// Of one frequency from 1 s to 2 s, by correlation with it.
        private static func amplitude(of frequency: Double, in sound: Sound) -> Double {
            var (real, imaginary) = (0.0, 0.0)
            for index in 48_000..<96_000 {
                let angle = 2 * Double.pi * frequency * Double(index) / Sound.rate
                real += Double(sound.samples[index]) * cos(angle)
                imaginary += Double(sound.samples[index]) * sin(angle)
            }
            return (real * real + imaginary * imaginary).squareRoot() / 24_000
        }

        @Test(arguments: [("mono", 48_000), ("stereo", 44_100), ("5.1", 48_000), ("stereo", 22_050), ("mono", 96_000)])
        func `sound of any layout and rate is heard in its pitch`(layout: String, rate: Int) throws {
            let channels = ["mono": 1, "stereo": 2, "5.1": 6][layout] ?? 2
            let voices = Array(repeating: "0.3*sin(2*PI*1000*t)", count: channels).joined(separator: "|")
            let source = try Footage.made(
                "\(layout)-\(rate).wav",
                [
                    "-f", "lavfi", "-i", "aevalsrc='\(voices)':channel_layout=\(layout):sample_rate=\(rate):duration=2",
                ])
            let studio = try Studio()
            try studio.script(try stage(2) + "draft:add_audio(\(source.lua))", size: (64, 64))
            let output = try studio.render(to: "out.m4a")
            for channel in 0...1 {
                let heard = try Sound(of: output, channel: channel)
                #expect(abs(heard.frequency(0.5, 1) / 1000 - 1) < 0.001)
                #expect(heard.level(0.5, 1) > -20)
                // What the last packet holds beyond the end: at 22050 Hz up to 46 ms.
                #expect(abs(heard.duration - 2) < 0.05)
            }
        }

        @Test func `left and right stay where they are`() throws {
            let source = try Footage.made(
                "sides.wav",
                [
                    "-f", "lavfi", "-i",
                    "aevalsrc='0.5*sin(2*PI*500*t)|0.5*sin(2*PI*800*t)':sample_rate=48000:duration=2",
                ])
            let studio = try Studio()
            try studio.script(try stage(2) + "draft:add_audio(\(source.lua))", size: (64, 64))
            let output = try studio.render(to: "out.m4a")
            #expect(abs(try Sound(of: output, channel: 0).frequency(0.5, 1) / 500 - 1) < 0.01)
            #expect(abs(try Sound(of: output, channel: 1).frequency(0.5, 1) / 800 - 1) < 0.01)
        }

        @Test func `sound shorter than its picture is followed by silence`() throws {
            let source = try Footage.made(
                "short-sound.mp4",
                [
                    "-f", "lavfi", "-i", "color=gray:size=64x64:rate=30:duration=2", "-f", "lavfi", "-i",
                    "sine=frequency=440:sample_rate=48000:duration=1", "-c:v", "libx264", "-preset", "ultrafast",
                    "-c:a", "aac",
                ])
            let studio = try Studio()
            try studio.script(
                "draft:add_clip(\(source.lua))\ndraft:add_clip(\(Footage.pattern.lua), { range = { 0, 1 } })",
                size: (64, 64))
            let output = try studio.render()
            let movie = try Movie(output)
            #expect(movie.frames == 90)
            #expect(abs(try #require(movie.soundDuration) - 3) < 1.0 / 30)
            let heard = try Sound(of: output)
            #expect(heard.level(0.2, 0.6) > -30 && heard.level(1.2, 0.7) < -60 && heard.level(2.2, 0.6) > -30)
        }

        @Test func `without any sound there is no sound track`() throws {
            let studio = try Studio()
            try studio.script("draft:add_clip(\(Footage.silent.lua), { range = { 0, 0.5 } })", size: (64, 64))
            #expect(try Movie(try studio.render()).sound == nil)
        }

        @Test func `a repeat repeats the clip's sound and not the music`() throws {
            let source = try Footage.made(
                "one-click.mp4",
                [
                    "-f", "lavfi", "-i", "color=gray:size=64x64:rate=30:duration=2", "-f", "lavfi", "-i",
                    "aevalsrc='if(between(t,0.5,0.502),0.9*sin(2*PI*2000*t),0)':sample_rate=48000:duration=2", "-c:v",
                    "libx264", "-preset",
                    "ultrafast", "-c:a", "aac", "-b:a", "192k",
                ])
            let heard = try sound(
                "draft:add_clip(\(source.lua))\ndraft:add_effect(\"repeat\", { range = { 0.25, 0.5 }, count = 3 })")
            let onsets = heard.onsets(above: 0.2, pause: 0.2)
            #expect(onsets.count == 3)
            for (onset, wanted) in zip(onsets, [0.5, 1, 1.5]) { #expect(abs(onset - wanted) < 0.003, "\(onset)") }
            let music = try sound(
                try stage(2)
                    + "draft:add_effect(\"repeat\", { range = { 0.25, 0.5 }, count = 3 })\ndraft:add_audio(\(source.lua))"
            )
            #expect(music.onsets(above: 0.2, pause: 0.2).count == 1)
        }
    }
}
