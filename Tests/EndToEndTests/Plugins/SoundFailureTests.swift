import Foundation
import TestSupport
import Testing

extension EndToEndPlugins {
    /// Audio filters that crash, hang, fail and write where they should not, at one time: what is
    /// said, and how the sound goes on without them.
    @Suite struct SoundFailureTests {
        /// Three seconds with a filter that does its worst at 1.5 s, between others.
        private static func edit(_ studio: Studio, _ fault: String?) throws {
            try Fixture.plugin("sound", as: "sound", in: studio)
            let bad = fault.map { "{ \"test.fault\", { fault = \"\($0)\", at = 1.5, range = { 1, 1.5 } } }, " } ?? ""
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 3 }, effects = { { "org.cutroom.gain", { gain = -6 } }, \(bad){ "org.cutroom.echo" } } })
                draft.export = { audio = { channels = 2 } }
                """)
        }

        private static func render(_ studio: Studio, _ output: String, _ arguments: [String] = []) throws
            -> Command.Output
        {
            try studio.run(
                ["render", "edit.lua", "-o", output, "--overwrite", "--stall-timeout", "2", "--progress", "json"]
                    + arguments)
        }

        private static func bytes(_ studio: Studio, _ name: String) throws -> Data {
            try Data(contentsOf: URL(fileURLWithPath: studio.file(name)))
        }

        @Test(
            .enabled(if: !Sanitizer.isActive, "memory faults are the sanitizer's"),
            arguments: [
                ("beyond", "bytes beyond the last byte of the output (SIGSEGV)"),
                ("beside", "it writes outside of the output: 5 bytes beyond the end of channel 0, which has 1024"),
                ("before", "it writes outside of the output: 8 bytes before its first channel"),
                ("input", "it writes to input 0, at byte 28 (SIGSEGV)"),
            ])
        func `stray writes are found where they are looked for`(fault: String, words: String) throws {
            let studio = try Studio()
            try Self.edit(studio, fault)
            let result = try Self.render(studio, "out.mp4", ["--paranoid"])
            #expect(result.status == 70, "\(result)")
            for part in [words, "test.fault", studio.file("plugins/sound.so"), "at 1.49"] {
                #expect(result.stderr.contains(part), "no ‘\(part)’ in: \(result.stderr)")
            }
            #expect(!FileManager.default.fileExists(atPath: studio.file("out.mp4")))
        }

        /// In place, with a window, with a key, and with blocks of several lengths.
        @Test func `guarded sound changes nothing`() throws {
            let studio = try Studio()
            try Fixture.plugin("sound", as: "sound", in: studio)
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 2 }, effects = { { "test.gain", { gain = 0.5, range = { 0.3, 1 } } }, { "test.average", { range = { 0.31, 0.2 } } } } })
                draft:add_audio(\(Footage.tone.lua), { effects = { { "org.cutroom.pitch" }, { "org.cutroom.ducking" } } })
                draft:add_effect("org.cutroom.noise_reduction", { range = { 0.7, 0.6 } })
                """)
            try studio.render(to: "usual.wav", with: ["--no-cache"])
            try studio.render(to: "guarded.wav", with: ["--no-cache", "--paranoid"])
            #expect(try Self.bytes(studio, "usual.wav") == Self.bytes(studio, "guarded.wav"))
        }

        private static let faults = [
            ("error", "the tape is torn"), ("crash", "three times"), ("hang", "made no progress for 2.0 seconds"),
            ("nan", "infinite or not a number"),
        ]

        @Test(arguments: faults.prefix(1))
        func `a filter that fails can be left out, and that is told and not kept`(fault: String, words: String) throws {
            let studio = try Studio()
            try Self.edit(studio, nil)
            try studio.render(to: "wanted.wav", with: ["--no-cache"])
            try Self.edit(studio, fault)
            for (workers, output) in [("1", "one.wav"), ("4", "four.wav")] {
                let result = try Self.render(
                    studio, output, ["--workers", workers, "--on-plugin-failure", "skip"])
                #expect(result.status == 0, "\(result)")
                for part in [
                    "warning: the output is without the effect ‘test.fault’ in the sound from 1 s to 2.5 s: ", words,
                    studio.file("plugins/sound.so"),
                ] {
                    #expect(result.stderr.contains(part), "no ‘\(part)’ in: \(result.stderr)")
                }
                let lines = try ProgressLines(result.text)
                let skipped = try #require(lines.last("skipped"))
                #expect(
                    skipped.effect == "test.fault" && skipped.firstSample == 48_000 && skipped.samples == 72_000
                        && skipped.firstFrame == nil)
                #expect(lines.last("completed")?.soundWithoutEffects == true)
                #expect(lines.last("completed")?.segmentsWithoutEffects == 0)
                // The other filters are heard, and nothing else differs.
                #expect(try Self.bytes(studio, output) == Self.bytes(studio, "wanted.wav"))
                // The next render tries the effect again.
                #expect(studio.cacheEntries.isEmpty)
            }
            #expect(try Self.render(studio, "again.wav").status == 70)
        }

        @Test func `where nothing fails nothing is left out`() throws {
            let studio = try Studio()
            try Self.edit(studio, nil)
            let result = try Self.render(studio, "out.mp4", ["--on-plugin-failure", "skip"])
            let lines = try ProgressLines(result.text)
            #expect(result.status == 0 && lines.last("skipped") == nil)
            #expect(lines.last("completed")?.soundWithoutEffects == false && studio.cachedParts == 2)
        }

        /// Picture and sound go around their own.
        @Test func `a picture's effect and a sound's fail in one render`() throws {
            let studio = try Studio()
            try Fixture.plugin("misbehaves", ["FAILS"], as: "misbehaves", in: studio)
            try Fixture.plugin("sound", as: "sound", in: studio)
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 4 }, effects = { { "test.misbehaves" } } })
                draft:add_effect("test.fault", { fault = "crash", at = 2 })
                """)
            let result = try Self.render(studio, "out.mp4", ["--on-plugin-failure", "skip"])
            #expect(result.status == 0, "\(result)")
            #expect(result.stderr.contains("‘test.misbehaves’ from 0 s to 2 s (frames 0 to 59)"), "\(result)")
            #expect(result.stderr.contains("‘test.fault’ in the sound from 0 s to 4 s"), "\(result)")
            let completed = try #require(try ProgressLines(result.text).last("completed"))
            #expect(completed.segmentsWithoutEffects == 1 && completed.soundWithoutEffects == true)
            // One segment is whole.
            #expect(studio.cachedParts == 1)
        }

        /// The other faults.
        @Suite struct Sweep {
            @Test(arguments: faults.dropFirst(1))
            func `a filter that fails can be left out, and that is told and not kept`(
                fault: String, words: String
            ) throws {
                try SoundFailureTests().`a filter that fails can be left out, and that is told and not kept`(
                    fault: fault, words: words)
            }
        }
    }
}
