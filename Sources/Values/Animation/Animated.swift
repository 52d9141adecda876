/// A number, or a vector of numbers, that may change with time. Times are in the clock of the
/// object that has it: zero is where its range begins.
public enum Animated: Hashable, Sendable, Codable {
    /// The same at all times.
    case constant([Double])
    /// Sorted by time; before the first and after the last key its value holds. Never empty.
    case keyframes([Keyframe])
    /// A script's function of time in seconds, by the number its script knows it under. Replaced by
    /// keyframes, one at every output frame, before a plan is made
    /// (``Draft/replacingFunctions(catalog:sample:)``).
    case function(Int)

    public static func constant(_ value: Double) -> Animated { .constant([value]) }

    public func value(at time: Time) -> [Double] {
        switch self {
        case .constant(let value): return value
        case .function: return []
        case .keyframes(let keys):
            let low = firstIndex(in: keys) { $0.time > time }
            if low == 0 { return keys.first?.value ?? [] }
            if low == keys.count { return keys[low - 1].value }
            let (a, b) = (keys[low - 1], keys[low])
            let progress = Double((time - a.time).flicks) / Double((b.time - a.time).flicks)
            let eased = a.easing.ease(progress)
            return zip(a.value, b.value).map { $0 + ($1 - $0) * eased }
        }
    }

    /// The first component at `time`.
    public func scalar(at time: Time) -> Double { value(at: time).first ?? 0 }

    /// Every value that is reached at a key: what validation looks at.
    public var keyValues: [[Double]] {
        switch self {
        case .constant(let value): [value]
        case .keyframes(let keys): keys.map(\.value)
        case .function: []
        }
    }

    public var isConstant: Bool { if case .constant = self { true } else { false } }

    /// The same within `range`, without the keys that have no say there: what a segment needs to
    /// carry.
    public func trimmed(to range: TimeRange) -> Animated {
        guard case .keyframes(let keys) = self else { return self }
        let first = max(0, firstIndex(in: keys) { $0.time > range.start } - 1)
        let end = min(keys.count, firstIndex(in: keys) { $0.time >= range.end } + 1)
        return .keyframes(Array(keys[first..<max(end, min(first + 1, keys.count))]))
    }

    /// ``trimmed(to:)``, and a constant where all keys that have a say there are alike.
    public func settled(in range: TimeRange) -> Animated {
        let part = trimmed(to: range)
        guard case .keyframes(let keys) = part, let first = keys.first,
            keys.allSatisfy({ $0.value == first.value })
        else { return part }
        return .constant(first.value)
    }
}

public struct Keyframe: Hashable, Sendable, Codable {
    public var time: Time
    public var value: [Double]
    /// The way from this key to the next.
    public var easing: Easing

    public init(time: Time, value: [Double], easing: Easing = .linear) {
        self.time = time
        self.value = value
        self.easing = easing
    }
}
