extension Effect {
    /// The names that need no plugin.
    public static let builtInKinds = ["speed", "repeat", "lut", "sticker", "title"]

    /// An effect as a table with its `kind`, or as `{ "lut", { image = "look.png" } }`.
    public init(reading value: Value, object: String, origin: Origin? = nil) throws(Problem) {
        if case .array(let items) = value, (1...2).contains(items.count), case .string(let kind) = items[0] {
            try self.init(kind: kind, reading: items.count == 2 ? items[1] : .null, object: object, origin: origin)
            return
        }
        guard case .object(var table) = value, case .string(let kind)? = table.removeValue(forKey: "kind") else {
            throw Problem(
                object, "is \(value.forPeople), but must be { kind, { options } } such as { \"lut\", { image = \"look.png\" } }",
                origin: origin)
        }
        try self.init(kind: kind, reading: .object(table), object: object, origin: origin)
    }

    /// - Parameter kind: one of ``builtInKinds``, or a plugin effect's id, which has a dot in it.
    public init(kind: String, reading value: Value, object: String, origin: Origin? = nil) throws(Problem) {
        let object = "\(object) (\(kind.count > 60 ? kind.prefix(57) + "…" : kind))"
        var fields = try FieldReader(value, object: object, origin: origin)
        let id = try fields.string("id")
        let range = try fields.range("range")
        switch kind {
        case "speed":
            guard let factor = try fields.rational("factor") else { throw fields.problem("needs a ‘factor’, e.g. 2 for twice as fast") }
            guard Clip.speedRange.contains(factor) else {
                throw fields.problem("the factor is \(factor), but must lie between 0.01 and 100")
            }
            self.init(.speed(factor), range: range, id: id, origin: origin)
        case "repeat":
            guard let count = try fields.int("count") else { throw fields.problem("needs a ‘count’: how many times the range plays in all") }
            guard Effect.countRange.contains(count) else {
                throw fields.problem("the count is \(count), but must lie between 1 and 10000")
            }
            self.init(.repeat(count), range: range, id: id, origin: origin)
        case "lut": self.init(.picture(.lut(try Look(reading: &fields))), range: range, id: id, origin: origin)
        case "sticker": self.init(.picture(.sticker(try Sticker(reading: &fields))), range: range, id: id, origin: origin)
        case "title": self.init(.picture(.title(try Title(reading: &fields))), range: range, id: id, origin: origin)
        case _ where kind.contains("."):
            let filter = ExternalFilter(effectID: kind, parameters: try ExternalFilter.parameters(&fields))
            self.init(.picture(.filter(filter)), range: range, id: id, origin: origin)
        default:
            throw Problem(object, "there is no effect \(Value.quoted(kind))\(suggestion(for: kind, in: Effect.builtInKinds))", origin: origin)
        }
        try fields.finish()
    }

    /// The effect as a table with its `kind`.
    public var value: Value {
        var writer = FieldWriter()
        writer.put("kind", kindName)
        writer.put("id", id)
        writer.put("range", range)
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
        case .picture(.filter(let filter)):
            let values = filter.parameters.mapValues(\.value)
            if values.keys.contains(where: ExternalFilter.reservedKeys.contains) {
                writer.put("params", .object(values))
            } else {
                for (key, value) in values { writer.put(key, value) }
            }
        }
        return writer.value
    }
}

extension Look {
    init(reading fields: inout FieldReader) throws(Problem) {
        guard let path = try fields.string("image") else { throw fields.problem("needs an ‘image’: a look-up image or a .cube file") }
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

extension ExternalFilter {
    /// Keys of an effect's table that are not parameters; a parameter of such a name goes into `params`.
    static let reservedKeys: Set<String> = ["id", "range", "kind", "params"]

    static func parameters(_ fields: inout FieldReader) throws(Problem) -> [String: ParameterValue] {
        var table: [String: Value] = [:]
        if let value = fields.value("params") {
            guard case .object(let inner) = value else { throw fields.wrong("params", "a table of parameters", value) }
            table = inner
        }
        table.merge(fields.rest()) { inner, _ in inner }
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
