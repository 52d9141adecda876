import Draft

/// The model writes times and fractions as exact texts (`5/2s`, `30000/1001`); a script sees numbers.
extension Value {
    private static let timeKeys: Set<String> = [
        "at", "range", "duration", "fade_in", "fade_out", "sound_lead", "sound_tail", "freeze",
    ]
    private static let fractionKeys: Set<String> = ["speed", "factor"]

    /// The value of property `key` as a script sees it, as far as no plugin has a say.
    func forScript(key: String) -> Value {
        switch (key, self) {
        case _ where Self.timeKeys.contains(key): return seconds
        case _ where Self.fractionKeys.contains(key):
            return text.flatMap { Rational($0) }.map { .number($0.doubleValue) } ?? keyframesInSeconds
        case ("transition", .array(let parts)): return .array(parts.map(\.seconds))
        default: return keyframesInSeconds
        }
    }

    /// Every time in it, at any depth, as a number.
    private var seconds: Value {
        switch self {
        case .string(let text): Time(text).map { .number($0.seconds) } ?? self
        case .array(let items): .array(items.map(\.seconds))
        default: self
        }
    }

    /// A list of keyframes `{ { time, value, easing }, … }` with its times as numbers; anything else as it is.
    private var keyframesInSeconds: Value {
        guard case .array(let keys) = self else { return self }
        return .array(
            keys.map { key in
                guard case .array(let parts) = key, let first = parts.first else { return key }
                return .array([first.seconds] + parts.dropFirst())
            })
    }
}

extension Value {
    /// The whole rates that NTSC's are 1000/1001 of.
    private static let ntscRates: Set<Double> = [24, 30, 48, 60, 120, 240]

    /// Options of which `fps` is the rate that its decimals stand for: NTSC's rates are written with two or three of them, so that 29.97
    /// is 30000/1001. A fraction as a text is what it says.
    var withFrameRate: Value {
        guard case .object(var fields) = self else { return self }
        let wished: Double? =
            switch fields["fps"] {
            case .number(let number)?: number
            case .string(let text)?: Double(text)
            default: nil
            }
        guard let wished, case let whole = wished.rounded(.up), Self.ntscRates.contains(whole) else { return self }
        let exact = whole * 1000 / 1001
        let isMeant = [100.0, 1000].contains { ((exact * $0).rounded() / $0 - wished).magnitude < 1e-9 }
        if isMeant { fields["fps"] = .string("\(Int(whole) * 1000)/1001") }
        return .object(fields)
    }
}

extension TimeRange {
    /// `{ start, duration }` in seconds.
    var scriptValue: Value { .array([.number(start.seconds), .number(duration.seconds)]) }
}
