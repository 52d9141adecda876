import Draft
import Foundation
import TestSupport
import Testing
import Values

/// The schema takes what Cutroom writes, and refuses what it would not read.
@Suite struct SchemaTests {
    private let validator = SchemaValidator(DocumentSchema.value)

    private func accepts(_ json: String) throws -> Bool {
        try validator.accepts(json: json)
    }

    @Test func `the schema takes the documents of random drafts`() throws {
        let cases = 60
        let seed = Seed.announced(for: "documents and their schema", cases: cases)
        for index in 0..<cases {
            var generator = RandomDraft(.forCase(index, of: seed))
            let json = generator.draft(illegal: false).document(in: "/m")
            #expect(try accepts(json), "case \(index): \(json)")
        }
    }

    @Test func `the schema takes the manual's document`() throws {
        let page = try String(contentsOfFile: Project.root + "/docs/document.md", encoding: .utf8)
        let json = page.components(separatedBy: "```json\n")[1].components(separatedBy: "```")[0]
        #expect(try accepts(json))
    }

    @Test(arguments: [
        "{}", "{ 'cutroom': 1 }", "{ 'cutroom': 2, 'clip': [] }", "{ 'cutroom': 2, 'clips': [{}] }",
        "{ 'cutroom': 2, 'clips': [{ 'media': 'a.mp4', 'image': 'a.png' }] }",
        "{ 'cutroom': 2, 'clips': [{ 'media': 'a.mp4', 'volume': 101 }] }",
        "{ 'cutroom': 2, 'clips': [{ 'media': 'a.mp4', 'fade_in': true }] }",
        "{ 'cutroom': 2, 'clips': [{ 'media': 'a.mp4', 'at': 1 }] }",
        "{ 'cutroom': 2, 'clips': [{ 'image': 'a.png', 'duration': 1, 'volume': 1 }] }",
        "{ 'cutroom': 2, 'clips': [{ 'image': 'a.png' }] }",
        "{ 'cutroom': 2, 'audio': [{ 'media': 'a.m4a', 'loop': 2 }] }",
        "{ 'cutroom': 2, 'effects': [{ 'kind': 'lut' }] }", "{ 'cutroom': 2, 'effects': [{ 'kind': 'glow' }] }",
        "{ 'cutroom': 2, 'effects': [{ 'kind': 'layer', 'media': 'a.mp4', 'transition': 1 }] }",
        "{ 'cutroom': 2, 'export': { 'video': { 'codec': 'x' } } }", "{ 'cutroom': 2, 'loudness': 3 }",
    ]) func `the schema refuses what is not read`(json: String) throws {
        #expect(try !accepts(json.replacingOccurrences(of: "'", with: "\"")))
    }

    @Test func `the schema explains the options`() throws {
        let json = DocumentSchema.value.json
        #expect(json.contains("2020-12"))
        #expect(json.contains("its start in final time"))
        #expect(json.contains("animated in the clip's time"))
    }

    /// The help of an option is Markdown for the guide, whose pages a schema does not have beside
    /// it.
    @Test func `the schema has no links to pages`() throws {
        #expect(!DocumentSchema.value.json.contains("]("))
    }
}
