import Values

/// The way back from the full form, for scripts that read properties.
extension ShortForm {
    /// A clip's or an audio clip's value as a script sees it. What makes a generated clip has its
    /// parameters beside the options.
    public static func short(clip value: Value) -> Value {
        short(clip: value, beside: Clip.generatedNames)
    }

    /// - Parameter reserved: what parameters cannot be called beside the options.
    private static func short(clip value: Value, beside reserved: Set<String>) -> Value {
        guard case .object(var fields) = value else { return value }
        fields["transition"] = fields["transition"].map(short(transition:))
        if case .array(let effects)? = fields["effects"] {
            fields["effects"] = .array(effects.map(short(effect:)))
        }
        fields.shortenParameters(beside: reserved)
        return .object(fields)
    }

    /// An entry's value as a script sees it.
    public static func short(effect value: Value) -> Value {
        if value.fields["kind"] == .string(Effect.layerKind) {
            return short(clip: value, beside: Layer.generatedNames)
        }
        guard case .object(var fields) = value, let id = fields.removeValue(forKey: "effect") else {
            return value
        }
        let isOverlay = fields["kind"] == .string(PluginKind.overlay.rawValue)
        fields["kind"] = id
        let isKeyed = fields["key"] != nil
        fields.shortenParameters(beside: Effect.ownKeys(ofOverlay: isOverlay).union(isKeyed ? ["key"] : []))
        return .object(fields)
    }

    /// `{ kind, duration }`, or a table with `params` where a plugin's has parameters.
    private static func short(transition value: Value) -> Value {
        guard case .object(var fields) = value, let id = fields.removeValue(forKey: "effect"),
            let duration = fields["duration"]
        else { return value }
        guard let parameters = fields.removeValue(forKey: "parameters") else { return .array([id, duration]) }
        fields["kind"] = id
        fields["params"] = parameters.withoutFiles
        return .object(fields)
    }
}

extension [String: Value] {
    /// Puts the parameters beside the other fields or, where one has the name of such a field, all
    /// of them into `params`.
    fileprivate mutating func shortenParameters(beside reserved: Set<String>) {
        guard let table = removeValue(forKey: "parameters"), case .object(let parameters) = table.withoutFiles else {
            return
        }
        if parameters.keys.contains(where: reserved.contains) {
            self["params"] = .object(parameters)
        } else {
            merge(parameters) { own, _ in own }
        }
    }
}

extension Value {
    /// A table of parameters in which files are their paths.
    fileprivate var withoutFiles: Value {
        guard case .object(let fields) = self else { return self }
        return .object(
            fields.mapValues { value in
                if case .object(let file) = value, let path = file[ParameterValue.fileKey] { path } else { value }
            })
    }
}

extension Effect {
    /// Keys of an entry's table in the short form that are never a plugin's parameters; a parameter
    /// of such a name goes into `params`.
    public static func ownKeys(ofOverlay isOverlay: Bool) -> Set<String> {
        let keys: Set = ["id", "range", "pass_through", "kind", "params"]
        return isOverlay ? keys.union(["rect", "opacity"]) : keys
    }

    public var ownKeys: Set<String> {
        if case .picture(.overlay) = kind { return Self.ownKeys(ofOverlay: true) }
        if case .layer = kind { return Layer.generatedNames }
        return Self.ownKeys(ofOverlay: false).union(keys.isEmpty ? [] : ["key"])
    }
}

extension Clip {
    /// What a generated clip's parameters cannot be called beside its options: those, and what else
    /// scripts and documents read.
    fileprivate static let generatedNames = Set(
        generatedOptionNames + ["source", "index", "path", "kind", "start", "source_range"])
}

extension Layer {
    /// What its parameters cannot be called beside its options.
    public static let generatedNames = Set(
        generatedOptionNames + contentNames + ["index", "path", "kind", "pass_through"])
}
