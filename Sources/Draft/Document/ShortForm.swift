import Values

/// The short form in which scripts, and documents of version 1, write what plugins do.
///
/// There a plugin's entry has the effect's id as its `kind`, its parameters beside the other keys
/// (in `params` where one is called as such a key is), and files as plain texts. Only the plugins'
/// descriptors tell what is what. The full form, which documents of version 2 and the model's
/// readers have, says all of it: `{ kind = "filter", effect = ID, parameters = { … } }`.
///
/// Values that are nothing of the short form stay as they are: the model's readers say what is
/// wrong with them.
public struct ShortForm: Sendable {
    private let plugins: [EffectDescriptor]

    /// - Parameter plugins: what is known of them. An effect without a descriptor becomes a filter
    ///   without files.
    public init(_ plugins: [EffectDescriptor]) { self.plugins = plugins }

    private func descriptor(_ id: String) -> EffectDescriptor? { plugins.first { $0.id == id } }

    // MARK: Whole entries

    /// A clip, generated or not, or an audio clip.
    /// - Parameters:
    ///   - source: the id of the source that makes the clip.
    ///   - own: the options that are no parameters of the source's.
    public func full(
        clip value: Value, source: String? = nil, beside own: [String] = Clip.generatedOptionNames,
        _ object: String,
        _ origin: Origin?
    ) throws(Problem) -> Value {
        guard case .object(var fields) = value else { return value }
        if let source {
            var reader = try FieldReader(value, object: object, origin: origin)
            let own = own.compactMap { key in reader.value(key).map { (key, $0) } }
            fields = Dictionary(own) { first, _ in first }
            fields["parameters"] = try parameters(of: source, &reader)
            fields["params"] = nil
        }
        if let transition = fields["transition"] {
            fields["transition"] = try full(transition: transition, "\(object), transition", origin)
        }
        if case .array(var items)? = fields["effects"] {
            if case .string(let name)? = items.first {
                let own = items.count > 1 ? ", { … }" : ""
                throw Problem(
                    object,
                    "‘effects’ begins with \(Value.quoted(name)), but must be a list of effects; one is effects = { { "
                        + "\"\(String(name.prefix(60)).printable)\"\(own) } }", origin: origin)
            }
            for index in items.indices {
                items[index] = try full(effect: items[index], "\(object), effect \(index + 1)", origin)
            }
            fields["effects"] = .array(items)
        }
        return .object(fields)
    }

    /// An entry of an effect list: a table with its `kind`, or `{ "lut", { image = "look.png" } }`.
    public func full(effect value: Value, _ object: String, _ origin: Origin?) throws(Problem) -> Value {
        if case .array(let items) = value, (1...2).contains(items.count), case .string(let kind) = items[0] {
            return try full(effect: items.count == 2 ? items[1] : .null, kind: kind, object, origin)
        }
        guard case .object(var fields) = value, case .string(let kind)? = fields.removeValue(forKey: "kind") else {
            throw Problem(
                object,
                "is \(value.forPeople), but must be { kind, { options } } such as { \"lut\", { image = \"look.png\" } }",
                origin: origin)
        }
        return try full(effect: .object(fields), kind: kind, object, origin)
    }

    /// - Parameter options: what the entry has beside its kind.
    public func full(
        effect options: Value, kind: String, _ object: String, _ origin: Origin?
    ) throws(Problem) -> Value {
        let object = "\(object) (\(Effect.shortened(kind)))"
        var reader = try FieldReader(options, object: object, origin: origin)
        if Effect.builtInKinds.contains(kind) {
            guard reader.value("kind") == nil else { throw reader.problem("has no option ‘kind’") }
            if kind == Effect.layerKind {
                let clip = try full(clip: .object(reader.rest()), object, origin)
                return .object(clip.fields.merging(["kind": .string(kind)]) { $1 })
            }
            return .object(reader.rest().merging(["kind": .string(kind)]) { $1 })
        }
        guard kind.contains(".") else {
            throw reader.problem(
                "there is no effect \(Value.quoted(kind))\(suggestion(for: kind, in: Effect.builtInKinds, otherNames: .effects))"
            )
        }
        let fullKind: PluginKind =
            switch descriptor(kind)?.kind {
            case .source: .overlay
            case .audioFilter: .audioFilter
            default: .filter
            }
        var fields: [String: Value] = ["kind": .string(fullKind.rawValue), "effect": .string(kind)]
        for key in Effect.ownKeys(ofOverlay: fullKind == .overlay).subtracting(["kind", "params"]) {
            fields[key] = reader.value(key)
        }
        // Another filter may have a parameter of that name.
        if descriptor(kind)?.isKeyed == true { fields["key"] = reader.value("key") }
        fields["parameters"] = try parameters(of: kind, &reader)
        return .object(fields)
    }

    /// `{ "dissolve", 0.5 }`, `{ kind = "dissolve", duration = 0.5 }`, or a duration alone for a
    /// dissolve. A plugin's has its parameters beside: `{ kind = "org.cutroom.circle", duration =
    /// 0.5, softness = 0.1 }`. One of xfade's has a name of its own: `{ "xfade.hblur", 0.5 }`.
    private func full(transition value: Value, _ object: String, _ origin: Origin?) throws(Problem)
        -> Value
    {
        var fields: [String: Value]
        switch value {
        case .array(let items) where items.count == 2: fields = ["kind": items[0], "duration": items[1]]
        case .object(let table): fields = table
        case .string, .array:
            guard case .string(let kind) = value.items.first ?? value, kind.first?.isLetter == true,
                kind.contains("."), value.items.count <= 1
            else { return value }
            throw Problem(object, Transition.missingSeconds(of: kind), origin: origin)
        default: return value
        }
        guard case .string(let kind)? = fields["kind"], Transition.Kind(named: kind) == nil else { return value }
        var reader = try FieldReader(.object(fields), object: object, origin: origin)
        guard kind != Transition.pluginKind else { throw reader.problem(Transition.Kind.refusal(of: kind)) }
        guard kind.contains(".") else { return value }
        fields = ["kind": .string(Transition.pluginKind), "effect": .string(kind)]
        _ = reader.value("kind")
        fields["duration"] = reader.value("duration")
        if let name = Transition.xfadeName(in: kind) {
            fields["effect"] = .string(Transition.xfade)
            fields["parameters"] = .object(["transition": .string(name)])
            try reader.finish()
            return .object(fields)
        }
        fields["parameters"] = try parameters(of: kind, &reader)
        return .object(fields)
    }

    /// The options of an analysis, with the analyser's parameters.
    func full(analysis value: Value, of id: String, _ object: String, _ origin: Origin?) throws(Problem) -> Value {
        var reader = try FieldReader(value, object: object, origin: origin)
        var fields: [String: Value] = [:]
        for key in Analysis.optionNames where key != "params" { fields[key] = reader.value(key) }
        fields["parameters"] = try parameters(of: id, &reader)
        return .object(fields)
    }

    /// `{ kind, { options } }` as one table, which is what `{ kind, option = … }` comes from a
    /// script as; anything else as it is.
    public static func table(_ value: Value) -> Value {
        guard case .array(let items) = value, items.count == 2, case .object(let options) = items[1] else {
            return value
        }
        return .object(options.merging(["kind": items[0]]) { $1 })
    }

    // MARK: Parameters

    /// All parameters of a plugin's effect: `params`, and every field that the reader was not asked
    /// for; nil where there are none.
    private func parameters(of id: String, _ fields: inout FieldReader) throws(Problem) -> Value? {
        var table: [String: Value] = [:]
        if let value = fields.value("params") {
            switch value {
            case .object(let inner): table = inner.filter { $0.value != .null }
            // An empty Lua table is an empty list.
            case .array(let items) where items.isEmpty: break
            default: throw fields.wrong("params", "a table of parameters", value)
            }
        }
        let beside = fields.rest()
        if let twice = table.keys.filter({ beside[$0] != nil }).min() {
            throw fields.problem("‘\(twice)’ is given twice, in ‘params’ and beside it; leave one out")
        }
        table.merge(beside) { inner, _ in inner }
        let files = Set((descriptor(id)?.parameters ?? []).filter(\.isFile).map(\.id))
        for (key, value) in table {
            switch value {
            // In the full form a table is a file, so that here it must not pass.
            case .object: _ = try fields.animated(value, key)
            case .string(let path) where files.contains(key) && !path.isEmpty:
                table[key] = ParameterValue.path(path).value(in: nil)
            default: break
            }
        }
        return table.isEmpty ? nil : .object(table)
    }
}
