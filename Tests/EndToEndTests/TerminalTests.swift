import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The progress bar, as a terminal gets it.
    @Suite struct TerminalTests {
        /// What stands in the bar's line when something was said: everything up to the last return
        /// to its beginning is gone.
        private static func lines(_ output: Command.Output) -> [String] {
            output.text.replacing("\r\n", with: "\n").replacing(/\u{1b}\[[0-9;]*m/, with: "").split(separator: "\n").map
            { line in
                String(line.components(separatedBy: "\r\u{1b}[K").last ?? "")
            }
        }

        private static func bars(_ output: Command.Output) -> [String] {
            output.text.components(separatedBy: "\r\u{1b}[K").filter { $0.hasPrefix("[") }
        }

        /// Standard output and standard error are a terminal of 80 columns.
        private static let terminal = [
            "bash", "-c", #"printf -v line '%q ' "$0" "$@"; exec script -qec "stty cols 80; $line" /dev/null"#,
        ]

        @Test func `the bar says how far it is, how fast, and how long it will take`() throws {
            let studio = try Studio()
            try studio.script(
                "for i = 1, 3 do draft:add_clip(\(Footage.pattern.lua)) end\ndraft:add_effect('org.cutroom.vignette', {})",
                size: (480, 270))
            let result = try studio.run(
                ["render", "edit.lua", "-o", "out.mp4", "--workers", "1"], through: Self.terminal, timeout: 120)
            #expect(result.status == 0, "\(result)")
            let bars = Self.bars(result)
            let whole = try Regex(#"^\[=* *\] \d+ %  \d+/360  \d+ fps  \d+:\d\d left  rendering$"#)
            #expect(bars.contains { $0.contains(whole) }, "\(bars)")
            #expect(bars.allSatisfy { $0.count < 80 }, "\(bars)")
            // The bar has given way to the result.
            let lines = Self.lines(result)
            #expect(lines.count == 2 && lines.first == studio.file("out.mp4"), "\(lines)")
            #expect(lines.last?.contains(/^done in [0-9.:]+( s)?, 0 of \d+ parts from the cache$/) == true, "\(lines)")
        }

        @Test func `the last line says how much was there`() throws {
            let studio = try Studio()
            try studio.script("draft:add_clip(\(Footage.pattern.lua), { range = { 0, 0.2 } })")
            try studio.render()
            let again = try studio.run(["render", "-y", "edit.lua", "-o", "out.mp4"], through: Self.terminal)
            #expect(
                Self.lines(again).last?.contains(/^done in [0-9.]+ s, 2 of 2 parts from the cache$/) == true, "\(again)"
            )
            let quiet = try studio.run(
                ["render", "-y", "edit.lua", "-o", "out.mp4", "--progress", "none"], through: Self.terminal)
            #expect(Self.lines(quiet) == [studio.file("out.mp4")], "\(quiet)")
            let piped = try studio.run(["render", "-y", "edit.lua", "-o", "out.mp4"])
            #expect(piped.stderr == "" && piped.text == studio.file("out.mp4") + "\n", "\(piped)")
            let verbose = try studio.run(["render", "-y", "edit.lua", "-o", "out.mp4", "-v"])
            #expect(verbose.stderr.contains(/info: done in [0-9.]+ s, 2 of 2 parts from the cache\n/), "\(verbose)")
            #expect(verbose.text == studio.file("out.mp4") + "\n")
            let json = try studio.run(["render", "-y", "edit.lua", "-o", "out.mp4", "-v", "--log-format", "json"])
            #expect(
                json.stderr.contains(/"level":"info","message":"done in [0-9.]+ s, 2 of 2 parts from the cache"/),
                "\(json)")
        }

        @Test func `there are colours on a terminal that has them, unless somebody wants none`() throws {
            let studio = try Studio()
            studio.environment = ["TERM": "xterm", "NO_COLOR": nil]
            func run() throws -> Command.Output {
                try studio.run(["check", "gone.lua"], through: Self.terminal)
            }
            #expect(try run().text.contains("\u{1b}[1;31mcutroom:\u{1b}[0m There is no file"))
            #expect(try !studio.run(["check", "gone.lua"]).stderr.contains("\u{1b}"))
            for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb")] {
                studio.environment = ["TERM": "xterm", "NO_COLOR": nil]
                studio.environment[name] = value
                #expect(try !run().text.contains("\u{1b}["), "\(name)")
            }
        }

        @Test func `sound is counted in seconds`() throws {
            let studio = try Studio()
            try studio.script("draft:add_clip(\(Footage.pattern.lua))\ndraft:add_effect('repeat', { count = 240 })")
            let result = try studio.run(["render", "edit.lua", "-o", "out.wav"], through: Self.terminal, timeout: 120)
            #expect(result.status == 0, "\(result)")
            let bars = Self.bars(result)
            let whole = try Regex(#"^\[=* *\] \d+ %  16:00  \d+x  \d+:\d\d left  rendering$"#)
            #expect(bars.contains { $0.contains(whole) } && !bars.contains { $0.contains("fps") }, "\(bars)")
        }

        @Test func `what is said stands in lines of its own`() throws {
            let studio = try Studio()
            try Fixture.plugin("crash", as: "crash", in: studio)
            // In the last of the segments, so that there is a bar before.
            try studio.script(
                "draft:add_clip(\(Footage.pattern.lua))\ndraft:add_effect('test.crash', { frame = 100 })",
                size: (480, 270)
            )
            let result = try studio.run(
                ["render", "edit.lua", "-o", "out.mp4", "--workers", "1"], through: Self.terminal)
            #expect(result.status == 70 && !Self.bars(result).isEmpty, "\(result)")
            let lines = Self.lines(result)
            #expect(lines.count > 1 && lines.dropLast().allSatisfy { $0.hasPrefix("cutroom: warning: ") }, "\(lines)")
            #expect(
                lines.last?.hasPrefix("cutroom: ") == true && lines.last?.contains("test.crash") == true, "\(lines)")
            #expect(!lines.joined().contains("%  "), "\(lines)")
        }
    }
}
