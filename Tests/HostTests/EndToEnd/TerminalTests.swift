import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The progress bar, as a terminal gets it.
    @Suite struct TerminalTests {
        /// What stands in the bar's line when something was said: everything up to the last return to its beginning is gone.
        private static func lines(_ output: Command.Output) -> [String] {
            output.text.replacing("\r\n", with: "\n").split(separator: "\n").map { line in
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
            #expect(Self.lines(result) == [studio.file("out.mp4")], "\(result)")
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
            #expect(lines.count > 1 && lines.dropLast().allSatisfy { $0.hasPrefix("warning: ") }, "\(lines)")
            #expect(
                lines.last?.hasPrefix("cutroom: ") == true && lines.last?.contains("test.crash") == true, "\(lines)")
            #expect(!lines.joined().contains("%  "), "\(lines)")
        }
    }
}
