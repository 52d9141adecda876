/// Reads the fields of one object, remembers which keys it was asked for, and refuses all others.
/// Every problem names the object and the key.
public struct FieldReader {
    public let object: String
    public let origin: Origin?
    /// Where relative paths start; nil: paths stay as they are.
    package let folder: String?
    /// The kind of the object among those that share its options.
    package var use = ObjectUse.all
    /// Options that are refused because other objects have them; nil: such options are unknown.
    package var lack: Lack?
    /// The length of what the object plays, where it is known.
    package var mediaDuration: Time?
    private var fields: [String: Value]
    private var known: Set<String> = []

    /// - Parameters:
    ///   - object: the object's name in messages, e.g. `clip 2`.
    ///   - folder: where relative paths start; nil: paths stay as they are.
    public init(
        _ value: Value, object: String, origin: Origin? = nil, folder: String? = nil
    ) throws(Problem) {
        self.object = object
        self.origin = origin
        self.folder = folder
        switch value {
        case .object(let fields): self.fields = fields
        // An empty Lua table is an empty list and an empty object alike.
        case .array(let items) where items.isEmpty: fields = [:]
        case .null: fields = [:]
        default: throw Problem(object, "wants a table of options, but was given \(value.forPeople)", origin: origin)
        }
    }

    public func problem(_ message: String) -> Problem { Problem(object, message, origin: origin) }

    /// The value of `key`; nil where it is absent or null.
    public mutating func value(_ key: String) -> Value? {
        known.insert(key)
        let value = fields[key]
        return value == .null ? nil : value
    }

    /// Every field that nothing has asked for yet, as for a plugin's parameters.
    public mutating func rest() -> [String: Value] {
        let rest = fields.filter { !known.contains($0.key) && $0.value != .null }
        known.formUnion(fields.keys)
        return rest
    }

    /// The keys, of these, that have a value. They do not become known by it.
    package func given(_ keys: [String]) -> [String] { keys.filter { fields[$0] ?? .null != .null } }

    /// Takes keys for known where they have no value, which a document may say.
    package mutating func ignoreNull(_ keys: [String]) { known.formUnion(keys.filter { fields[$0] == .null }) }

    /// Accepts keys that another reader handles.
    package mutating func know(_ keys: [String]) { known.formUnion(keys) }

    /// Refuses keys that nothing asked for, with the nearest known one.
    /// - Parameters:
    ///   - hint: what to say where no known one is near, instead of all that there are.
    ///   - otherNames: what people call the options of such an object.
    public func finish(hint: String? = nil, otherNames: OtherNames? = nil) throws(Problem) {
        guard let unknown = fields.keys.filter({ !known.contains($0) }).min() else { return }
        let isNear =
            nearestName(to: unknown, in: known) != nil || otherNames?.advice(for: unknown, in: known) != nil
        let advice = isNear ? nil : hint.map { "; \($0)" }
        let found = advice ?? suggestion(for: unknown, in: known, otherNames: otherNames)
        throw problem("has no option \(Value.quoted(unknown))\(found)")
    }

    public mutating func string(_ key: String) throws(Problem) -> String? {
        guard let value = value(key) else { return nil }
        guard case .string(let text) = value else { throw wrong(key, "a text", value) }
        return text
    }

    /// A file's path, absolute.
    package mutating func path(_ key: String) throws(Problem) -> String? {
        guard let path = try string(key) else { return nil }
        return try resolved(path)
    }

    /// The absolute path that a path means here.
    package func resolved(_ path: String) throws(Problem) -> String {
        if let reason = urlRefusal(path) { throw problem(reason) }
        return folder.map { absolutePath(path, in: $0) } ?? path
    }

    public mutating func bool(_ key: String) throws(Problem) -> Bool? {
        guard let value = value(key) else { return nil }
        guard case .bool(let flag) = value else { throw wrong(key, "true or false", value) }
        return flag
    }

    public mutating func number(_ key: String) throws(Problem) -> Double? {
        guard let value = value(key) else { return nil }
        return try number(value, key)
    }

    /// A number within bounds.
    package mutating func number(
        _ key: String, _ bounds: ClosedRange<Double>, _ unit: String
    ) throws(Problem) -> Double? {
        guard let number = try number(key) else { return nil }
        guard bounds.contains(number) else {
            throw problem(
                "‘\(key)’ is \(Value.text(of: number)), but must lie between \(Value.text(of: bounds.lowerBound)) and "
                    + "\(Value.text(of: bounds.upperBound)) \(unit)")
        }
        return number
    }

    public mutating func int(_ key: String) throws(Problem) -> Int? {
        guard let value = value(key) else { return nil }
        return try int(value, key)
    }

    /// Seconds as a number, a timecode such as `"1:02.5"`, or an exact time such as `"5/2s"`.
    public mutating func time(_ key: String) throws(Problem) -> Time? {
        guard let value = value(key) else { return nil }
        return try time(value, key)
    }

    /// A length of time that is not negative.
    package mutating func length(_ key: String) throws(Problem) -> Time? {
        guard let time = try time(key) else { return nil }
        guard time >= .zero else { throw problem("‘\(key)’ is \(time.forPeople) s, but must not be negative") }
        return time
    }

    /// `{ start, duration }`.
    public mutating func range(_ key: String) throws(Problem) -> TimeRange? {
        guard let value = value(key) else { return nil }
        guard case .array(let items) = value, items.count == 2 else {
            throw wrong(key, "{ start, duration } in seconds", value)
        }
        let range = TimeRange(start: try time(items[0], key), duration: try time(items[1], key))
        guard range.start >= .zero else {
            throw problem("‘\(key)’ starts at \(range.start.forPeople) s, but must not start before 0")
        }
        guard range.duration > .zero else {
            throw problem("‘\(key)’ lasts \(range.duration.forPeople) s, but must last longer than 0")
        }
        return range
    }

    /// A number, or a fraction such as `"30000/1001"`.
    public mutating func rational(_ key: String) throws(Problem) -> Rational? {
        guard let value = value(key) else { return nil }
        switch value {
        case .number(let number): if let result = Rational(number) { return result }
        case .string(let text): if let result = Rational(text) { return result }
        default: break
        }
        throw wrong(key, "a number or a fraction such as \"30000/1001\"", value)
    }

    public mutating func color(_ key: String) throws(Problem) -> Color? {
        guard let value = value(key) else { return nil }
        guard case .string(let text) = value else { throw wrong(key, Color.wanted, value) }
        guard let color = Color(text) else { throw problem("‘\(key)’ \(Color.refusal(of: text))") }
        return color
    }

    /// - Parameter otherNames: what people call the choices.
    public mutating func choice<C: RawRepresentable<String> & CaseIterable>(
        _ key: String, _: C.Type, otherNames: OtherNames? = nil
    ) throws(Problem) -> C? {
        guard let text = try string(key) else { return nil }
        guard let choice = C(rawValue: text) else {
            let hint = suggestion(for: text, in: C.allCases.map(\.rawValue), otherNames: otherNames)
            throw problem("‘\(key)’ is \(Value.quoted(text))\(hint)")
        }
        return choice
    }

    public mutating func list(_ key: String) throws(Problem) -> [Value]? {
        guard let value = value(key) else { return nil }
        switch value {
        case .array(let items): return items
        case .object(let fields) where fields.isEmpty: return []
        default: throw wrong(key, "a list", value)
        }
    }

    public mutating func integers(_ key: String, count: Int, form: String) throws(Problem) -> [Int]? {
        guard let value = value(key) else { return nil }
        guard case .array(let items) = value, items.count == count else { throw wrong(key, form, value) }
        var result: [Int] = []
        for item in items { result.append(try int(item, key)) }
        return result
    }

    /// A number, a list of keyframes `{ time, value, easing }`, or a function of time. With more
    /// than one component a value is a list of numbers.
    public mutating func animated(_ key: String) throws(Problem) -> Animated? {
        guard let value = value(key) else { return nil }
        return try animated(value, key)
    }

    /// A reader of a table within this one.
    package func reader(of value: Value, _ key: String) throws(Problem) -> FieldReader {
        try FieldReader(value, object: "\(object), \(key)", origin: origin, folder: folder)
    }

    package func wrong(_ key: String, _ wanted: String, _ found: Value) -> Problem {
        problem("‘\(key)’ is \(found.forPeople), but must be \(wanted)\(FieldReader.factor(key, for: found) ?? "")")
    }

    private func number(_ value: Value, _ key: String) throws(Problem) -> Double {
        guard case .number(let number) = value, number.isFinite else { throw wrong(key, "a number", value) }
        return number
    }

    private func int(_ value: Value, _ key: String) throws(Problem) -> Int {
        guard case .number(let number) = value, number == number.rounded(), number.magnitude < 1e15 else {
            throw wrong(key, "a whole number", value)
        }
        return Int(number)
    }

    package func time(_ value: Value, _ key: String) throws(Problem) -> Time {
        switch value {
        case .number(let seconds): if let time = Time(seconds: seconds) { return time }
        case .string(let text):
            if let time = Time(text) ?? Time(timecode: text), max(time, -time) <= .longest { return time }
        default: break
        }
        throw wrong(key, "seconds, or a timecode such as \"1:02.5\", at most 100 days", value)
    }

    package func animated(_ value: Value, _ key: String) throws(Problem) -> Animated {
        switch value {
        case .function(let id): return .function(id)
        case .number, .bool: return .constant(try components(value, key))
        case .array(let items):
            guard let first = items.first else { throw wrong(key, "a number or a list of keyframes", value) }
            guard case .array = first else { return .constant(try components(value, key)) }
            return .keyframes(
                try keyframes(items, key) { (value) throws(Problem) in try components(value, key) })
        default: throw wrong(key, "a number, a list of keyframes or a function of time", value)
        }
    }

    private func components(_ value: Value, _ key: String) throws(Problem) -> [Double] {
        switch value {
        case .bool(let flag): return [flag ? 1 : 0]
        case .array(let items):
            var result: [Double] = []
            for item in items { result.append(try number(item, key)) }
            return result
        default: return [try number(value, key)]
        }
    }

    /// - Parameter read: takes the value of one key.
    package func keyframes(_ items: [Value], _ key: String, _ read: (Value) throws(Problem) -> [Double]) throws(Problem)
        -> [Keyframe]
    {
        var keys: [Keyframe] = []
        for item in items {
            guard case .array(let parts) = item, (2...3).contains(parts.count) else {
                throw wrong(key, "a list of keyframes such as { { 0, 1 }, { 2, 0.5, \"ease_in\" } }", item)
            }
            var easing = Easing.linear
            if parts.count == 3 {
                guard case .string(let name) = parts[2], let known = Easing(name) else {
                    throw problem("‘\(key)’ has no easing \(parts[2].forPeople)\(Easing.advice(on: parts[2]))")
                }
                easing = known
            }
            keys.append(Keyframe(time: try time(parts[0], key), value: try read(parts[1]), easing: easing))
        }
        for (a, b) in zip(keys, keys.dropFirst()) where a.time >= b.time {
            throw problem(
                "‘\(key)’ has a key at \(b.time.forPeople) s after one at \(a.time.forPeople) s; keys must go up in time"
            )
        }
        if let count = keys.first?.value.count, keys.contains(where: { $0.value.count != count }) {
            throw problem("‘\(key)’ has keys with different numbers of components")
        }
        return keys
    }
}
