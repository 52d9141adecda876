import Values

/// A value that a script asks for from outside, as `cutroom.params` declares it and `--set` gives
/// it.
public struct ScriptParameter: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case string, number, integer, boolean
        /// `#rgb`, `#rrggbb`, `#rrggbbaa` or a name of CSS, which is `#rrggbb` when the script sees
        /// it.
        case color
        /// Relative to the working folder where it is given from outside, to the script where it is
        /// the default; absolute when the script sees it.
        case path
    }

    public var name: String
    public var kind: Kind
    /// Its value is a list, of which each item is of the kind and fits; `--set` gives one item at a
    /// time.
    public var isList: Bool
    public var help: String
    /// Used where no value is given, as the script declares it; null: a value must be given.
    public var initial: Value
    /// Where it is not empty, the only values there are.
    public var choices: [Value]
    /// For numbers and integers.
    public var minimum: Double?
    public var maximum: Double?
    /// What the script sees; null where it needs a value and has none.
    public var value: Value
}

/// What a script says of its parameters.
public struct ScriptDescription: Sendable {
    /// In order of their declaration; those of one call in order of their names.
    public var parameters: [ScriptParameter]
    /// What has ended the script before its own end; it may declare more parameters after that
    /// place. nil: it has declared all.
    public var end: ScriptError?

    /// The parameters as a JSON Schema (draft 2020-12) of an object with a value for each.
    /// - Parameter title: the script's name.
    public func schema(title: String) -> Value {
        let required = parameters.filter { $0.initial == .null }.map(\.name).sorted()
        var fields: [String: Value] = [
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": .string(title), "type": "object",
            "properties": .object(Dictionary(uniqueKeysWithValues: parameters.map { ($0.name, $0.schema) })),
            "additionalProperties": false,
        ]
        if !required.isEmpty { fields["required"] = .array(required.map(Value.string)) }
        return .object(fields)
    }
}

extension ScriptParameter {
    fileprivate var schema: Value {
        var item: [String: Value] = [:]
        switch kind {
        case .string: item["type"] = "string"
        case .number: item["type"] = "number"
        case .integer: item["type"] = "integer"
        case .boolean: item["type"] = "boolean"
        // Formats of our own, which a schema may have.
        case .color, .path:
            item["type"] = "string"
            item["format"] = .string(kind.rawValue)
        }
        if !choices.isEmpty { item["enum"] = .array(choices) }
        item["minimum"] = minimum.map(Value.number)
        item["maximum"] = maximum.map(Value.number)
        var schema: [String: Value] = isList ? ["type": "array", "items": .object(item)] : item
        if !help.isEmpty { schema["description"] = .string(help) }
        if initial != .null { schema["default"] = initial }
        return .object(schema)
    }
}
