import Foundation
import TestSupport
import Testing

extension EndToEndPlugins {
    /// Plugins that crash, hang, fail and write where they should not, at one frame: what is said,
    /// what is kept, and what can be done.
    @Suite struct PluginFailureTests {
        private static let effect = "test.misbehaves"

        /// Six seconds in three segments. The effect acts on the last half: its frame 40 is the
        /// output's 130, in the third segment.
        private static func edit(_ studio: Studio) throws {
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 3 } })
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 1 } })
                draft:add_clip(\(Footage.pattern.lua), { range = { 1, 2 } })
                draft:add_effect("\(effect)", { while_there = \(studio.file("broken").lua), range = { 3, 3 } })
                """)
            try studio.folder.write("", to: "broken")
        }

        /// One worker, so that the segments come in order.
        private static func render(_ studio: Studio, _ arguments: [String] = []) throws -> Command.Output {
            try studio.run(
                [
                    "render", "edit.lua", "-o", "out.mp4", "--overwrite", "--workers", "1", "--stall-timeout", "2",
                    "--progress", "json",
                ]
                    + arguments)
        }

        /// Luma of each frame's middle, and whether it is the effect's black.
        private static func blackFrames(of path: String) throws -> [Bool] {
            try FFmpeg.grayFrames(of: path, width: 160, height: 96).map { frame in frame.allSatisfy { $0 < 8 } }
        }

        struct Fault: Sendable, CustomTestStringConvertible {
            var define: String
            var words: [String]
            var arguments: [String] = []
            var testDescription: String { define }

            init(_ define: String, _ words: [String], _ arguments: [String] = []) {
                (self.define, self.words, self.arguments) = (define, words, arguments)
            }
        }

        private static let faults = [
            // A sanitizer makes an exit of it.
            Fault("CRASHES", ["three times"] + (Sanitizer.isActive ? [] : ["SIGSEGV"])),
            Fault("CRASHES", ["three times", "it writes memory that is not there (SIGSEGV)"], ["--paranoid"]),
            Fault("HANGS", ["three times", "made no progress for 2.0 seconds"]),
            Fault("FAILS", ["it is not my day"]),
            Fault("WRITES_BEYOND", ["bytes beyond the last byte of the output (SIGSEGV)"], ["--paranoid"]),
            Fault(
                "WRITES_BESIDE", ["it writes outside of the output: 3 bytes beyond the end of row 3, which has 640"],
                ["--paranoid"]),
            Fault("WRITES_BEFORE", ["it writes outside of the output: 5 bytes before its first row"], ["--paranoid"]),
            Fault("WRITES_INPUT", ["it writes to input 0, at byte 7 (SIGSEGV)"], ["--paranoid"]),
        ]

        @Test(arguments: faults.filter { $0.define == "WRITES_BESIDE" })
        func `it is named, finished segments stay, and the mended plugin renders what is missing`(fault: Fault) throws {
            let studio = try Studio()
            try Fixture.plugin("misbehaves", [fault.define], as: "misbehaves", in: studio)
            try Self.edit(studio)
            let failed = try Self.render(studio, fault.arguments)
            #expect(failed.status == 70, "\(failed)")
            for part in fault.words + [Self.effect, studio.file("plugins/misbehaves.so"), "frame 130"] {
                #expect(failed.stderr.contains(part), "no ‘\(part)’ in: \(failed.stderr)")
            }
            #expect(!FileManager.default.fileExists(atPath: studio.file("out.mp4")))
            #expect(studio.folder.names == ["broken", "edit.lua", "plugins"])
            // Two segments and the sound.
            #expect(studio.cachedParts == 3)

            // The reason is gone, the library is the same: one segment is missing.
            try FileManager.default.removeItem(atPath: studio.file("broken"))
            let again = try Self.render(studio)
            #expect(try ProgressLines(again.text).last("completed")?.segmentsFromCache == 2, "\(again)")
            #expect(try Self.blackFrames(of: studio.file("out.mp4")) == (0..<180).map { $0 >= 90 })

            // Built anew: what shows nothing of the plugin stays.
            try Fixture.plugin("misbehaves", as: "misbehaves", in: studio)
            let mended = try Self.render(studio)
            let completed = try #require(try ProgressLines(mended.text).last("completed"), "\(mended)")
            #expect(completed.segments == 3 && completed.segmentsFromCache == 1)
            #expect(try Self.blackFrames(of: studio.file("out.mp4")) == (0..<180).map { $0 >= 90 })
        }

        @Test func `who asks to be tried again is tried once more`() throws {
            let studio = try Studio()
            try Fixture.plugin("misbehaves", ["RECOVERS"], as: "misbehaves", in: studio)
            try Self.edit(studio)
            // The reason goes between the first try and the second.
            let command = try studio.start(
                ["render", "edit.lua", "-o", "out.mp4", "--overwrite", "--workers", "1", "--progress", "json"])
            #expect(Command.until(timeout: 60) { command.stderrSoFar.contains("is tried again") })
            try FileManager.default.removeItem(atPath: studio.file("broken"))
            let recovered = command.wait(timeout: 60)
            #expect(recovered.status == 0 && recovered.stderr.contains("is tried again"), "\(recovered)")
            #expect(recovered.stderr.contains("the device is busy"), "\(recovered)")
            #expect(try Self.blackFrames(of: studio.file("out.mp4")) == (0..<180).map { $0 >= 90 })
            // It stays.
            let script = studio.file("edit.lua")
            let text = try String(contentsOfFile: script, encoding: .utf8)
            try text.replacingOccurrences(of: studio.file("broken").lua, with: "\"\"")
                .write(toFile: script, atomically: true, encoding: .utf8)
            let failed = try Self.render(studio)
            #expect(failed.status == 70, "\(failed)")
            for part in ["the device is busy", Self.effect, "frame 130"] {
                #expect(failed.stderr.contains(part), "no ‘\(part)’ in: \(failed)")
            }
            #expect(failed.stderr.components(separatedBy: "is tried again").count == 2, "\(failed)")
            let skipped = try Self.render(studio, ["--on-plugin-failure", "skip"])
            #expect(skipped.status == 0, "\(skipped)")
            #expect(try ProgressLines(skipped.text).last("skipped")?.frame == 130)
        }

        @Test func `what a plugin warns of is a warning, once`() throws {
            let studio = try Studio()
            func log(_ level: String, _ text: String) -> String {
                "fixture_host->log(fixture_host->context,CUTROOM_LOG_\(level),\"\(text)\")"
            }
            let said = [log("WARNING", "a matter of concern"), log("ERROR", "of alarm"), log("INFO", "of interest")]
            try Fixture.plugin(
                "paints", ["VALUE=(x||y||(\(said.joined(separator: ",")),0))?100:100"], as: "paints", in: studio)
            try studio.script(
                "draft:add_clip(\(try Footage.ramp.lua), { range = { 0, 0.5 } })\ndraft:add_effect('test.paints', {})",
                size: (64, 64))
            let render = try studio.run(["render", "edit.lua", "-o", "out.mp4", "--workers", "1"])
            let plugin = "ffect test.paints of plugin ‘Fixture’ (\(studio.file("plugins/paints.so")))"
            #expect(render.succeeded, "\(render)")
            for words in ["\(plugin) warns: a matter of concern", "\(plugin) reports an error: of alarm"] {
                #expect(render.stderr.components(separatedBy: words).count == 2, "\(render)")
            }
            #expect(!render.stderr.contains("of interest"), "\(render)")
        }

        private static let busyJobs: [(defines: [String], line: String, command: [String])] = [
            (
                ["FIXTURE_KIND=CUTROOM_KIND_AUDIO_FILTER", "FIXTURE_FORMATS=CUTROOM_FORMAT_PCMF32_PLANAR"],
                "draft:add_effect('test.errors', { status = -5 })", ["render", "edit.lua", "-o", "out.mp4"]
            ),
            (
                [], "draft:add_effect('test.errors', { status = -5 })",
                ["cover", "edit.lua", "-o", "out.png", "--at", "0.5"]
            ),
            (
                ["FIXTURE_KIND=CUTROOM_KIND_ANALYSER"],
                "cutroom.analyse(draft.clips[1].path, 'test.errors', { status = -5 })", ["check", "edit.lua"]
            ),
        ]

        /// Another command's job, an analysis.
        @Test(arguments: [2]) func `sound, pictures and analyses are tried again too`(index: Int) throws {
            let (defines, line, command) = Self.busyJobs[index]
            let studio = try Studio()
            try Fixture.plugin("errors", defines, as: "errors", in: studio)
            try studio.script("draft:add_clip(\(Footage.pattern.lua), { range = { 0, 1 } })\n\(line)")
            let result = try studio.run(command)
            #expect(result.status == 70 && result.stderr.contains("asks to be tried again"), "\(result)")
            #expect(result.stderr.components(separatedBy: "is tried again").count == 2, "\(result)")
        }

        @Test(.enabled(if: !Sanitizer.isActive, "the sanitizer's report of the crash takes the place"))
        func `what a plugin says of concern is in the report of its crash`() throws {
            let studio = try Studio()
            try Fixture.plugin("misbehaves", ["CRASHES", "SAYS"], as: "misbehaves", in: studio)
            try Self.edit(studio)
            let failed = try Self.render(studio, ["--verbose"])
            #expect(failed.status == 70, "\(failed)")
            for part in ["plugin: a matter of concern", "plugin: a matter of alarm"] {
                #expect(failed.stderr.contains(part), "no ‘\(part)’ in: \(failed)")
            }
            for part in ["a matter of interest", "a matter of debugging"] { #expect(!failed.stderr.contains(part)) }
            // Without `--verbose` the report is one sentence.
            let brief = try Self.render(studio)
            #expect(brief.status == 70 && !brief.stderr.contains("a matter of"), "\(brief)")
            // The whole log is kept where the report says.
            let log = try #require(failed.stderr.firstMatch(of: /all of it is in (\/\S+)/)).1
            #expect(try String(contentsOfFile: String(log), encoding: .utf8).contains("plugin: a matter of concern"))
        }

        /// Whether the worker survives is random; the host continues and reports it.
        @Test(arguments: ["WRITES_BEYOND", "WRITES_INPUT"])
        func `a stray write does not harm the host`(define: String) throws {
            let studio = try Studio()
            try Fixture.plugin("misbehaves", [define], as: "misbehaves", in: studio)
            try Self.edit(studio)
            let result = try Self.render(studio)
            #expect(result.status == 0 || result.status == 70, "\(result)")
            #expect(FileManager.default.fileExists(atPath: studio.file("out.mp4")) == (result.status == 0))
            if result.status == 0 { #expect(try Movie(studio.file("out.mp4")).frames == 180) }
        }

        @Test(arguments: ["FAILS"])
        func `an effect that fails can be left out, and that is told and not kept`(define: String) throws {
            let studio = try Studio()
            try Fixture.plugin("misbehaves", [define], as: "misbehaves", in: studio)
            try Self.edit(studio)
            let result = try Self.render(studio, ["--on-plugin-failure", "skip"])
            #expect(result.status == 0, "\(result)")
            for part in [
                "warning: the output is without the effect ‘\(Self.effect)’ from 4 s to 6 s (frames 120 to 179): ",
                studio.file("plugins/misbehaves.so"), "frame 130",
            ] {
                #expect(result.stderr.contains(part), "no ‘\(part)’ in: \(result.stderr)")
            }
            let lines = try ProgressLines(result.text)
            let skipped = try #require(lines.last("skipped"))
            #expect(
                skipped.effect == Self.effect && skipped.frame == 130 && skipped.firstFrame == 120
                    && skipped.frames == 60)
            #expect(lines.last("completed")?.segmentsWithoutEffects == 1)
            // The whole segment goes without.
            #expect(try Self.blackFrames(of: studio.file("out.mp4")) == (0..<180).map { (90..<120).contains($0) })
            // The cache has none of it: a later render has the effect.
            #expect(studio.cachedParts == 3)
            try FileManager.default.removeItem(atPath: studio.file("broken"))
            let later = try Self.render(studio)
            #expect(try ProgressLines(later.text).last("completed")?.segmentsFromCache == 2, "\(later)")
            #expect(try Self.blackFrames(of: studio.file("out.mp4")) == (0..<180).map { $0 >= 90 })
        }

        @Test func `what is left out does not depend on the number of workers`() throws {
            let studio = try Studio()
            try Fixture.plugin("misbehaves", ["CRASHES", "FRAME=call->index % 100"], as: "misbehaves", in: studio)
            try Self.edit(studio)
            var outputs: [Data] = []
            for workers in ["1", "4"] {
                try studio.emptyCache()
                let path = try studio.render(
                    to: "\(workers).mp4", with: ["--workers", workers, "--on-plugin-failure", "skip"])
                outputs.append(try Data(contentsOf: URL(fileURLWithPath: path)))
                #expect(try Self.blackFrames(of: path) == (0..<180).map { _ in false })
            }
            #expect(outputs[0] == outputs[1])
        }

        @Test func `a transition that fails becomes a dissolve`() throws {
            let studio = try Studio()
            try Fixture.plugin(
                "misbehaves", ["CRASHES", "FRAME=10", "FIXTURE_KIND=CUTROOM_KIND_TRANSITION"], as: "misbehaves",
                in: studio)
            func edit(_ transition: String) throws {
                try studio.script(
                    """
                    draft:add_clip(\(Footage.pattern.lua), { range = { 0, 2 } })
                    draft:add_clip(\(Footage.pattern.lua), { range = { 1, 2 }, transition = { "\(transition)", 1 } })
                    """)
            }
            try edit(Self.effect)
            let without = try studio.render(to: "without.mp4", with: ["--on-plugin-failure", "skip"])
            try edit("dissolve")
            let dissolve = try studio.render(to: "dissolve.mp4")
            #expect(
                try Data(contentsOf: URL(fileURLWithPath: without)) == Data(contentsOf: URL(fileURLWithPath: dissolve)))
        }

        @Test func `pictures are taken without an effect that fails, where that is asked for`() throws {
            let studio = try Studio()
            try Fixture.plugin("misbehaves", ["CRASHES", "FRAME=45"], as: "misbehaves", in: studio)
            try Self.edit(studio)
            // The second of two snapshots is frame 135 too.
            for command in [
                ["cover", "edit.lua", "--at", "4.51", "-o", "cover.png"],
                ["snapshots", "edit.lua", "-n", "2", "-o", "."],
            ] {
                let failed = try studio.run(command)
                #expect(failed.status == 70 && failed.stderr.contains("frame 135"), "\(failed)")
                let result = try studio.run(command + ["--overwrite", "--on-plugin-failure", "skip"])
                #expect(result.status == 0, "\(result)")
                #expect(result.stderr.contains("is without the effect ‘\(Self.effect)’"), "\(result)")
            }
            let pictures = studio.folder.names.filter { $0.hasSuffix(".png") }
            #expect(pictures.count == 3)
            for name in pictures { #expect(try Self.blackFrames(of: studio.file(name)) == [false]) }
        }

        /// Filters in place, in RGBA and with windows, and a transition.
        @Test func `guarded frames change nothing`() throws {
            let studio = try Studio()
            try Fixture.plugin("around", as: "around", in: studio)
            try Fixture.plugin("split", as: "split", in: studio)
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 2 } })
                draft:add_clip(\(Footage.pattern.lua), { range = { 1, 2 }, transition = { "test.split", 1 } })
                draft:add_effect("test.around", { range = { 0, 1 } })
                draft:add_effect("org.cutroom.vignette", {})
                draft:add_effect("org.cutroom.rgb_split", { range = { 1, 1 } })
                """)
            let usual = try studio.render(to: "usual.mp4", with: ["--no-cache"])
            let guarded = try studio.render(to: "guarded.mp4", with: ["--no-cache", "--paranoid"])
            #expect(
                try Data(contentsOf: URL(fileURLWithPath: usual)) == Data(contentsOf: URL(fileURLWithPath: guarded)))
        }

        @Test func `an unknown policy is refused`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4", "--on-plugin-failure", "ignore"])
            #expect(result.status == 64 && result.stderr.contains("on-plugin-failure"), "\(result)")
        }

        /// All faults.
        @Suite struct Sweep {
            @Test(arguments: ["CRASHES", "HANGS"])
            func `an effect that fails can be left out, and that is told and not kept`(define: String) throws {
                try PluginFailureTests().`an effect that fails can be left out, and that is told and not kept`(
                    define: define)
            }

            @Test(arguments: faults)
            func `it is named, finished segments stay, and the mended plugin renders what is missing`(
                fault: Fault
            ) throws {
                try PluginFailureTests()
                    .`it is named, finished segments stay, and the mended plugin renders what is missing`(fault: fault)
            }

            @Test(arguments: busyJobs.indices)
            func `sound, pictures and analyses are tried again too`(index: Int) throws {
                try PluginFailureTests().`sound, pictures and analyses are tried again too`(index: index)
            }

            @Test(arguments: ["WRITES_BEYOND", "WRITES_BESIDE", "WRITES_BEFORE", "WRITES_INPUT"])
            func `a stray write does not harm the host`(define: String) throws {
                try PluginFailureTests().`a stray write does not harm the host`(define: define)
            }
        }
    }
}
