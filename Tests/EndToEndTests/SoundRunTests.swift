import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Sound is mixed in runs: an edit mixes those that it touches, and the file is that of an
    /// empty cache.
    @Suite struct SoundRunTests {
        /// Ninety seconds of music under voices, one of which has the volume.
        private static func script(_ studio: Studio, volume: Double, music options: String = "", end: String = "")
            throws
        {
            let music = try Footage.made(
                "run-music.m4a",
                [
                    "-f", "lavfi", "-i", "anoisesrc=d=90:c=pink:r=48000:a=0.2:seed=3,aeval=val(0)|0.5*val(0)", "-c:a",
                    "aac", "-b:a", "128k",
                ])
            let voice = try Footage.made(
                "run-voice.wav", ["-f", "lavfi", "-i", "sine=f=300:d=4:r=48000,aeval=0.5*val(0)|0.4*val(0)"])
            try studio.script(
                """
                draft:add_audio(\(music.lua), { volume = 0.5, fade_in = 1, fade_out = 2 \(options) })
                for i = 0, 4 do
                    local volume = i == 2 and \(volume) or 1
                    draft:add_audio(\(voice.lua), { at = 5 + 17 * i, volume = volume, fade_in = 0.2 })
                end
                draft:add_audio(\(voice.lua), { at = 70, speed = 1.25 })
                \(end)
                """)
        }

        private static func render(_ studio: Studio, to name: String, _ more: [String] = []) throws
            -> (completed: ProgressLines.Line, mixed: Int)
        {
            let result = try studio.run(["render", "edit.lua", "-o", name, "--progress", "json", "--verbose"] + more)
            try #require(result.succeeded, "\(result)")
            let mixed = result.stderr.matches(of: /job mix\S* started/).count
            return (try #require(try ProgressLines(result.text).last("completed")), mixed)
        }

        private static func expectEqual(_ studio: Studio, _ one: String, _ other: String, _ comment: Comment) {
            #expect(
                FileManager.default.contentsEqual(atPath: studio.file(one), andPath: studio.file(other)), comment)
        }

        @Test func `an edit of one audio clip mixes the runs that it touches`() throws {
            try Self.checkEdit(workers: [2])
        }

        private static func checkEdit(workers counts: [Int]) throws {
            let studio = try Studio()
            try script(studio, volume: 1)
            let (first, all) = try render(studio, to: "first.m4a")
            #expect(first.soundRuns ?? 0 >= 4 && first.soundRunsFromCache == 0, "\(first)")
            #expect(all == first.soundRuns, "\(all) jobs mix \(first)")
            try script(studio, volume: 0.25)
            let (second, mixed) = try render(studio, to: "second.m4a")
            #expect(second.soundRuns == first.soundRuns && (1...2).contains(mixed), "\(mixed) jobs mix \(second)")
            #expect(mixed == (second.soundRuns ?? 0) - (second.soundRunsFromCache ?? 0), "\(mixed) jobs mix \(second)")
            let (again, none) = try render(studio, to: "again.m4a")
            #expect(again.soundRunsFromCache == again.soundRuns && none == 0)

            for workers in counts {
                _ = try render(studio, to: "\(workers).m4a", ["--no-cache", "--workers", "\(workers)"])
                expectEqual(studio, "second.m4a", "\(workers).m4a", "\(workers) workers and an empty cache")
            }
            #expect(
                !FileManager.default.contentsEqual(
                    atPath: studio.file("first.m4a"), andPath: studio.file("second.m4a")))
        }

        /// A filter without state and a loudness concern everything that is heard.
        private func checkFilterAndLoudness() throws {
            let studio = try Studio()
            func script(_ volume: Double, _ loudness: Double) throws {
                try Self.script(
                    studio, volume: volume, music: ", effects = { { 'org.cutroom.gain', { gain = -3 } } }",
                    end: "draft.loudness = \(loudness)")
            }
            try script(1, -20)
            let (first, all) = try Self.render(studio, to: "first.wav")
            #expect(all >= 4 && all == first.soundRuns, "\(all) jobs mix \(first)")
            try script(0.25, -20)
            let mixed = try Self.render(studio, to: "second.wav").mixed
            #expect((1...2).contains(mixed), "\(mixed) jobs mix")
            _ = try Self.render(studio, to: "whole.wav", ["--no-cache", "--workers", "2"])
            Self.expectEqual(studio, "second.wav", "whole.wav", "an empty cache")
            try script(0.25, -23)
            #expect(try Self.render(studio, to: "quiet.wav").mixed == 0, "another level mixes nothing")
        }

        /// Edit after edit, a file is that of an empty cache.
        @Suite struct Sweep {
            @Test func `one and four workers mix the same after an edit`() throws { try checkEdit(workers: [1, 4]) }

            @Test func `a filter without state and a loudness leave the other runs as they are`() throws {
                try SoundRunTests().checkFilterAndLoudness()
            }

            @Test func `random edits make the file of an empty cache`() throws {
                let rounds = Seed.cases(16)
                let seed = Seed.announced(for: "SoundRunTests", cases: rounds)
                let studio = try Studio()
                var random = SplitMix64(seed: seed)
                var lines = try (0..<6).map { _ in try line(&random) }
                for round in 0..<rounds {
                    lines[Int.random(in: 0..<lines.count, using: &random)] = try line(&random)
                    if random.chance(1, in: 4) { lines.insert(lines.removeLast(), at: 0) }
                    var script = lines.joined(separator: "\n")
                    if random.chance(1, in: 3) { script += "\ndraft:add_effect(\"org.cutroom.gain\", { gain = -2 })" }
                    if random.chance(1, in: 4) { script += "\ndraft.loudness = -18" }
                    try studio.script(script)
                    let name = random.pick(["cached.m4a", "cached.wav", "cached.opus"])
                    let whole = name.replacing("cached", with: "whole")
                    let workers = random.pick(["1", "2", "3"])
                    _ = try render(studio, to: name, ["--overwrite", "--workers", workers])
                    _ = try render(studio, to: whole, ["--overwrite", "--no-cache"])
                    expectEqual(studio, name, whole, "round \(round) of CUTROOM_SEED=\(seed): \(script)")
                }
            }

            /// A line that adds an audio clip: music, speech or noise in several codecs, changed in
            /// some way.
            private func line(_ random: inout SplitMix64) throws -> String {
                let codecs = [
                    "m4a": "aac", "ogg": "libvorbis", "wav": "pcm_s16le", "mp3": "libmp3lame", "wma": "wmav2",
                ]
                let kind = random.pick(codecs.keys.sorted())
                let sound = "anoisesrc=d=50:c=brown:r=44100:a=0.3:seed=9,aeval=val(0)|0.5*val(0)"
                let file = try Footage.made(
                    "run-sweep.\(kind)", ["-f", "lavfi", "-i", sound, "-c:a", codecs[kind] ?? ""])
                func number(_ range: ClosedRange<Double>) -> Double {
                    (Double.random(in: range, using: &random) * 1000).rounded() / 1000
                }
                var options = ["at = \(number(0...60))", "range = { \(number(0...8)), \(number(2...40)) }"]
                if random.chance(1, in: 2) { options.append("volume = \(number(0...1))") }
                if random.chance(1, in: 4) { options.append("volume = { { 0, 0.2 }, { \(number(1...9)), 0.9 } }") }
                if random.chance(1, in: 3) { options.append("pan = \(number(-1...1))") }
                if random.chance(1, in: 3) { options.append("fade_in = \(number(0...1))") }
                if random.chance(1, in: 3) { options.append("fade_out = \(number(0...1))") }
                if random.chance(1, in: 4) { options.append("speed = \(random.pick([0.5, 1.25, 2]))") }
                if random.chance(1, in: 4) {
                    let effect = random.pick(["gain", "echo", "equalizer", "compressor"])
                    options.append("effects = { { \"org.cutroom.\(effect)\" } }")
                }
                return "draft:add_audio(\(file.lua), { \(options.joined(separator: ", ")) })"
            }
        }
    }
}
