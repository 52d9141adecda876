import Values

/// Canvas pixels and a share of a side of the canvas.
struct Length: Hashable {
    var pixels: Double
    /// 1 is the whole side.
    var share: Double

    init(pixels: Double = 0, share: Double = 0) { (self.pixels, self.share) = (pixels, share) }

    /// From `24`, `24px`, `30%`, `100%-24`: a sum of pixels and percents; nil where the text is
    /// none.
    init?(_ text: some StringProtocol) {
        self.init()
        let text = String(text.filter { $0 != " " })
        guard !text.isEmpty, text.utf8.count < 60 else { return nil }
        var term = ""
        var terms: [String] = []
        for character in text {
            if "+-".contains(character), !term.isEmpty, term.last != "e" {
                terms.append(term)
                term = ""
            }
            term.append(character)
        }
        for term in terms + [term] {
            let isShare = term.hasSuffix("%")
            let number = isShare ? term.dropLast() : term.hasSuffix("px") ? term.dropLast(2) : term[...]
            guard let value = Double(number), value.isFinite else { return nil }
            if isShare { share += value / 100 } else { pixels += value }
        }
    }

    /// Pixels alone where no length has a share, else pixels and share of each.
    static func components(of lengths: [Length], withShares: Bool? = nil) -> [Double] {
        let hasShares = withShares ?? lengths.contains { $0.share != 0 }
        return lengths.flatMap { hasShares ? [$0.pixels, $0.share] : [$0.pixels] }
    }

    var value: Value {
        guard share != 0 else { return .number(pixels) }
        let percent = Value.text(of: share * 100) + "%"
        guard pixels != 0 else { return .string(percent) }
        return .string(percent + (pixels < 0 ? "-" : "+") + Value.text(of: abs(pixels)))
    }
}

extension FieldReader {
    static let lengthForm = "pixels, or a share of the canvas such as \"30%\" or \"100%-24\""

    /// A length of the canvas.
    func length(_ value: Value, _ key: String) throws(Problem) -> Length {
        switch value {
        case .number(let pixels) where pixels.isFinite: return Length(pixels: pixels)
        case .string(let text): if let length = Length(text) { return length }
        default: break
        }
        throw wrong(key, Self.lengthForm, value)
    }

    /// One length, or keyframes of it.
    mutating func animatedLength(_ key: String) throws(Problem) -> Animated? {
        guard let value = value(key) else { return nil }
        return try lengths(value, key) { (item) throws(Problem) in [try length(item, key)] }
    }

    /// A value of lengths that may change with time.
    /// - Parameter read: takes a value at one time; a list of two or three whose first item is a
    ///   list is one of keyframes.
    func lengths(_ value: Value, _ key: String, _ read: (Value) throws(Problem) -> [Length]) throws(Problem) -> Animated
    {
        if case .function(let id) = value { return .function(id) }
        guard case .array(let items) = value, case .array? = items.first else {
            return .constant(Length.components(of: try read(value)))
        }
        var values: [[Length]] = []
        let keys = try keyframes(items, key) { (value) throws(Problem) in
            values.append(try read(value))
            return []
        }
        let hasShares = values.joined().contains { $0.share != 0 }
        return .keyframes(
            zip(keys, values).map { key, lengths in
                Keyframe(
                    time: key.time, value: Length.components(of: lengths, withShares: hasShares), easing: key.easing)
            })
    }
}

extension Animated {
    /// The value of `count` lengths, as a script or document has it.
    func value(ofLengths count: Int) -> Value {
        value(of: { components in
            let isPlain = components.count == count
            let lengths: [Value] = (0..<count).map { number in
                isPlain
                    ? .number(components[number])
                    : Length(pixels: components[2 * number], share: components[2 * number + 1]).value
            }
            return count == 1 ? lengths[0] : .array(lengths)
        })
    }
}
