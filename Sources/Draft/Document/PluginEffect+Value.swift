import Values

extension PluginEffect {
    /// What to do with a parameter that lies beside the other fields.
    static let parametersHint = "a plugin's parameters are in ‘parameters’"

    /// What a plugin does, from the fields `effect` and `parameters`.
    init(reading fields: inout FieldReader) throws(Problem) {
        guard let id = try fields.string("effect") else {
            throw fields.problem("needs an ‘effect’, the id of a plugin's effect such as \"org.cutroom.blur\"")
        }
        guard id.contains(".") else {
            throw fields.problem(
                "‘effect’ is \(Value.quoted(id)), but must be the id of a plugin's effect such as \"org.cutroom.blur\"")
        }
        try self.init(id, reading: &fields)
    }

    /// The effect of that id with the values in the field `parameters`.
    init(_ id: String, reading fields: inout FieldReader) throws(Problem) {
        self.init(effectID: id)
        guard let value = fields.value("parameters") else { return }
        switch value {
        case .object(let table):
            for (key, value) in table where value != .null {
                parameters[key] = try ParameterValue(reading: value, key, fields)
            }
        case .array(let items) where items.isEmpty: break
        default: throw fields.wrong("parameters", "a table of parameters", value)
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.put("effect", effectID)
        writeParameters(to: &writer)
    }

    func writeParameters(to writer: inout FieldWriter) {
        guard !parameters.isEmpty else { return }
        let folder = writer.folder
        writer.put("parameters", .object(parameters.mapValues { $0.value(in: folder) }))
    }
}

extension ParameterValue {
    /// The only key of a value's table: `{ "file": "look.png" }`.
    static let fileKey = "file"

    fileprivate init(reading value: Value, _ key: String, _ fields: FieldReader) throws(Problem) {
        switch value {
        case .string(let text): self = .text(text)
        case .object(let table):
            guard table.count == 1, case .string(let path)? = table[Self.fileKey] else {
                throw fields.wrong(key, "a value, or a file such as { \"file\": \"look.png\" }", value)
            }
            guard !path.isEmpty else { throw fields.problem("‘\(key)’ is a file, but its path is empty") }
            self = .path(try fields.resolved(path))
        case .array(let keys)
        where keys.contains { if case .string? = $0.items.dropFirst().first { true } else { false } }:
            self = .choices(try fields.choices(keys, key))
        default: self = .numbers(try fields.animated(value, key))
        }
    }

    /// - Parameter folder: where a relative path is to start; nil: files have their absolute paths.
    func value(in folder: String?) -> Value {
        switch self {
        case .numbers(let animated): animated.value
        case .choices(let keys):
            .array(keys.map { .array([.string($0.time.description), .string($0.choice)]) })
        case .text(let text): .string(text)
        case .path(let path): .object([Self.fileKey: .string(folder.map { relativePath(path, to: $0) } ?? path)])
        }
    }
}
