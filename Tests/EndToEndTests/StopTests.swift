import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Ctrl-C and SIGTERM, once and twice, also from senders that send one stop twice.
    @Suite struct StopTests {
        /// Workers that hang inside a plugin and hear nothing, so that only a second signal helps.
        private static func startHanging(_ studio: Studio, _ arguments: [String]) throws -> Command {
            try Fixture.plugin("hang", as: "hang", in: studio)
            try studio.script(
                "draft:add_clip(\(Footage.pattern.lua))\ndraft:add_effect(\"test.hang\", { range = { 0, 2 } })")
            let command = try studio.start(arguments)
            try #require(Command.until { !studio.workers.isEmpty && !Self.parts(of: studio).isEmpty })
            return command
        }

        /// What the workers have begun to write.
        private static func parts(of studio: Studio) -> [String] {
            let all =
                FileManager.default.enumerator(atPath: studio.cache + "/cutroom/parts")?.allObjects as? [String] ?? []
            return all.filter { $0.contains("segment-") }
        }

        @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
        func `a second stop leaves nothing`(signal: Int32, status: Int32) throws {
            let studio = try Studio()
            let render = try Self.startHanging(studio, ["render", "edit.lua", "-o", "out.mp4"])
            render.send(signal)
            try #require(Command.until { render.stderrSoFar.contains("quits at once") })
            // Signals of one stop may arrive within half a second; this is another one.
            usleep(700_000)
            render.send(signal)
            let result = render.wait(timeout: 20)
            #expect(result.status == status && !result.isTimeout, "\(result)")
            #expect(result.stderr.contains("Ctrl-C") == (signal == SIGINT), "\(result)")
            studio.expectClean()
            #expect(studio.folder.names == ["edit.lua", "plugins"])
        }

        @Test func `a second stop of snapshots leaves nothing`() throws {
            let studio = try Studio()
            try Fixture.plugin("hang", as: "hang", in: studio)
            try studio.script(
                "draft:add_clip(\(Footage.pattern.lua))\ndraft:add_effect(\"test.hang\", {})")
            let running = try studio.start(["snapshots", "edit.lua", "-n", "2", "-o", "shots"])
            try #require(Command.until { studio.folder.names.contains("shots") })
            usleep(300_000)
            running.send(SIGTERM)
            usleep(700_000)
            running.send(SIGTERM)
            #expect(running.wait(timeout: 20).status == 143)
            studio.expectClean()
            #expect(studio.folder.names == ["edit.lua", "plugins"])
        }

        @Test func `one stop that arrives twice is one`() throws {
            let studio = try Studio()
            try studio.script(
                "for i = 1, 5 do draft:add_clip(\(Footage.pattern.lua)) end\ndraft:add_effect(\"org.cutroom.vignette\", {})",
                size: (480, 270))
            let render = try studio.start(["render", "edit.lua", "-o", "out.mp4"])
            try #require(Command.until(timeout: 100) { studio.cachedParts >= 1 })
            // Like `timeout`: the process, then its group.
            render.send(SIGTERM)
            usleep(2000)
            render.send(SIGTERM, toGroup: true)
            let result = render.wait(timeout: 30)
            #expect(result.status == 143, "\(result)")
            #expect(
                result.stderr.contains("finished parts are kept") && result.stderr.contains("Stopped."), "\(result)")
            studio.expectClean()
            #expect(studio.cachedParts >= 1)
        }

        @Test func `without a cache nothing is said to be kept`() throws {
            let studio = try Studio()
            try studio.script("for i = 1, 5 do draft:add_clip(\(Footage.pattern.lua)) end", size: (480, 270))
            studio.environment["TMPDIR"] = studio.runtime
            let render = try studio.start(["render", "edit.lua", "-o", "out.mp4", "--no-cache", "--progress", "json"])
            try #require(Command.until { render.stdoutSoFar.contains("started") })
            render.send(SIGINT)
            let result = render.wait(timeout: 30)
            #expect(result.status == 130 && result.stderr.contains("nothing is kept"), "\(result)")
            studio.expectClean()
        }

        @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
        func `a script that runs is stopped at once`(signal: Int32, status: Int32) throws {
            let studio = try Studio()
            try studio.script("print('on its way')\nwhile true do end")
            let render = try studio.start(["render", "edit.lua", "-o", "out.mp4"])
            try #require(Command.until { render.stderrSoFar.contains("on its way") })
            render.send(signal)
            let result = render.wait(timeout: 5)
            #expect(result.status == status && !result.isTimeout, "\(result)")
            #expect(!result.stderr.contains("endless loop"), "\(result)")
            studio.expectClean()
        }

        @Test func `a script that waits for a worker is stopped at once`() throws {
            let studio = try Studio()
            try studio.script(
                "print('on its way')\nwhile true do cutroom.probe(\(Footage.pattern.lua) .. math.random()) end")
            let check = try studio.start(["check", "edit.lua"])
            try #require(Command.until { check.stderrSoFar.contains("on its way") && !studio.workers.isEmpty })
            check.send(SIGINT)
            let result = check.wait(timeout: 5)
            #expect(result.status == 130 && result.stderr == "on its way\ncutroom: Stopped.\n", "\(result)")
            studio.expectClean()
        }
    }
}
