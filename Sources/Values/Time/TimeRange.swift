/// A half-open stretch of time: `start ≤ t < start + duration`.
public struct TimeRange: Hashable, Sendable, Codable {
    public var start: Time
    public var duration: Time

    public init(start: Time, duration: Time) {
        self.start = start
        self.duration = duration
    }

    public init(from start: Time, to end: Time) {
        self.init(start: start, duration: end - start)
    }

    public static let zero = TimeRange(start: .zero, duration: .zero)

    public var end: Time { start + duration }
    /// No time lies in it: its duration is zero or less.
    public var isEmpty: Bool { duration <= .zero }

    public func contains(_ time: Time) -> Bool { start <= time && time < end }

    /// True where every time of `other` lies in this range; an empty range lies in any.
    public func contains(_ other: TimeRange) -> Bool {
        other.isEmpty || (start <= other.start && other.end <= end)
    }

    /// What both have in common; nil where that is empty.
    public func intersection(_ other: TimeRange) -> TimeRange? {
        let (from, to) = (max(start, other.start), min(end, other.end))
        return from < to ? TimeRange(from: from, to: to) : nil
    }

    /// The shortest range that covers both.
    public func union(_ other: TimeRange) -> TimeRange {
        if isEmpty { return other }
        if other.isEmpty { return self }
        return TimeRange(from: min(start, other.start), to: max(end, other.end))
    }

    /// The part of this range that lies in `bounds`; an empty range at the nearer edge where there
    /// is none.
    public func clamped(to bounds: TimeRange) -> TimeRange {
        let from = min(max(start, bounds.start), bounds.end)
        return TimeRange(from: from, to: max(from, min(end, bounds.end)))
    }

    public func shifted(by offset: Time) -> TimeRange { TimeRange(start: start + offset, duration: duration) }
}

extension TimeRange: CustomStringConvertible {
    /// For people, in seconds: `2–5.5 s`.
    public var description: String { "\(start.forPeople)–\(end.forPeople) s" }
}
