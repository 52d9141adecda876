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
