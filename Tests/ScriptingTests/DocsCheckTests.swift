import Foundation
import TestSupport
import Testing

/// `tools/docs/check.py`, which `make lint` runs, finds what it looks for, and finds nothing in the
/// repository.
@Suite(.waits, .enabled(if: Command.isInstalled("python3"), "python3 is not installed"))
struct DocsCheckTests {
    // The check reads this file, too: it names no page that the repository lacks.
    private static let (a, b, none) = ("docs/" + "a.md", "docs/" + "b.md", "docs/" + "none.md")

    private static func check(_ folder: String) throws -> Command.Output {
        try Command.run(["python3", "-B", Project.root + "/tools/docs/check.py", folder])
    }

    @Test func `the docs have no dead links`() throws {
        let result = try Self.check(Project.root)
        #expect(result.succeeded, "\(result)")
    }

    @Test(arguments: [
        ("see [it](other.md)", "\(a):3: the link leads to ‘other.md’, which does not exist"),
        ("see [it](b.md#third)", "\(a):3: ‘b.md’ has no heading ‘#third’"),
        ("see [it](#nowhere)", "\(a):3: ‘a.md’ has no heading ‘#nowhere’"),
        ("![picture](images/x.png)", "\(a):3: the link leads to ‘images/x.png’, which does not exist"),
        ("[it]: ../none.c", "\(a):3: the link leads to ‘../none.c’, which does not exist"),
        ("see [two\nlines](other.md)", "\(a):4: the link leads to ‘other.md’, which does not exist"),
    ])
    func `a dead link is found`(line: String, finding: String) throws {
        let result = try Self.check(page: "# A\n\n\(line)\n")
        #expect(!result.succeeded && result.text == finding + "\n", "\(result)")
    }

    @Test(arguments: [
        "[b](b.md)", "[b](b.md#second-heading-é)", "[b](b.md#twice-1)", "[a](#a)", "[web](https://example.org/x.md#y)",
        "`[code](none.md)`", "```\n[code](none.md)\n```", "[folder](../docs)", "[source](../tool.py)",
    ])
    func `a link that leads somewhere is not`(text: String) throws {
        let result = try Self.check(page: "# A\n\n\(text)\n")
        #expect(result.succeeded && result.text.isEmpty, "\(result)")
    }

    @Test func `a page that is too long, and a source that names none, are found`() throws {
        let long = try Self.check(page: String(repeating: "line\n", count: 301))
        #expect(long.text == "\(Self.a): has 301 lines, but may have 300: split it\n", "\(long)")
        let named = try Self.check(page: "# A\n", source: "# See \(Self.none).\n")
        #expect(!named.succeeded && named.text == "tool.py:1: names ‘\(Self.none)’, which does not exist\n")
    }

    private static func check(page: String, source: String = "# See \(b).\n") throws -> Command.Output {
        try TemporaryFolder.with { folder in
            try folder.write(page, to: a)
            try folder.write("# B\n\n## Second `heading`: é!\n\n## Twice\n\n## Twice\n", to: b)
            try folder.write(source, to: "tool.py")
            return try check(folder.path)
        }
    }
}
