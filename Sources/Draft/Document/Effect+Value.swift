extension Effect {
    /// The names that need no plugin.
    public static let builtInKinds = ["speed", "repeat", "lut", "sticker", "title"]

    /// An effect as a table with its `kind`, or as `{ "lut", { image = "look.png" } }`.
    public init(
        reading value: Value, object: String, origin: Origin? = nil, plugins: [EffectDescriptor] = []
    ) throws(Problem) {
        if case .array(let items) = value, (1...2).contains(items.count), case .string(let kind) = items[0] {
            let options = items.count == 2 ? items[1] : .null
            try self.init(kind: kind, reading: options, object: object, origin: origin, plugins: plugins)
            return
        }
        guard case .object(var table) = value, case .string(let kind)? = table.removeValue(forKey: "kind") else {
            throw Problem(
                object,
                "is \(value.forPeople), but must be { kind, { options } } such as { \"lut\", { image = \"look.png\" } }",
                origin: origin)
        }
        try self.init(kind: kind, reading: .object(table), object: object, origin: origin, plugins: plugins)
    }

    /// An entry of a clip's own list.
    init(
        readingOwn value: Value, object: String, origin: Origin?, plugins: [EffectDescriptor]
    ) throws(Problem) {
        try self.init(reading: value, object: object, origin: origin, plugins: plugins)
        if isPassThrough { throw Problem("\(object) (\(kindName))", Self.misplacedPassThrough, origin: origin) }
    }

    /// - Parameters:
    ///   - kind: one of ``builtInKinds``, or a plugin effect's id, which has a dot in it.
    ///   - plugins: what is known of them. Of what is not a source among them, `rect` and `opacity` are parameters like others.
    public init(
        kind: String, reading value: Value, object: String, origin: Origin? = nil, plugins: [EffectDescriptor] = []
    ) throws(Problem) {
        let object = "\(object) (\(kind.count > 60 ? kind.prefix(57) + "…" : kind))"
        var fields = try FieldReader(value, object: object, origin: origin)
        let id = try fields.string("id")
        let range = try fields.range("range")
        let isPassThrough = try fields.bool("pass_through") ?? false
        let content: Kind
        switch kind {
        case "speed":
            guard let factor = try fields.rational("factor") else {
                throw fields.problem("needs a ‘factor’, e.g. 2 for twice as fast")
            }
            guard Clip.speedRange.contains(factor) else {
                throw fields.problem("the factor is \(factor), but must lie between 0.01 and 100")
            }
            content = .speed(factor)
        case "repeat":
            guard let count = try fields.int("count") else {
                throw fields.problem("needs a ‘count’: how many times the range plays in all")
            }
            guard Effect.countRange.contains(count) else {
                throw fields.problem("the count is \(count), but must lie between 1 and 10000")
            }
            content = .repeat(count)
        case "lut": content = .picture(.lut(try Look(reading: &fields)))
        case "sticker": content = .picture(.sticker(try Sticker(reading: &fields)))
        case "title": content = .picture(.title(try Title(reading: &fields)))
        case _ where plugins.first { $0.id == kind }?.kind == .source:
            content = .picture(.overlay(try SourceOverlay(id: kind, reading: &fields)))
        case _ where kind.contains("."):
            let filter = PluginEffect(effectID: kind, parameters: try PluginEffect.parameters(&fields))
            content = .picture(.filter(filter))
        default:
            throw Problem(
                object, "there is no effect \(Value.quoted(kind))\(suggestion(for: kind, in: Effect.builtInKinds))",
                origin: origin)
        }
        try fields.finish()
        self.init(content, range: range, isPassThrough: isPassThrough, id: id, origin: origin)
        if let problem = passThroughProblems.first { throw fields.problem(problem) }
    }

    /// Keys of its table that are never a plugin's parameters; a parameter of such a name goes into `params`.
    public var ownKeys: Set<String> {
        if case .picture(.overlay) = kind { Self.ownKeys(ofOverlay: true) } else { Self.ownKeys(ofOverlay: false) }
    }

    public static func ownKeys(ofOverlay isOverlay: Bool) -> Set<String> {
        let keys: Set = ["id", "range", "pass_through", "kind", "params"]
        return isOverlay ? keys.union(["rect", "opacity"]) : keys
    }

    /// The effect as a table with its `kind`.
    public var value: Value {
        var writer = FieldWriter()
        writer.put("kind", kindName)
        writer.put("id", id)
        writer.put("range", range)
        if isPassThrough { writer.put("pass_through", .bool(true)) }
        switch kind {
        case .speed(let factor): writer.put("factor", factor.value)
        case .repeat(let count): writer.put("count", count)
        case .picture(.lut(let look)):
            writer.put("image", look.path)
            if look.intensity != .constant(1) { writer.put("intensity", look.intensity.value) }
        case .picture(.sticker(let sticker)):
            writer.put("image", sticker.path)
            writer.put("rect", sticker.rect.value)
            if sticker.opacity != .constant(1) { writer.put("opacity", sticker.opacity.value) }
        case .picture(.title(let title)): title.write(to: &writer)
        case .picture(.filter(let filter)): filter.write(to: &writer, beside: ownKeys)
        case .picture(.overlay(let overlay)):
            writer.put("rect", overlay.rect?.value)
            if overlay.opacity != .constant(1) { writer.put("opacity", overlay.opacity.value) }
            overlay.source.write(to: &writer, beside: ownKeys)
        }
        return writer.value
    }
}

extension Look {
    init(reading fields: inout FieldReader) throws(Problem) {
        guard let path = try fields.string("image") else {
            throw fields.problem("needs an ‘image’: a look-up image or a .cube file")
        }
        self.init(path: path, intensity: try fields.animated("intensity") ?? .constant(1))
    }
}

extension Sticker {
    init(reading fields: inout FieldReader) throws(Problem) {
        guard let path = try fields.string("image") else { throw fields.problem("needs an ‘image’") }
        let form = "{ left, top, width, height } in pixels"
        guard let rect = try fields.animated("rect") else { throw fields.problem("needs a ‘rect’: \(form)") }
        for numbers in rect.keyValues {
            if let problem = Self.problem(ofRect: numbers) { throw fields.problem(problem) }
        }
        self.init(path: path, rect: rect, opacity: try fields.animated("opacity") ?? .constant(1))
    }
}

extension SourceOverlay {
    fileprivate init(id: String, reading fields: inout FieldReader) throws(Problem) {
        // Its pictures are made at this size, so it is bounded as the canvas is.
        let rect = try Rect(reading: &fields, largest: Canvas.sizeRange.upperBound)
        let opacity = try fields.animated("opacity")
        let source = PluginEffect(effectID: id, parameters: try PluginEffect.parameters(&fields))
        self.init(source, rect: rect, opacity: opacity ?? .constant(1))
    }
}

extension Rect {
    fileprivate static let form = "{ left, top, width, height } in pixels"

    /// From `rect`; nil where there is none.
    fileprivate init?(reading fields: inout FieldReader, largest: Int) throws(Problem) {
        guard let rect = try fields.integers("rect", count: 4, form: Self.form) else { return nil }
        guard (1...largest).contains(rect[2]), (1...largest).contains(rect[3]) else {
            throw fields.problem(
                "the rectangle is \(rect[2])×\(rect[3]) pixels, but must be 1×1 to \(largest)×\(largest)")
        }
        guard rect[0].magnitude <= 100_000, rect[1].magnitude <= 100_000 else {
            throw fields.problem(
                "the rectangle's corner is (\(rect[0]), \(rect[1])), but must lie within 100000 pixels of the canvas")
        }
        self.init(x: rect[0], y: rect[1], width: rect[2], height: rect[3])
    }

    fileprivate var value: Value { .array([x, y, width, height].map { .number(Double($0)) }) }
}

extension PluginEffect {
    /// The parameters beside what else the table has or, where one has the name of that, all of them in `params`.
    func write(to writer: inout FieldWriter, beside reserved: Set<String>) {
        let values = parameters.mapValues(\.value)
        if values.keys.contains(where: reserved.contains) {
            writer.put("params", .object(values))
        } else {
            for (key, value) in values { writer.put(key, value) }
        }
    }

    static func parameters(_ fields: inout FieldReader) throws(Problem) -> [String: ParameterValue] {
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
        var result: [String: ParameterValue] = [:]
        for (key, value) in table {
            if case .string(let text) = value {
                result[key] = .text(text)
            } else {
                result[key] = .numbers(try fields.animated(value, key))
            }
        }
        return result
    }
}

extension ParameterValue {
    var value: Value {
        switch self {
        case .numbers(let animated): animated.value
        case .text(let text), .path(let text): .string(text)
        }
    }
}
