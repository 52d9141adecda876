import Draft
import Foundation
import TestSupport
import Testing
import Values

/// The schema takes what Cutroom writes, and refuses what it would not read.
@Suite struct SchemaTests {
    /// What of JSON Schema the document's schema uses.
    private struct Validator {
        let root: Value

        func accepts(_ value: Value, _ schema: Value? = nil) -> Bool {
            guard case .object(let rules) = schema ?? root else { return false }
            return rules.allSatisfy { accepts(value, $0, $1, rules) }
        }

        private func accepts(_ value: Value, _ rule: String, _ wanted: Value, _ rules: [String: Value]) -> Bool {
            switch (rule, wanted, value) {
            case ("$ref", .string(let path), _):
                guard case .object(let whole) = root, case .object(let all)? = whole["$defs"],
                    let found = all[String(path.dropFirst("#/$defs/".count))]
                else { return false }
                return accepts(value, found)
            case ("anyOf", .array(let forms), _): return forms.contains { accepts(value, $0) }
            case ("const", _, _): return value == wanted
            case ("enum", .array(let all), _): return all.contains(value)
            case ("type", .string(let type), _): return value.isOf(type)
            case ("minimum", .number(let least), .number(let number)): return number >= least
            case ("maximum", .number(let most), .number(let number)): return number <= most
            case ("minItems", .number(let least), .array(let items)): return items.count >= Int(least)
            case ("maxItems", .number(let most), .array(let items)): return items.count <= Int(most)
            case ("items", _, .array(let items)): return items.allSatisfy { accepts($0, wanted) }
            case ("prefixItems", .array(let forms), .array(let items)):
                return zip(items, forms).allSatisfy { accepts($0, $1) }
            case ("required", .array(let names), .object(let fields)):
                return names.allSatisfy { if case .string(let name) = $0 { fields[name] != nil } else { false } }
            case ("properties", .object(let known), .object(let fields)):
                return fields.allSatisfy { name, field in known[name].map { accepts(field, $0) } ?? true }
            case ("additionalProperties", .bool(false), .object(let fields)):
                guard case .object(let known)? = rules["properties"] else { return fields.isEmpty }
                return fields.keys.allSatisfy { known[$0] != nil }
            case ("additionalProperties", .object, .object(let fields)):
                return fields.values.allSatisfy { accepts($0, wanted) }
            case ("pattern", .string(let pattern), .string(let text)):
                return text.range(of: pattern, options: .regularExpression) != nil
            default: return true
            }
        }
    }

    private let validator = Validator(root: DocumentSchema.value)

    private func accepts(_ json: String) throws -> Bool {
        validator.accepts(try Value(json: Data(json.utf8), file: "x"))
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

extension Value {
    fileprivate func isOf(_ type: String) -> Bool {
        switch (self, type) {
        case (.object, "object"), (.array, "array"), (.string, "string"), (.number, "number"), (.bool, "boolean"): true
        case (.number(let number), "integer"): number == number.rounded()
        default: false
        }
    }
}
