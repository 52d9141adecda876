import Draft
import Values

/// Plugins' parameters by the types that their descriptors say. The model cannot be as strict as a
/// script wants it, because documents go through it too.
extension Session {
    // MARK: What a script gives

    /// An effect's options, with its parameters as the model takes them.
    /// - Parameters:
    ///   - own: the options that are no parameters.
    ///   - property: the property being set; nil: all of them. The others come from the model.
    func typed(
        _ options: Value, of id: String, beside own: Set<String>, setting property: String? = nil, _ object: String,
        _ origin: Origin
    ) throws -> Value {
        guard case .object(var fields) = options, id.contains("."),
            property.map({ $0 == "params" || !own.contains($0) }) ?? true,
            let descriptor = try pluginEffects(with: id).first(where: { $0.id == id })
        else { return options }
        func type(_ table: inout [String: Value], _ wanted: (String) -> Bool) throws {
            for (key, value) in table.sorted(by: { $0.key < $1.key }) where wanted(key) {
                guard let parameter = descriptor.parameters.first(where: { $0.id == key }) else { continue }
                do throws(ParameterDescriptor.Mismatch) { table[key] = try parameter.reading(value) } catch {
                    throw Problem(object, "‘\(key)’ \(error.reason)", origin: origin)
                }
            }
        }
        try type(&fields) { !own.contains($0) && (property ?? $0) == $0 }
        if case .object(var inner)? = fields["params"] {
            try type(&inner) { property == nil || property == "params" || property == $0 }
            fields["params"] = .object(inner)
        }
        return .object(fields)
    }

    /// The options of an entry of an effect list.
    func typed(
        effect options: Value, _ kind: String, setting property: String? = nil, _ object: String, _ origin: Origin
    ) throws -> Value {
        if kind == Effect.layerKind { return try typed(clip: options, setting: property, object, origin) }
        guard !Effect.builtInKinds.contains(kind), kind.contains(".") else { return options }
        let isSource = try pluginEffects(with: kind).first { $0.id == kind }?.kind == .source
        return try typed(
            options, of: kind, beside: Effect.ownKeys(ofOverlay: isSource), setting: property, object, origin)
    }

    /// The options of a clip or an audio clip, with those of its transition and its own effects.
    func typed(
        clip options: Value, setting property: String? = nil, _ object: String, _ origin: Origin
    ) throws -> Value {
        guard case .object(var fields) = options else { return options }
        fields["transition"] = fields["transition"].map(ShortForm.table)
        if property ?? "transition" == "transition", case .object(let table)? = fields["transition"],
            let kind = table["kind"]?.text, Transition.xfadeName(in: kind) == nil
        {
            fields["transition"] = try typed(
                .object(table), of: kind, beside: Transition.ownKeys, "\(object), transition", origin)
        }
        if property ?? "effects" == "effects", case .array(let effects)? = fields["effects"] {
            fields["effects"] = .array(
                try effects.enumerated().map { try typed(item: $1, "\(object), effect \($0 + 1)", origin) })
        }
        return .object(fields)
    }

    /// `{ kind, options }`, or a table with its kind.
    private func typed(item: Value, _ object: String, _ origin: Origin) throws -> Value {
        switch item {
        case .array(var parts):
            guard parts.count == 2, let kind = parts[0].text else { return item }
            parts[1] = try typed(effect: parts[1], kind, "\(object) (\(kind))", origin)
            return .array(parts)
        case .object(let fields):
            guard let kind = fields["kind"]?.text else { return item }
            return try typed(effect: item, kind, "\(object) (\(kind))", origin)
        default: return item
        }
    }

    // MARK: What a script reads

    /// A property of a clip, an audio clip or an effect that needs no plugin.
    func shown(_ value: Value, _ key: String) -> Value {
        switch (key, value) {
        case ("effects", .array(let effects)): .array(effects.map(shown(effect:)))
        case ("transition", _): shown(transition: value)
        default: value.forScript(key: key)
        }
    }

    /// A property of what a plugin does.
    /// - Parameter own: as in ``typed(_:of:beside:setting:_:_:)``.
    func shown(_ value: Value, _ key: String, of id: String, beside own: Set<String>) -> Value {
        let parameters = catalog.effect(id)?.parameters ?? []
        func shown(_ value: Value, parameter key: String) -> Value {
            parameters.first { $0.id == key }?.showing(value) ?? value.forScript(key: "")
        }
        if key == "params", case .object(let table) = value {
            return .object(Dictionary(uniqueKeysWithValues: table.map { ($0, shown($1, parameter: $0)) }))
        }
        return own.contains(key) ? self.shown(value, key) : shown(value, parameter: key)
    }

    private func shown(effect: Value) -> Value {
        guard case .object(var fields) = effect, let kind = fields["kind"]?.text else { return effect }
        let isPlugin = !Effect.builtInKinds.contains(kind)
        let own = Effect.ownKeys(ofOverlay: catalog.effect(kind)?.kind == .source)
        for (key, value) in fields {
            fields[key] = isPlugin ? shown(value, key, of: kind, beside: own) : shown(value, key)
        }
        return .object(fields)
    }

    /// A plugin's as a table with its parameters beside, whether it has any or not.
    private func shown(transition: Value) -> Value {
        switch transition {
        case .array(let parts):
            guard let kind = parts.first?.text, kind.contains("."), parts.count == 2 else {
                return transition.forScript(key: "transition")
            }
            return .object(["kind": parts[0], "duration": parts[1].forScript(key: "duration")])
        case .object(var fields):
            guard let kind = fields["kind"]?.text else { return transition }
            for (key, value) in fields { fields[key] = shown(value, key, of: kind, beside: Transition.ownKeys) }
            guard case .object(let parameters)? = fields["params"],
                Transition.ownKeys.isDisjoint(with: parameters.keys)
            else { return .object(fields) }
            fields["params"] = nil
            return .object(fields.merging(parameters) { own, _ in own })
        default: return transition
        }
    }
}

extension Transition {
    /// The keys of its table that are not parameters.
    fileprivate static let ownKeys: Set<String> = ["kind", "duration", "params"]
}
