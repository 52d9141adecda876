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

        /// On the render thread, and on the job's own for sound and snapshots.
        @Test(
            arguments: [
                (["render", "edit.lua", "-o", "out.mp4"], []), (["render", "edit.lua", "-o", "out.mp4"], ["SOUND"]),
                (["cover", "edit.lua", "-o", "out.png", "--at", "1"], []),
            ] as [([String], [String])])
        func `one stop ends a call that asks`(arguments: [String], defines: [String]) throws {
            let studio = try Studio()
            try Self.edit(studio, defines)
            let running = try studio.start(arguments + ["--verbose", "--workers", "1"])
            // The worker has the job, which goes on for ever.
            let job = defines.isEmpty ? arguments[0] == "cover" ? "snapshot" : "segment" : "sound"
            let hasBegun = Command.until { running.stderrSoFar.contains("job \(job)-") }
            try #require(hasBegun, "\(running.stderrSoFar)")
            usleep(1_000_000)
            running.send(SIGINT)
            let result = running.wait(timeout: 20)
            #expect(result.status == 130 && !result.isTimeout, "\(result)")
            #expect(!result.stderr.contains("did not stop"), "\(result)")
            #expect(!result.stderr.contains("polls.so"), "\(result)")
            studio.expectClean()
        }

        @Test func `an analysis is stopped as well`() throws {
            let studio = try Studio()
            try Fixture.plugin("polls", ["FIXTURE_KIND=CUTROOM_KIND_ANALYSER"], as: "polls", in: studio)
            try studio.script(
                "draft:add_clip(\(try Footage.pattern.lua))\ncutroom.analyse(\(try Footage.pattern.lua), 'test.polls')")
            let running = try studio.start(["check", "edit.lua", "--verbose", "--workers", "1"])
            let hasBegun = Command.until { running.stderrSoFar.contains("job analysis-") }
            try #require(hasBegun, "\(running.stderrSoFar)")
            usleep(1_000_000)
            running.send(SIGINT)
            let result = running.wait(timeout: 20)
            #expect(result.status == 130 && !result.isTimeout, "\(result)")
            #expect(!result.stderr.contains("did not stop") && !result.stderr.contains("polls.so"), "\(result)")
            studio.expectClean()
        }

        /// A worker that asks is alive; that is no progress.
        @Test func `a call that asks for ever is stopped and named`() throws {
            let studio = try Studio()
            try Self.edit(studio, [])
            let result = try studio.run(
                ["render", "edit.lua", "-o", "out.mp4", "--workers", "1", "--stall-timeout", "2"])
            #expect(result.status == 70, "\(result)")
            for part in ["made no progress for 2.0 seconds", "test.polls", "frame 0"] {
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
