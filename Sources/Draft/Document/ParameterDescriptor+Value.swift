import Values

extension ParameterDescriptor {
    /// Why a value is none of a parameter's type: the rest of a sentence that begins with the
    /// parameter's name.
    public struct Mismatch: Error, Hashable {
        public var reason: String
    }

    /// What a script gives, as the model takes it: a colour's name becomes its `#rrggbb`, and in
    /// keyframes the texts of colours become numbers.
    ///
    /// The model itself is not as strict, because a document has numbers for true and false.
    /// Bounds, how many numbers there are and the form of keyframes are the model's affair.
    public func reading(_ value: Value) throws(Mismatch) -> Value {
        switch value {
        case .null: return value
        case .function:
            if !canBeAnimated { throw Mismatch(reason: "cannot change with time") }
            return value
        case .array(let keys):
            guard case .array? = keys.first else { break }
            if !canBeAnimated { throw Mismatch(reason: "cannot change with time") }
            return .array(try reading(keys: keys))
        default: break
        }
        if case (.color, .string(let text)) = (kind, value), Color(text) != nil { return .string(Color.spelled(text)) }
        if fits(value) { return value }
        let refusal = if case .string(let text) = value { refusal(of: text) } else { nil as String? }
        throw mismatch(value, refusal)
    }

    private var canBeAnimated: Bool { isAnimatable && kind.componentCount > 0 }

    private func mismatch(_ value: Value, _ refusal: String? = nil) -> Mismatch {
        Mismatch(reason: refusal ?? "is \(value.forPeople), but must be \(wanted)")
    }

    /// Whether a value that does not change is of the parameter's type.
    private func fits(_ value: Value) -> Bool {
        switch (kind, value) {
        case (.double, .number), (.int, .number), (.bool, .bool), (.string, .string), (.path, .string): true
        case (.enum, .string(let text)), (.color, .string(let text)): refusal(of: text) == nil
        case (.double, .array(let items)), (.int, .array(let items)), (.color, .array(let items)),
            (.point, .array(let items)):
            items.allSatisfy { if case .number = $0 { true } else { false } }
        default: false
        }
    }

    private func reading(keys: [Value]) throws(Mismatch) -> [Value] {
        var result = keys
        var hasTexts = false
        for (index, key) in keys.enumerated() {
            guard case .array(var parts) = key, parts.count > 1 else { continue }
            switch (kind, parts[1]) {
            // What analysers find, and `cutroom.map` gives, are numbers.
            case (.bool, .number), (.bool, .bool), (.enum, .number): continue
            case (.enum, .string(let text)):
                if let refusal = refusal(of: text) { throw mismatch(parts[1], refusal) }
                continue
            case (.color, .string(let text)):
                guard let color = Color(text) else { throw mismatch(parts[1], Color.refusal(of: text)) }
                parts[1] = .array(color.components.map(Value.number))
                hasTexts = true
            default: if !fits(parts[1]) { throw mismatch(parts[1]) }
            }
            result[index] = .array(parts)
        }
        // Beside texts, which have four numbers, a list of three is one without its alpha.
        return hasTexts ? result.map(Self.withAlpha) : result
    }

    private static func withAlpha(_ key: Value) -> Value {
        guard case .array(var parts) = key, parts.count > 1, case .array(let color) = parts[1], color.count == 3 else {
            return key
        }
        parts[1] = .array(color + [1])
        return .array(parts)
    }

    /// What the model has, as a script sees it: the type that was given, with times in seconds.
    public func showing(_ value: Value) -> Value {
        switch (kind, value) {
        case (_, .array(let keys)):
            return .array(
                keys.map { key in
                    guard case .array(var parts) = key, parts.count > 1 else { return key }
                    if case .string(let text) = parts[0], let time = Time(text) { parts[0] = .number(time.seconds) }
                    parts[1] = showing(parts[1])
                    return .array(parts)
                })
        case (.bool, .number(let number)): return .bool(number != 0)
        case (.enum, .number(let number)):
            return Int(exactly: number).flatMap { choices.indices.contains($0) ? .string(choices[$0]) : nil } ?? value
        default: return value
        }
    }
}

extension Color {
    /// Red, green, blue and alpha in 0…1, as parameters have them.
    fileprivate var components: [Double] { [red, green, blue, alpha].map { Double($0) / 255 } }
}
