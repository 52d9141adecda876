import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Scripts that do not end by themselves, and how they are ended.
    @Suite struct EndlessScriptTests {
        /// Keeps Lua in its library, without executing an instruction.
        private static let endless =
            "table.concat(setmetatable({}, { __metatable = '', __index = getmetatable }), '', 1, math.maxinteger)\n"

        @Test func `a signal ends the program`() throws {
            let studio = try Studio()
            try studio.folder.write("print('running')\n" + Self.endless, to: "edit.lua")
            let command = try studio.start(["check", "edit.lua"])
            try #require(Command.until { command.stderrSoFar.contains("running") })
            command.send(SIGTERM)
            let result = command.wait(timeout: 60)
            #expect(result.status == 143 && !result.isTimeout, "\(result)")
            studio.expectClean()
        }

        @Test func `--script-timeout is the limit by the wall clock`() throws {
            let studio = try Studio()
            try studio.folder.write("while true do end\n", to: "edit.lua")
            let result = try studio.start(["check", "edit.lua", "--script-timeout", "0.3"]).wait(timeout: 60)
            #expect(result.status == 65, "\(result)")
            #expect(
                result.stderr.contains("edit.lua:1: the script has been running for 0.3 s, which is its limit"),
                "\(result)")
            let refused = try studio.start(["check", "edit.lua", "--script-timeout", "0"]).wait(timeout: 60)
            #expect(refused.status == 64 && refused.stderr.contains("must be 0.1 to 86400 seconds"), "\(refused)")
        }

        @Test func `the page's button, or a fix, ends the editor's script`() throws {
            let studio = try Studio()
            try studio.folder.write("print('running')\n" + Self.endless, to: "edit.lua")
            let editor = try EditorClient(studio, ["edit.lua", "--script-timeout", "3600"])
            try #require(Command.until { editor.command.stderrSoFar.contains("running") })
            #expect(try editor.ask("POST", "/api/stop", body: "{}").status == 200)
            let stopped = try editor.state { $0.status == "broken" }
            #expect(
                stopped.problems.first?.message == "the script was stopped here; it runs again when it is saved",
                "\(stopped)")
            #expect(stopped.problems.first?.line == 2)
            // Stopping without a running script does nothing.
            #expect(try editor.ask("POST", "/api/stop", body: "{}").status == 200)
            try studio.folder.write("print('again')\n" + Self.endless, to: "edit.lua")
            try #require(Command.until { editor.command.stderrSoFar.contains("again") })
            try studio.script("draft:add_clip(\(try Footage.pattern.lua), { range = { 0, 1 } })")
            #expect(try editor.ready().revision > stopped.revision)
            editor.end(studio)
        }
    }
}
