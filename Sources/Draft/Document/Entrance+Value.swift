import Values

extension Entrance {
    static let form = "a name such as \"fade\", or { \"fade\", 0.3 } with the seconds"

    /// A name, `{ kind, seconds }`, `{ kind, seconds, { easing = … } }`, or a table of all of it.
    /// - Parameter units: what may move part by part here.
    init?(reading fields: inout FieldReader, _ key: String, units: [Unit] = [.whole]) throws(Problem) {
        guard let value = fields.value(key) else { return nil }
        var table: [String: Value]
        switch value {
        case .string: table = ["kind": value]
        case .array(let items) where (1...3).contains(items.count):
            table = ["kind": items[0]]
            if items.count > 1 { table["duration"] = items[1] }
            if items.count > 2 {
                guard case .object(let options) = items[2] else { throw fields.wrong(key, Self.form, value) }
                table.merge(options) { first, _ in first }
            }
        case .object(let options): table = options
        default: throw fields.wrong(key, Self.form, value)
        }
        var reader = try FieldReader(.object(table), object: "\(fields.object), \(key)", origin: fields.origin)
        guard let kind = try reader.choice("kind", Kind.self, otherNames: .entrances) else {
            throw reader.problem("needs a ‘kind’: \(Self.form)")
        }
        self.init(kind, duration: try reader.time("duration") ?? Self.usualDuration)
        guard duration > .zero, duration <= Self.longest else {
            throw reader.problem(
                "lasts \(duration.forPeople) s, but must last longer than 0 and at most \(Self.longest.forPeople) s")
        }
        if let name = try reader.string("easing") {
            guard let known = Easing(name) else {
                throw reader.problem("has no easing \(Value.quoted(name))\(Easing.advice(on: .string(name)))")
            }
            easing = known
        }
        unit = try reader.choice("by", Unit.self, otherNames: nil) ?? unit
        guard units.contains(unit) else {
            throw reader.problem("is ‘by’ \(unit.rawValue), which is for text; a picture enters as a whole")
        }
        if kind == .type, !units.contains(.letter) {
            throw reader.problem("is of the kind ‘type’, which is for text")
        }
        stagger = try reader.length("stagger") ?? stagger
        if stagger != .zero, unit == .whole {
            throw reader.problem("has a ‘stagger’, which is from one part to the next; say ‘by = \"word\"’, too")
        }
        try reader.finish(otherNames: .entrance)
    }

    var value: Value {
        var writer = FieldWriter()
        writer.put("kind", kind.rawValue)
        writer.put("duration", duration)
        if easing != kind.usualEasing { writer.put("easing", easing.description) }
        if unit != .whole { writer.put("by", unit.rawValue) }
        if stagger != .zero { writer.put("stagger", stagger) }
        return writer.value
    }
}
