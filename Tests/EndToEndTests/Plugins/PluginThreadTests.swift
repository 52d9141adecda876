import Foundation
import TestSupport
import Testing

extension EndToEndPlugins {
    /// Threads that plugins start for a call.
    @Suite struct PluginThreadTests {
        /// For sound, the called thread asks too.
        @Test(arguments: [[], ["SOUND"]]) func `a thread of the plugin's hears that it is not wanted any more`(
            defines: [String]
        ) throws {
            let studio = try Studio()
            try Fixture.plugin("polls", ["OWN"] + defines, as: "polls", in: studio)
            try studio.script("draft:add_clip(\(try Footage.pattern.lua))\ndraft:add_effect(\"test.polls\", {})")
            let running = try studio.start(["render", "edit.lua", "-o", "out.mp4", "--verbose", "--workers", "1"])
            try #require(Command.until { studio.workerLogs.contains("the thread has begun") })
            running.send(SIGINT)
            let result = running.wait(timeout: 20)
            #expect(result.status == 130 && !result.isTimeout, "\(result)")
            #expect(!result.stderr.contains("did not stop") && !result.stderr.contains("polls.so"), "\(result)")
            studio.expectClean()
        }
    }
}
