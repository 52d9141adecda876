/// What an option's value looks like: how scripts see it, and what a schema says of it.
package indirect enum OptionForm: Sendable {
    case text, path, flag, color
    case number(ClosedRange<Double>? = nil)
    case whole(ClosedRange<Int>? = nil)
    /// A number, or a fraction as a text.
    case fraction
    /// Seconds as a number, a timecode, or an exact time.
    case seconds
    /// `{ start, duration }`
    case timeRange
    /// Pixels, or a text with a share of the canvas.
    case length
    case choice([String])
    case list(OptionForm, OptionCount? = nil)
    /// A value, or keyframes of it.
    case animated(OptionForm)
    case either([OptionForm])
    /// A definition of the document's schema.
    case reference(String)

    package typealias OptionCount = ClosedRange<Int>

    /// Whether every text in it is a time.
    package var isTime: Bool {
        switch self {
        case .seconds, .timeRange: true
        case .list(let item, _): item.isTime
        case .either(let forms): forms.allSatisfy(\.isTime)
        default: false
        }
    }

    /// Whether it is a fraction, or keyframes of numbers in its place.
    package var isFraction: Bool {
        switch self {
        case .fraction: true
        case .either(let forms): forms.contains { $0.isFraction }
        default: false
        }
    }

    /// Returns a value as a script sees it: times and fractions are numbers there, and exact texts
    /// in documents.
    package func shown(_ value: Value) -> Value {
        if isTime { return value.seconds }
        if isFraction, case .string(let text) = value, let fraction = Rational(text) {
            return .number(fraction.doubleValue)
        }
        return value.keyframesInSeconds
    }
}

extension Value {
    /// Every time in it, at any depth, as a number.
    public var seconds: Value {
        switch self {
        case .string(let text): Time(text).map { .number($0.seconds) } ?? self
        case .array(let items): .array(items.map(\.seconds))
        default: self
        }
    }

    /// A list of keyframes `{ { time, value, easing }, … }` with its times as numbers; anything
    /// else as it is.
    public var keyframesInSeconds: Value {
        guard case .array(let keys) = self else { return self }
        return .array(
            keys.map { key in
                guard case .array(let parts) = key, let first = parts.first else { return key }
                return .array([first.seconds] + parts.dropFirst())
            })
    }
}
