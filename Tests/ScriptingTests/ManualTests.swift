import Draft
import Foundation
import TestSupport
import Testing
import Values

@testable import Scripting

/// The scripting guide (`docs/scripting.md`, `docs/guide`) is true: its code runs, and it names
/// every option.
@Suite struct ManualTests {
    private static let folder = Project.root + "/docs/guide/"

    /// Returns the paths of the guide's pages.
    private static func pages() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".md") }.sorted()
            .map { folder + $0 } + ["scripting", "reference/options"].map { Project.root + "/docs/\($0).md" }
    }

    private static func text(of page: String) throws -> String {
        try String(contentsOfFile: page, encoding: .utf8)
    }

    @Test func `the guide's code runs`() throws {
        let pages = try Self.pages()
        #expect(pages.count >= 15)
        for page in pages {
            let blocks = try Self.text(of: page).components(separatedBy: "```lua\n").dropFirst().map {
                $0.components(separatedBy: "```")[0]
            }
            #expect(!blocks.isEmpty, "\(page) has no example")
            for block in blocks {
                let isWhole = block.contains("require \"cutroom\"")
                #expect(throws: Never.self, "\(page):\n\(block)") {
                    try run(isWhole ? block : "\(twoClips) \(block)\nreturn draft")
                }
            }
        }
    }

    /// A reader sees an example before they scroll.
    @Test func `each page of the guide begins with an example`() throws {
        for page in try Self.pages() {
            let head = try Self.text(of: page).components(separatedBy: "\n").prefix(15)
            #expect(head.contains { $0.hasPrefix("```") }, "\(page)")
        }
    }

    /// Each table stands between two comments, on one page.
    /// `CUTROOM_RENEW_GOLDEN=1 make test ARGS='--filter ManualTests'` renews the tables.
    @Test func `the guide's tables are those of the options`() throws {
        let renews = ProcessInfo.processInfo.environment["CUTROOM_RENEW_GOLDEN"] != nil
        var texts = try Dictionary(uniqueKeysWithValues: Self.pages().map { ($0, try Self.text(of: $0)) })
        for (name, table) in OptionManual.tables {
            let (open, close) = ("<!-- options: \(name) -->\n", "<!-- end of options -->")
            let found = texts.filter { $0.value.contains(open) }
            try #require(found.count == 1, "‘\(open)’ stands on one page of the guide: \(found.keys)")
            let (page, text) = found.first!
            let parts = text.components(separatedBy: open)
            try #require(parts.count == 2, "‘\(open)’ stands on \(page) once")
            let end = try #require(parts[1].range(of: close), "\(name)")
            if !renews { #expect(String(parts[1][..<end.lowerBound]) == "\n\(table)\n", "\(name)") }
            texts[page] = parts[0] + open + "\n\(table)\n" + parts[1][end.lowerBound...]
        }
        guard renews else { return }
        for (page, text) in texts { try text.write(toFile: page, atomically: true, encoding: .utf8) }
    }

    @Test func `the guide names every option`() throws {
        let text = try Self.pages().map(Self.text).joined()
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
