import Foundation
import TestSupport
import Testing

/// The pages of `docs/cookbook` and the README hold what `Scripts/cookbook` has. `make cookbook`
/// renews both texts and pictures.
@Suite struct CookbookPageTests {
    private static let folder = Project.root + "/docs/cookbook"

    /// A page in Markdown.
    private struct Page {
        let name: String
        let text: String
        var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

        init(_ path: String) throws {
            name = path
            text = try String(contentsOfFile: Project.root + "/" + path, encoding: .utf8)
        }

        /// The blocks between `<!-- recipe: NAME -->` and `<!-- end of recipe -->`, by name.
        var recipes: [(name: String, block: String)] {
            text.components(separatedBy: "<!-- recipe: ").dropFirst().compactMap { part in
                guard let mark = part.range(of: " -->\n"), let end = part.range(of: "<!-- end of recipe -->") else {
                    return nil
                }
                return (String(part[..<mark.lowerBound]), String(part[mark.upperBound..<end.lowerBound]))
            }
        }

        /// The targets of links and pictures that lie in the repository.
        var targets: [String] {
            text.components(separatedBy: "](").dropFirst().compactMap { part in
                let target = part.prefix { $0 != ")" && $0 != " " }
                return target.hasPrefix("http") ? nil : String(target)
            }
        }

        /// The anchors of headings, as GitHub makes them.
        var anchors: Set<String> {
            Set(
                lines.filter { $0.hasPrefix("#") }.map { line in
                    line.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
                        .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
                        .replacingOccurrences(of: " ", with: "-")
                })
        }
    }

    private func pages() throws -> [Page] {
        try FileManager.default.contentsOfDirectory(atPath: Self.folder).filter { $0.hasSuffix(".md") }.sorted().map {
            try Page("docs/cookbook/" + $0)
        }
    }

    @Test func `each recipe is on one page, with its text and its picture`() throws {
        let blocks = try pages().flatMap(\.recipes)
        let recipes = try Recipe.all
        #expect(blocks.map(\.name).sorted() == recipes.map(\.name))
        #expect(recipes.count >= 20)
        for recipe in recipes {
            let block = blocks.first { $0.name == recipe.name }?.block ?? ""
            let code = block.components(separatedBy: "```lua\n").last?.components(separatedBy: "```").first
            #expect(code == recipe.text, "\(recipe.name): run ‘make cookbook RECIPES=\(recipe.name)’")
            #expect(recipe.text.split(separator: "\n").count <= 15, "\(recipe.name) has more than 15 lines")
            #expect(block.contains("](images/\(recipe.name)."), "\(recipe.name) shows another picture")
        }
    }

    @Test func `a recipe begins with the command that renders it`() throws {
        for recipe in try Recipe.all {
            #expect(recipe.text.hasPrefix("-- cutroom "), "\(recipe.name)")
            #expect(recipe.command.dropFirst().first == recipe.name + ".lua", "\(recipe.name)")
            #expect(recipe.command.suffix(2).first == "-o", "\(recipe.name)")
        }
    }

    @Test func `pictures are small, and each is shown`() throws {
        let shown = Set(try pages().flatMap(\.targets))
        for name in try FileManager.default.contentsOfDirectory(atPath: Self.folder + "/images") {
            let size = try Data(contentsOf: URL(fileURLWithPath: Self.folder + "/images/" + name)).count
            #expect((1...40_960).contains(size), "\(name) has \(size) bytes")
            #expect(shown.contains("images/" + name), "no page shows \(name)")
        }
    }

    @Test func `pages are short, and their links lead somewhere`() throws {
        for page in try pages() + [Page("README.md"), Page("docs/cli.md")] {
            #expect(page.lines.count < 300, "\(page.name)")
            for target in page.targets {
                let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let folder = (page.name as NSString).deletingLastPathComponent
                let path = parts[0].isEmpty ? page.name : (folder as NSString).appendingPathComponent(String(parts[0]))
                let full = Project.root + "/" + path
                #expect(FileManager.default.fileExists(atPath: full), "\(page.name): \(target)")
                guard parts.count == 2, path.hasSuffix(".md") else { continue }
                #expect(try Page(path).anchors.contains(String(parts[1])), "\(page.name): \(target)")
            }
        }
    }

    @Test func `the README is a page that fits`() throws {
        let page = try Page("README.md")
        #expect(page.lines.count <= 91)  // 90 lines, and what follows the last newline
        for line in page.lines { #expect(line.count <= 100, "\(line)") }
        let first = try #require(try Recipe.all.first { $0.name == "first_video" })
        #expect(page.text.contains("```lua\n\(first.text)```"), "the README shows Scripts/cookbook/first_video.lua")
        #expect(first.text.split(separator: "\n").count == 10)
        let moving = try #require(page.targets.first { $0.hasSuffix(".webp") || $0.hasSuffix(".gif") })
        #expect(try Data(contentsOf: URL(fileURLWithPath: Project.root + "/" + moving)).count < 2_000_000)
    }
}
