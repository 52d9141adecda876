import Foundation
import TestSupport
import Testing

extension EndToEndPlugins {
    /// Plugins that ask whether they are still wanted.
    @Suite struct PluginCancelTests {
        private static func edit(_ studio: Studio, _ defines: [String]) throws {
            try Fixture.plugin("polls", defines, as: "polls", in: studio)
            try studio.script("draft:add_clip(\(try Footage.pattern.lua))\ndraft:add_effect(\"test.polls\", {})")
        }

        /// Stops a run once its worker is in the call, which is to end with the worker's own help.
        private static func stop(_ studio: Studio, _ arguments: [String]) throws {
            let running = try studio.start(arguments + ["--verbose", "--workers", "1"])
            // The plugin says so in the worker's log.
            let hasBegun = Command.until { studio.workerLogs.contains("plugin: the call has begun") }
            try #require(hasBegun, "\(running.stderrSoFar)")
            running.send(SIGINT)
            let result = running.wait(timeout: 20)
            #expect(result.status == 130 && !result.isTimeout, "\(result)")
            #expect(!result.stderr.contains("did not stop"), "\(result)")
            #expect(!result.stderr.contains("polls.so"), "\(result)")
            studio.expectClean()
        }

        /// On the render thread, and on the job's own for sound and snapshots.
        @Test(
            arguments: [
                (["render", "edit.lua", "-o", "out.mp4"], []), (["render", "edit.lua", "-o", "out.mp4"], ["SOUND"]),
                (["cover", "edit.lua", "-o", "out.png", "--at", "1"], []),
            ] as [([String], [String])])
        func `one stop ends a call that asks`(arguments: [String], defines: [String]) throws {
            let studio = try Studio()
            try Self.edit(studio, defines)
            try Self.stop(studio, arguments)
        }

        @Test func `an analysis is stopped as well`() throws {
            let studio = try Studio()
            try Fixture.plugin("polls", ["FIXTURE_KIND=CUTROOM_KIND_ANALYSER"], as: "polls", in: studio)
            try studio.script(
                "draft:add_clip(\(try Footage.pattern.lua))\ncutroom.analyse(\(try Footage.pattern.lua), 'test.polls')")
            try Self.stop(studio, ["check", "edit.lua"])
        }

        /// A worker that asks is alive; that is no progress.
        @Test func `a call that asks for ever is stopped and named`() throws {
            let studio = try Studio()
            try Self.edit(studio, [])
            let result = try studio.run(
                ["render", "edit.lua", "-o", "out.mp4", "--workers", "1", "--stall-timeout", "2"])
            #expect(result.status == 70, "\(result)")
            for part in ["made no progress for ", "test.polls", "frame 0"] {
                #expect(result.stderr.contains(part), "no ‘\(part)’ in: \(result)")
            }
        }

        @Test func `who was not cancelled and says so has failed`() throws {
            let studio = try Studio()
            try Self.edit(studio, ["CLAIMS"])
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4"])
            #expect(
                result.status == 70 && result.stderr.contains("it says that it was cancelled, which it was not"),
                "\(result)")
        }
    }
}
