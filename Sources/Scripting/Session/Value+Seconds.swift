import Values

extension Value {
    /// The whole rates that NTSC's are 1000/1001 of.
    private static let ntscRates: Set<Double> = [24, 30, 48, 60, 120, 240]

    /// Options of which `fps` is the rate that its decimals stand for: NTSC's rates are written
    /// with two or three of them, so that 29.97 is 30000/1001. A fraction as a text is what it
    /// says.
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
