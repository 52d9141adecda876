import Foundation
import Values

/// Checks values against a JSON Schema, as far as the schemas of this project go.
public struct SchemaValidator {
    private let root: Value

    public init(_ root: Value) { self.root = root }

    /// - Parameter path: of the schema.
    public init(path: String) throws {
        root = try Value(json: try Data(contentsOf: URL(fileURLWithPath: path)), file: path)
    }

    /// - Parameter definition: the name of a part of the schema; nil: all of it.
    public func accepts(json: String, as definition: String? = nil) throws -> Bool {
        let schema = definition.map { Value.object(["$ref": .string("#/$defs/" + $0)]) }
        return accepts(try Value(json: Data(json.utf8), file: "x"), schema)
    }

    private func accepts(_ value: Value, _ schema: Value? = nil) -> Bool {
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
        case ("dependentRequired", .object(let needs), .object(let fields)):
            return needs.allSatisfy { name, others in
                guard fields[name] != nil, case .array(let others) = others else { return true }
                return others.allSatisfy { if case .string(let other) = $0 { fields[other] != nil } else { false } }
            }
        case ("minLength", .number(let least), .string(let text)): return text.unicodeScalars.count >= Int(least)
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

extension Value {
    fileprivate func isOf(_ type: String) -> Bool {
        switch (self, type) {
        case (.object, "object"), (.array, "array"), (.string, "string"), (.number, "number"), (.bool, "boolean"),
            (.null, "null"):
            true
        case (.number(let number), "integer"): number == number.rounded()
        default: false
        }
    }
}
