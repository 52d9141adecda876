import Foundation
import TestSupport
import Testing

/// axe-core, which checks a page's accessibility. It comes from a PyPI package that contains it.
enum Axe {
    private static let package = "axe-playwright-python==0.1.8"

    static let script: String? = try? String(contentsOfFile: fetched(), encoding: .utf8)
    static let absence: Comment = "axe-core cannot be had from PyPI"

    private static func fetched() throws -> String {
        try Kept.file("axe.min.js", from: [package]) { path in
            let folder = try TemporaryFolder()
            for words in [
                ["pip", "download", "--quiet", "--no-deps", "--dest", folder.path, package],
                ["zipfile", "-e", "*.whl", folder.path],
            ] {
                let names = words.flatMap { $0 == "*.whl" ? folder.names.filter { $0.hasSuffix(".whl") } : [$0] }
                let result = try Command.run(["python3", "-m"] + names, in: folder.path, timeout: 120)
                guard result.succeeded else { throw Command.Failure(description: "\(result)") }
            }
            try FileManager.default.copyItem(
                atPath: folder.file("axe_playwright_python/axe.min.js"), toPath: path)
        }
    }

    /// Checks the current page: returns a line for each violated rule, with the elements.
    static func violations(in browser: Chromium) throws -> [String] {
        guard let script else { return ["\(absence)"] }
        try browser.evaluate("typeof axe == 'undefined' && (() => { \(script) })()")
        let text = try browser.text(
            """
            axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) =>
                `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`).join('\\n'))
            """)
        return text.split(separator: "\n").map(String.init)
    }
}
