import Values

/// What an entry of an effect list calls the plugins' effects, by what they change.
enum PluginKind: String, CaseIterable {
    case filter
    case audioFilter = "audio_filter"
    /// A source, laid over the picture.
    case overlay
}

extension Effect {
    /// The names that need no plugin.
    public static let builtInKinds = ["speed", "repeat", "lut", "sticker", "title", "subtitles", "layer"]

    private static let kinds = builtInKinds + PluginKind.allCases.map(\.rawValue)

    /// An entry as a table with its `kind`, in the full form: see ``ShortForm``.
    /// - Parameters:
    ///   - folder: where relative paths start; nil: there are none.
    ///   - level: how many drafts it lies in.
    public init(
        reading value: Value, object: String, origin: Origin? = nil, folder: String?, level: Int = 0
    ) throws(Problem) {
        guard case .object(var table) = value, case .string(let name)? = table.removeValue(forKey: "kind") else {
            throw Problem(
                object,
                "is \(value.forPeople), but must be a table with a ‘kind’ such as { \"kind\": \"lut\", \"image\": \"look.png\" }",
                origin: origin)
        }
        let isPlugin = PluginKind(rawValue: name) != nil
        var called = name
        if isPlugin, case .string(let id)? = table["effect"] { called = id }
        let object = "\(object) (\(Self.shortened(called)))"
        if name == Self.layerKind {
            try self.init(layer: table, object: object, origin: origin, folder: folder, level: level)
            return
        }
        var fields = try FieldReader(.object(table), object: object, origin: origin, folder: folder)
        let id = try fields.string("id")
        let range = try fields.range("range")
        let isPassThrough = try fields.bool("pass_through") ?? false
        let keys = PluginKind(rawValue: name) == .audioFilter ? try fields.ids("key") : nil
        let kind = try Kind(name, reading: &fields)
        try fields.finish(hint: isPlugin ? PluginEffect.parametersHint : nil, otherNames: .effect(name))
        self.init(kind, range: range, isPassThrough: isPassThrough, id: id, origin: origin)
        self.keys = keys ?? []
        if let problem = passThroughProblems.first { throw fields.problem(problem) }
    }

    /// An entry of a clip's own list.
    init(readingOwn value: Value, object: String, origin: Origin?, folder: String?) throws(Problem) {
        try self.init(reading: value, object: object, origin: origin, folder: folder)
        if isPassThrough { throw Problem("\(object) (\(kindName))", Self.misplacedPassThrough, origin: origin) }
        if layer != nil { throw Problem("\(object) (\(kindName))", Self.misplacedLayer, origin: origin) }
    }

    /// A name that is at most 60 characters long, for an object's name in messages.
    static func shortened(_ name: String) -> String { name.count > 60 ? name.prefix(57) + "…" : name }

    /// The entry as a table with its `kind`, in the full form.
    /// - Parameter folder: where relative paths are to start; nil: paths are absolute.
    public func value(in folder: String? = nil) -> Value {
        var writer = FieldWriter(folder: folder)
        writer.put("id", id)
        writer.put("range", range)
        if isPassThrough { writer.put("pass_through", .bool(true)) }
        if !keys.isEmpty { writer.put("key", keys.count == 1 ? .string(keys[0]) : .array(keys.map(Value.string))) }
        kind.write(to: &writer)
        return writer.value
    }

    /// The sentence for a kind that there is not.
    fileprivate static func refusal(ofKind name: String) -> String {
        guard name.contains(".") else {
            return "there is no effect \(Value.quoted(name))\(suggestion(for: name, in: kinds, otherNames: .effects))"
        }
        let kinds = PluginKind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        return
            "‘kind’ is \(Value.quoted(name)); the id of a plugin's effect is its ‘effect’, and its ‘kind’ one of \(kinds)"
    }
}

extension FieldReader {
    /// An id, or a list of ids, each once.
    fileprivate mutating func ids(_ key: String) throws(Problem) -> [String]? {
        guard let value = value(key) else { return nil }
        let items = if case .array(let items) = value { items } else { [value] }
        var ids: [String] = []
        for item in items {
            guard case .string(let id) = item else { throw wrong(key, "the id of a clip, or a list of ids", item) }
            guard !ids.contains(id) else { throw problem("‘\(key)’ has ‘\(id)’ twice") }
            ids.append(id)
        }
        return ids
    }
}

extension Effect.Kind {
    fileprivate init(_ name: String, reading fields: inout FieldReader) throws(Problem) {
        switch name {
        case "speed": self = .speed(try Self.factor(&fields))
        case "repeat": self = .repeat(try Self.count(&fields))
        case "lut": self = .picture(.lut(try Look(reading: &fields)))
        case "sticker": self = .picture(.sticker(try Sticker(reading: &fields)))
        case "title": self = .picture(.title(try Title(reading: &fields)))
        case "subtitles": self = .picture(.subtitles(try Subtitles(reading: &fields)))
        default:
            switch PluginKind(rawValue: name) {
            case .filter: self = .picture(.filter(try PluginEffect(reading: &fields)))
            case .audioFilter: self = .sound(try PluginEffect(reading: &fields))
            case .overlay: self = .picture(.overlay(try SourceOverlay(reading: &fields)))
            case nil:
                throw fields.problem(Effect.refusal(ofKind: name))
            }
        }
    }

    private static func factor(_ fields: inout FieldReader) throws(Problem) -> Rational {
        guard let factor = try fields.rational("factor") else {
            throw fields.problem("needs a ‘factor’, e.g. 2 for twice as fast")
        }
        guard Clip.speedRange.contains(factor) else {
            let hint = factor < .zero ? "; a clip's ‘reverse = true’ plays it backwards" : ""
            throw fields.problem(
                "the factor is \(Value.text(of: factor.doubleValue)), but must lie between 0.01 and 100\(hint)")
        }
        return factor
    }

    private static func count(_ fields: inout FieldReader) throws(Problem) -> Int {
        guard let count = try fields.int("count") else {
            throw fields.problem("needs a ‘count’: how many times the range plays in all")
        }
        guard Effect.countRange.contains(count) else {
            throw fields.problem("the count is \(count), but must lie between 1 and 10000")
        }
        return count
    }

    fileprivate func write(to writer: inout FieldWriter) {
        func put(_ kind: PluginKind) { writer.put("kind", kind.rawValue) }
        switch self {
        case .speed(let factor):
            writer.put("kind", "speed")
            writer.put("factor", factor.value)
        case .repeat(let count):
            writer.put("kind", "repeat")
            writer.put("count", count)
        case .picture(.filter(let effect)):
            put(.filter)
            effect.write(to: &writer)
        case .picture(.overlay(let overlay)):
            put(.overlay)
            overlay.write(to: &writer)
        case .layer(let layer): Self.write(layer, to: &writer)
        case .sound(let effect):
            put(.audioFilter)
            effect.write(to: &writer)
        case .picture(.lut(let look)):
            writer.put("kind", "lut")
            look.write(to: &writer)
        case .picture(.sticker(let sticker)):
            writer.put("kind", "sticker")
            sticker.write(to: &writer)
        case .picture(.title(let title)):
            writer.put("kind", "title")
            title.write(to: &writer)
        case .picture(.subtitles(let subtitles)):
            writer.put("kind", "subtitles")
            subtitles.write(to: &writer)
        }
    }
}
