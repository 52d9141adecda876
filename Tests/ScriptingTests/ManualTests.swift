import Draft
import Foundation
import TestSupport
import Testing

@testable import Scripting

/// The manual is true: its code runs and it names every option.
@Suite struct ManualTests {
    private func manual() throws -> String {
        try String(contentsOfFile: Project.root + "/docs/scripting.md", encoding: .utf8)
    }

    @Test func `the manual's code runs`() throws {
        let blocks = try manual().components(separatedBy: "```lua\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        #expect(blocks.count >= 5)
        for block in blocks {
            let isWhole = block.contains("require \"cutroom\"")
            try run(isWhole ? block : "\(twoClips) \(block)\nreturn draft")
        }
    }

    /// Each table stands between two comments. `CUTROOM_RENEW_GOLDEN=1 make test ARGS='--filter
    /// ManualTests'` renews them.
    @Test func `the manual's tables are those of the options`() throws {
        let path = Project.root + "/docs/scripting.md"
        var text = try manual()
        for (name, table) in OptionManual.tables {
            let (open, close) = ("<!-- options: \(name) -->\n", "<!-- end of options -->")
            let parts = text.components(separatedBy: open)
            try #require(parts.count == 2, "‘\(open)’ stands in docs/scripting.md once")
            let end = try #require(parts[1].range(of: close), "\(name)")
            if ProcessInfo.processInfo.environment["CUTROOM_RENEW_GOLDEN"] == nil {
                #expect(String(parts[1][..<end.lowerBound]) == "\n\(table)\n", "\(name)")
            }
            text = parts[0] + open + "\n\(table)\n" + parts[1][end.lowerBound...]
        }
        if ProcessInfo.processInfo.environment["CUTROOM_RENEW_GOLDEN"] != nil {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
    }

    @Test func `the manual names every option`() throws {
        let text = try manual()
        let names =
            Clip.optionNames + AudioClip.optionNames + Effect.builtInKinds + Transition.Kind.builtIn.map(\.name)
            + Easing.named.map(\.description) + ContentMode.allCases.map(\.rawValue)
            + ScriptParameter.Kind.allCases.map(\.rawValue)
            + ["font", "font_file", "outline_color", "outline_width", "align", "intensity", "rect", "count", "factor"]
        for name in names { #expect(text.contains("`\(name)`") || text.contains("\"\(name)\""), "\(name)") }
        let limits = ScriptLimits()
        #expect(
            limits == ScriptLimits(memory: 256 << 20, instructions: 2_000_000_000, time: .seconds(10), items: 100_000))
    }
}
