import Foundation
import TestSupport
import Testing

extension EndToEndPlugins {
    /// What a plugin does to the process that it runs in stays with those who use it: pictures and
    /// sound without it are the same before, beside and after it, with one cache for all.
    @Suite struct PluginHarmTests {
        /// What `Bad/harms.h` does, and when.
        struct Harm: CustomTestStringConvertible, Sendable {
            var name: String
            var place: String
            var defines: [String] {
                ["HARM=\(name)", "HARM_AT=\(place)"] + (name == "EXPORTS" ? ["EXPORTS_SYMBOLS"] : [])
            }
            var testDescription: String { "\(name) at \(place)" }
        }

        /// The effect acts on the first second alone.
        private static func edit(_ studio: Studio, with effect: Bool, as name: String) throws {
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 1 } })
                draft:add_clip(\(Footage.pattern.lua), { range = { 1, 1 }, mode = "fill", speed = 0.75, transition = { "dissolve", 0.25 } })
                draft:add_audio(\(Footage.tone.lua), { volume = 0.3, fade_out = 1 })
                draft:add_title("Same", { size = 20, range = { 1.2, 0.5 } })
                \(effect ? "draft:add_effect('test.bad', { range = { 0, 0.5 } })" : "")
                """, size: (128, 72), as: name)
        }

        /// The clean script's file where no plugin but the shipped ones was ever met.
        private static let reference = Result {
            let studio = try Studio()
            try edit(studio, with: false, as: "clean.lua")
            return try Data(contentsOf: URL(fileURLWithPath: try studio.render("clean.lua", with: ["--no-cache"])))
        }

        private static func stays(_ harm: Harm) throws {
            let reference = try reference.get()
            let studio = try Studio()
            try Fixture.plugin("Bad/bad", harm.defines, as: "bad", in: studio)
            try edit(studio, with: true, as: "bad.lua")
            try edit(studio, with: false, as: "clean.lua")
            func file(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: studio.file(name))) }

            // One worker at a time does everything, first for the bad script, whose parts are kept.
            // How that ends is its own affair.
            let bad = try studio.run(["render", "bad.lua", "-o", "bad.mp4", "--workers", "1"])
            let isGentle = !harm.name.hasPrefix("SCRIBBLES")
            #expect(bad.status == 0 || !isGentle, "\(bad)")
            try studio.render("clean.lua", to: "after.mp4", with: ["--workers", "1"])
            #expect(try file("after.mp4") == reference, "after")

            // At the same time, while each puts its parts into the cache.
            try studio.emptyCache()
            let other = try studio.start(["render", "bad.lua", "-o", "bad.mp4", "--overwrite"])
            let clean = try studio.start(["render", "clean.lua", "-o", "beside.mp4"]).wait(timeout: 60)
            _ = other.wait(timeout: 60)
            try #require(clean.status == 0, "\(clean)")
            #expect(try file("beside.mp4") == reference, "beside")
            try studio.render("clean.lua", to: "again.mp4")
            #expect(try file("again.mp4") == reference, "again")
        }

        @Test(arguments: [
            Harm(name: "HANDLES_SIGNALS", place: "LOAD"), Harm(name: "SCRIBBLES_OVER_MATHS", place: "PROCESS"),
        ]) func `what a plugin does to its process stays with it`(harm: Harm) throws { try Self.stays(harm) }

        @Suite struct Sweep {
            private static let harms = [
                "ROUNDS_UP", "ROUNDS_DOWN", "ROUNDS_TO_ZERO", "FLUSHES_DENORMALS", "LOSES_PRECISION", "LEAVES_MMX",
                "TRAPS",
                "BLOCKS_SIGNALS", "CHANGES_LOCALE_OF_ALL", "CHANGES_LOCALE_OF_THREAD", "CHANGES_MASK_OF_FILES",
                "CHANGES_FOLDER_OF_ALL", "CHANGES_TIME_ZONE", "CHANGES_LANGUAGE", "EMPTIES_ENVIRONMENT", "SEEDS",
                "FILLS_MEMORY",
                "EXPORTS", "HANDLES_SIGNALS", "LIMITS_FILES", "SCRIBBLES_OVER_LIBRARY", "SCRIBBLES_OVER_CODE",
                "SCRIBBLES_OVER_MATHS",
                "LEAVES_THREAD",
            ].flatMap { name in ["LOAD", "PROCESS"].map { Harm(name: name, place: $0) } }

            @Test(arguments: harms) func `whatever a plugin does to its process stays with it`(harm: Harm) throws {
                try PluginHarmTests.stays(harm)
            }
        }

        /// The log's lines of jobs that were begun: their names, by their workers.
        private static func jobs(_ log: String) -> [String: [String]] {
            var jobs: [String: [String]] = [:]
            for match in log.matches(of: /job (\S+) started +\(job .*, worker (w\d+)\)/) {
                jobs[String(match.2), default: []].append(String(match.1))
            }
            return jobs
        }

        /// Joining and reading back do not happen in the plugin's process either.
        @Test func `no other job runs where a library was opened that does not come with Cutroom`() throws {
            let studio = try Studio()
            try Fixture.plugin("Bad/bad", as: "bad", in: studio)
            try Self.edit(studio, with: true, as: "bad.lua")
            let result = try studio.run(["render", "bad.lua", "-o", "out.mp4", "--workers", "1", "--verbose"])
            try #require(result.status == 0, "\(result)")
            let named = Self.jobs(result.stderr)
            // The first segment has the effect. The worker that makes it makes nothing after it,
            // and the other segment, which has none, is made elsewhere or before.
            func number(_ job: String) -> Int { Int(job.drop { $0 != "-" }.dropFirst()) ?? .max }
            let segments = named.values.joined().filter { $0.hasPrefix("segment-") }
            let bad = try #require(segments.min { number($0) < number($1) })
            #expect(named.values.contains { $0.last == bad }, "\(named)")
            let jobs = named.mapValues { $0.map { String($0.prefix { $0 != "-" }) } }
            // The sound is encoded as soon as its run is mixed and a worker without the library is
            // free.
            let all = jobs.sorted { $0.key < $1.key }.flatMap(\.value)
            let made = ["inspect", "inspect", "fonts", "mix", "segment", "segment", "assemble", "verify"]
            #expect(all.filter { $0 != "sound" } == ["probe", "probe"] + made, "\(jobs)")
            #expect(all.count { $0 == "sound" } == 1, "\(jobs)")
            // Libraries are read in any order: the worker that read the other one does nothing
            // more.
            let read = try #require(jobs["w1"]).drop { $0 == "probe" }
            #expect(read == ["inspect"] || read == ["inspect", "inspect"], "\(jobs)")
        }

        /// Each once, whatever the number of workers and frames; and only where the library is
        /// used.
        @Test func `who leaves its thread changed is named`() throws {
            let studio = try Studio()
            for (place, call) in [("PROCESS", "effect test.bad of plugin ‘Bad’"), ("LOAD", "plugin ‘bad.so’")] {
                try Fixture.plugin("Bad/bad", ["HARM=ROUNDS_UP", "HARM_AT=\(place)"], as: "bad", in: studio)
                try Self.edit(studio, with: true, as: "bad.lua")
                try Self.edit(studio, with: false, as: "clean.lua")
                let bad = try studio.run(["render", "bad.lua", "-o", "out.mp4", "--overwrite"])
                let lines = bad.stderr.split(separator: "\n").filter { $0.contains("floating-point mode") }
                #expect(bad.status == 0 && lines.count == 1, "\(bad)")
                let expected =
                    "cutroom: warning: \(call) (\(studio.file("plugins/bad.so"))) changes the floating-point mode (rounding, denormals or "
                    + "traps) of its thread in its \(place.lowercased()) call; Cutroom puts it back"
                #expect(lines.first?.hasPrefix(expected) == true, "\(bad)")
                let clean = try studio.run(["render", "clean.lua", "-o", "out.mp4", "--overwrite"])
                #expect(clean.status == 0 && !clean.stderr.contains("floating-point"), "\(clean)")
            }
            let list = try studio.run(["plugin", "list"])
            #expect(list.stderr.contains("changes the floating-point mode"), "\(list)")
        }
    }
}
