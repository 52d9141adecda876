import Foundation
import Renders
import TestSupport
import Testing

@testable import Server
@testable import ServerClient

extension EndToEnd {
    /// A server whose disk is full: writes wait, and no data is lost.
    @Suite(.enabled(if: SmallDisk.isPossible, SmallDisk.absence)) struct FullDiskTests {
        private struct Server {
            let studio: Studio
            let process: Command
            var state: String { studio.file("state") }

            init(kibibytes: Int) throws {
                studio = try Studio()
                let state = studio.file("state")
                try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)
                process = try studio.start(
                    ["serve", "--workers", "2", "--state", state],
                    through: SmallDisk.shell(at: state, kibibytes: kibibytes))
                let process = process
                try #require(Command.until { process.stderrSoFar.contains("listens") || !process.isRunning })
                try #require(process.isRunning, "\(process.wait())")
            }

            func ask(_ words: [String]) throws -> Command.Output {
                try studio.start(
                    words + ["--state", state], through: SmallDisk.shell(beside: process.pid, in: studio.folder.path)
                ).wait()
            }

            func entry(_ id: String) throws -> RenderEntry {
                let output = try ask(["jobs", "show", id])
                try #require(output.succeeded, "\(output)")
                return try PrintedJSON.decode(RenderStatus.self, output.stdout).entry
            }

            func wait(_ id: String, for state: RenderState) throws {
                var found: RenderEntry?
                let came = Command.until(timeout: 60) {
                    found = try? entry(id)
                    return found?.state == state
                }
                #expect(came, "\(String(describing: found))\n\(process.stderrSoFar)")
            }

            func resize(kibibytes: Int) throws {
                try SmallDisk.resize(at: state, of: process.pid, kibibytes: kibibytes)
            }

            func stop() {
                process.send(SIGTERM)
                #expect(process.wait().succeeded)
            }
        }

        @Test func `a render waits for room, and goes on when somebody makes some`() throws {
            let server = try Server(kibibytes: 600)
            try server.studio.script(
                "draft:add_clip(\(Footage.pattern.lua))\ndraft:add_effect(\"org.cutroom.glitch\")", size: (640, 360))
            let submitted = try server.ask(["submit", "edit.lua", "-o", "out.mp4"])
            try #require(submitted.succeeded, "\(submitted)")
            try server.wait("1", for: .paused)
            let entry = try server.entry("1")
            #expect(entry.reason?.contains("disk is full") == true, "\(entry)")
            let log = try server.ask(["jobs", "log", "1"])
            #expect(log.text.contains("disk is full"), "\(log)")
            #expect(server.process.stderrSoFar.contains("render 1 was paused: "), "\(server.process.stderrSoFar)")
            try server.resize(kibibytes: 200_000)
            #expect(try server.ask(["jobs", "resume", "1"]).succeeded)
            try server.wait("1", for: .done)
            server.stop()
            // The parts are in the cache, which is on another disk.
            #expect(server.studio.cachedParts > 0, "\(server.process.stderrSoFar)")
            #expect(!server.process.stderrSoFar.contains("not cached"), "\(server.process.stderrSoFar)")
            let alone = try server.studio.render(to: "alone.mp4", with: ["--no-cache"])
            #expect(
                FileManager.default.contentsEqual(atPath: alone, andPath: server.studio.file("out.mp4")))
        }

        @Test func `what cannot be written down is not taken in`() throws {
            let server = try Server(kibibytes: 400)
            try server.studio.script("draft.duration = 0.2\ndraft:add_title(\"x\")")
            let fill = try Command.run(
                SmallDisk.shell(beside: server.process.pid, in: server.state) + [
                    "sh", "-c", "cat /dev/zero > filler 2>/dev/null; ls",
                ])
            #expect(fill.text.contains("filler"))
            let refused = try server.ask(["submit", "edit.lua", "-o", "out.mp4"])
            #expect(refused.status == 74 && refused.stderr.contains("full"), "\(refused)")
            #expect(try !server.ask(["jobs", "show", "1"]).succeeded)
            try server.resize(kibibytes: 20_000)
            let taken = try server.ask(["submit", "edit.lua", "-o", "out.mp4", "--wait"])
            #expect(taken.succeeded, "\(taken)")
            server.stop()
        }
    }
}
