import Values

extension ParameterDescriptor {
    /// The range that every number of a value lies in; nil where any number will do.
    public var bounds: ClosedRange<Double>? {
        switch kind {
        case .bool: 0...1
        case .enum: 0...Double(max(choices.count, 1) - 1)
        default: minimum < maximum ? minimum...maximum : nil
        }
    }

    /// The numbers at a time. Between two keys a whole number is the nearest one, and what is
    /// chosen (true or false, an enumeration's value) is the earlier key's: there is nothing in
    /// between. Where an easing goes beyond what the parameter may be, it is the nearest that it
    /// may be.
    public func numbers(of animated: Animated, at time: Time) -> [Double] {
        func bounded(_ numbers: [Double]) -> [Double] {
            guard !animated.isConstant, let bounds else { return numbers }
            return numbers.map { min(max($0, bounds.lowerBound), bounds.upperBound) }
        }
        switch kind {
        case .int: return bounded(animated.value(at: time).map { $0.rounded() })
        case .bool, .enum:
            guard case .keyframes(let keys) = animated else { return animated.value(at: time) }
            return (keys.last { $0.time <= time } ?? keys.first)?.value ?? []
        default: return bounded(animated.value(at: time))
        }
    }

    /// Why `value` does not fit, as the rest of a sentence that begins with the parameter's name;
    /// nil where it does.
    public func refusal(of value: ParameterValue) -> String? {
        switch value {
        case .text(let text):
            if isFile, !text.isEmpty { return "is a text, but must be a file such as { \"file\": \"look.png\" }" }
            return refusal(of: text)
        case .path(let path): return refusal(of: path)
        case .choices(let keys):
            if !isAnimatable { return "cannot change with time" }
            guard kind == .enum else {
                return "has ‘\(keys.first?.choice ?? "")’ in a key, but must have numbers there"
            }
            return keys.lazy.compactMap { refusal(of: $0.choice) }.first
        case .numbers(let animated):
            if !isAnimatable, !animated.isConstant { return "cannot change with time" }
            return animated.keyValues.lazy.compactMap { refusal(of: $0) }.first
        }
    }

    public func refusal(of text: String) -> String? {
        switch kind {
        case .string, .path:
            text.utf8.contains(0) ? "contains a zero byte, which a text must not" : nil
        case .color:
            Color(text) == nil ? Color.refusal(of: text) : nil
        case .enum:
            choices.contains(text) ? nil : "is ‘\(text)’\(suggestion(for: text, in: choices))"
        case .double, .int, .bool, .point:
            "is ‘\(text)’, but must be \(wanted)"
        }
    }

    /// - Parameter numbers: a value's components; a colour may leave alpha out.
    public func refusal(of numbers: [Double]) -> String? {
        if kind.componentCount == 0 { return "is a number, but must be \(wanted)" }
        guard numbers.count == kind.componentCount || kind == .color && numbers.count == 3 else {
            return "has \(numbers.count) numbers, but must be \(wanted)"
        }
        for number in numbers {
            guard number.isFinite else { return "is \(Value.text(of: number)), but must be \(wanted)" }
            let isWhole = kind == .int || kind == .enum || kind == .bool
            guard !isWhole || number == number.rounded() else {
                return "is \(Value.text(of: number)), but must be \(wanted)"
            }
            guard let bounds, !bounds.contains(number) else { continue }
            let found = "is \(Value.text(of: number)), but must "
            if kind == .enum || kind == .bool { return found + "be \(wanted)" }
            let (low, high) = (Value.text(of: bounds.lowerBound), Value.text(of: bounds.upperBound))
            return found + "lie between \(low) and \(high)" + (unit.isEmpty ? "" : " \(unit)")
        }
        return nil
    }

    var wanted: String {
        switch kind {
        case .double: "a number"
        case .int: "a whole number"
        case .bool: "true or false"
        case .enum: "one of \(choices.joined(separator: ", "))"
        case .color: Color.wanted
        case .point: "two numbers { x, y }"
        case .string, .path: "a text"
        }
    }
}
