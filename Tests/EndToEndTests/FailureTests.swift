import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Plugins that crash and hang, Ctrl-C, and processes that are killed.
    @Suite struct FailureTests {
        /// Six seconds, three segments, with sound.
        private static func edit(_ studio: Studio, _ effects: String = "", size: (Int, Int) = (160, 96)) throws {
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 3 } })
                draft:add_clip(\(Footage.pattern.lua), { range = { 1, 3 } })
                \(effects)
                """, size: size)
        }

        /// Long enough to be interrupted.
        private static func longEdit(_ studio: Studio) throws {
            try studio.script(
                "for i = 1, 5 do draft:add_clip(\(Footage.pattern.lua)) end\ndraft:add_effect(\"org.cutroom.vignette\", {})",
                size: (480, 270))
        }

        /// Starts a render and waits until some segments are in the cache and others are not.
        private static func startHalf(_ studio: Studio, _ arguments: [String] = []) throws -> Command {
            let render = try studio.start(["render", "edit.lua", "-o", "out.mp4"] + arguments)
            let isHalf = Command.until(timeout: 100) { studio.cachedParts >= 2 || !render.isRunning }
            try #require(isHalf && render.isRunning, "\(render.wait(timeout: 1))")
            return render
        }

        @Test func `a plugin that crashes fails the render with its name and keeps the rest`() throws {
            let studio = try Studio()
            try Fixture.plugin("crash", as: "crash", in: studio)
            // The second segment of three is frames 60 to 119; a plugin counts from its range's
            // start.
            try Self.edit(studio, "draft:add_effect(\"test.crash\", { frame = 10, range = { 2, 2 } })")
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4", "--workers", "1"])
            #expect(result.status == 70, "\(result)")
            for part in ["test.crash", studio.file("plugins/crash.so"), "SIGSEGV"] {
                #expect(result.stderr.contains(part), "no ‘\(part)’ in: \(result.stderr)")
            }
            #expect(!FileManager.default.fileExists(atPath: studio.file("out.mp4")))
            // It is the output's frame that people can look for.
            #expect(result.stderr.contains("frame 70"), "\(result.stderr)")
            let kept = studio.cachedParts
            #expect(kept >= 1, "what was finished is gone")
            // Where the plugin does not crash, what was finished is not rendered again.
            try Self.edit(studio, "draft:add_effect(\"test.crash\", { frame = -1, range = { 2, 2 } })")
            let mended = try studio.run(["render", "edit.lua", "-o", "out.mp4", "--progress", "json"])
            #expect(mended.status == 0, "\(mended)")
            #expect((try ProgressLines(mended.text).last("completed")?.segmentsFromCache ?? 0) >= 1)
        }

        @Test func `a plugin that hangs fails the render with its name`() throws {
            let studio = try Studio()
            try Fixture.plugin("hang", as: "hang", in: studio)
            try Self.edit(studio, "draft:add_effect(\"test.hang\", { range = { 0, 0.5 } })")
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4", "--stall-timeout", "2"])
            #expect(result.status == 70, "\(result)")
            for part in ["test.hang", "hang.so"] {
                #expect(result.stderr.contains(part), "no ‘\(part)’ in: \(result.stderr)")
            }
            #expect(!FileManager.default.fileExists(atPath: studio.file("out.mp4")))
        }

        @Test func `ctrl-C once keeps what is rendered`() throws {
            let studio = try Studio()
            try Self.longEdit(studio)
            let render = try Self.startHalf(studio)
            render.send(SIGINT, toGroup: true)
            let result = render.wait(timeout: 30)
            #expect(result.status == 130, "\(result)")
            #expect(result.stderr.contains("kept"))
            studio.expectClean()
            #expect(!FileManager.default.fileExists(atPath: studio.file("out.mp4")))
            let again = try studio.run(["render", "edit.lua", "-o", "out.mp4", "--progress", "json"], timeout: 120)
            let completed = try #require(try ProgressLines(again.text).last("completed"), "\(again)")
            #expect((completed.segmentsFromCache ?? 0) >= 1 && completed.segments == 10)
            #expect(try Movie(studio.file("out.mp4")).frames == 600)
        }

        @Test func `ctrl-C twice ends at once`() throws {
            let studio = try Studio()
            try Fixture.plugin("hang", as: "hang", in: studio)
            try Self.edit(studio, "draft:add_effect(\"test.hang\", {})")
            let render = try studio.start(["render", "edit.lua", "-o", "out.mp4"])
            // The workers hang inside the plugin and hear nothing: the sound is mixed, and none is
            // left to encode it.
            try #require(Command.until { !studio.cacheEntries.isEmpty })
            render.send(SIGINT, toGroup: true)
            try #require(Command.until { render.stderrSoFar.contains("again") })
            usleep(700_000)
            render.send(SIGINT, toGroup: true)
            let result = render.wait(timeout: 5)
            #expect(result.status == 130 && !result.isTimeout, "\(result)")
            #expect(Command.until(timeout: 3) { studio.workers.isEmpty })
            #expect(!FileManager.default.fileExists(atPath: studio.file("out.mp4")))
            #expect(studio.folder.names == ["edit.lua", "plugins"])
        }

        @Test func `workers do not outlive a host that is killed, and the next one tidies up`() throws {
            let studio = try Studio()
            try Self.longEdit(studio)
            let render = try Self.startHalf(studio)
            try #require(!studio.workers.isEmpty)
            render.send(SIGKILL)
            #expect(Command.until(timeout: 2) { studio.workers.isEmpty })
            #expect(render.wait(timeout: 5).signal == SIGKILL)
            // What a killed process could not remove, the next one removes; what it had finished is
            // used.
            try studio.script("draft:add_clip(\(Footage.pattern.lua), { range = { 0, 0.2 } })", as: "small.lua")
            try studio.render("small.lua")
        }

        @Test func `workers killed again and again do not fail a render`() throws {
            let studio = try Studio()
            try Self.longEdit(studio)
            let render = try Self.startHalf(studio, ["--workers", "2"])
            for _ in 0..<2 {
                let victim = try #require(studio.workers.max())
                kill(victim, SIGKILL)
                try #require(Command.until { !studio.workers.contains(victim) && !studio.workers.isEmpty })
            }
            let result = render.wait(timeout: 120)
            #expect(result.status == 0, "\(result)")
            studio.expectClean()
            #expect(try Movie(studio.file("out.mp4")).frames == 600)
        }

        @Test func `a worker that is missing is named`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            studio.environment["CUTROOM_WORKER"] = studio.file("no-such-worker")
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4"])
            #expect(result.status == 69, "\(result)")
            #expect(result.stderr.contains("no-such-worker"), "\(result)")
        }

        @Test func `a worker that cannot be started is told of once`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            studio.environment["CUTROOM_WORKER"] = "/bin/false"
            for command in [
                ["render", "edit.lua", "-o", "out.mp4"], ["probe", try Footage.pattern], ["check", "edit.lua"],
            ] {
                let result = try studio.run(command)
                #expect(result.status == 69 && result.stderr.contains("No worker can be started"), "\(result)")
                #expect(result.stderr.split(separator: "\n").count <= 2, "\(result)")
            }
        }
    }
}
