import Values

/// A speed that changes over a stretch of content, followed in steps of constant speed.
///
/// The time that content takes is the integral of 1/speed over it. The stretch between two keys is
/// halved until, in each step, a constant speed is nowhere further than a tenth of a millisecond
/// from the curve, or the step lasts no longer than a millisecond; the integral over a step is
/// taken by Simpson's rule on its halves. The steps' edges are whole flicks of content, and whole
/// flicks of the timeline by rounding the integral since the last key, so rounding does not add up.
/// A stretch without a change is one step of exactly its speed. All of it is sums, products and
/// quotients of doubles in a fixed order: every machine makes the same steps.
struct SpeedCurve {
    /// A stretch of content at one speed, or a stop at one place of it.
    struct Step {
        /// In content time; equal for a stop.
        var from: Time
        var to: Time
        /// How long it is played.
        var duration: Time
        /// Zero for a stop.
        var speed: Rational
    }

    enum Failure: Error, Equatable {
        /// The speed at a time of the content is not one that can be played.
        case speed(Double, at: Time)
        case tooManySteps
    }

    static let range = 0.01...100.0

    /// Sorted by time, of one component; not empty.
    private let keys: [Keyframe]
    private let end: Time
    private let limit: Int
    private var steps: [Step] = []

    /// - Parameters:
    ///   - end: of the content, which begins at zero.
    ///   - limit: on the number of steps.
    private init(_ keys: [Keyframe], to end: Time, limit: Int) {
        (self.keys, self.end, self.limit) = (keys, end, limit)
    }

    /// The steps from zero to `end`, which adjoin.
    static func steps(_ speed: Animated, to end: Time, limit: Int) throws(Failure) -> [Step] {
        var curve: SpeedCurve
        switch speed {
        case .constant(let value): curve = SpeedCurve([Keyframe(time: .zero, value: value)], to: end, limit: limit)
        case .keyframes(let keys): curve = SpeedCurve(keys, to: end, limit: limit)
        case .function: throw .speed(.nan, at: .zero)
        }
        try curve.follow()
        return curve.steps
    }

    private mutating func follow() throws(Failure) {
        guard let first = keys.first, let last = keys.last else { return }
        try hold(first, from: .zero, to: min(first.time, end))
        for (a, b) in zip(keys, keys.dropFirst()) where b.time > .zero && a.time < end {
            let start = max(.zero, a.time)
            if a.easing == .hold || a.value == b.value {
                try hold(a, from: start, to: min(b.time, end))
            } else {
                var stretch = Stretch(Animated.keyframes([a, b]), from: start, of: self)
                // An easing may swing to and fro within a stretch: no step is a whole one.
                let parts: Int64 = a.easing == .linear ? 1 : 32
                let length = (b.time - start).flicks
                for part in 0..<parts {
                    try stretch.halve(
                        start + Time(flicks: length / parts * part),
                        part + 1 == parts ? b.time : start + Time(flicks: length / parts * (part + 1)))
                }
                steps += stretch.steps
            }
        }
        try hold(last, from: max(.zero, last.time), to: end)
    }

    private mutating func hold(_ key: Keyframe, from: Time, to: Time) throws(Failure) {
        guard from < to else { return }
        let value = key.value.first ?? .nan
        guard Self.range.contains(value), let speed = Rational(value) else { throw .speed(value, at: from) }
        let duration = (to - from).scaled(by: speed.reciprocal)
        if let last = steps.last, last.speed == speed {
            steps[steps.count - 1].to = to
            steps[steps.count - 1].duration = (to - last.from).scaled(by: speed.reciprocal)
        } else if duration > .zero {
            steps.append(Step(from: from, to: to, duration: duration, speed: speed))
        }
        if steps.count > limit { throw .tooManySteps }
    }

    /// What lies between two keys.
    private struct Stretch {
        private let speed: Animated
        private let end: Time
        private let limit: Int
        private let counted: Int
        /// Flicks of the timeline, exact and as they were given to steps.
        private var played = 0.0
        private var given: Int64 = 0
        /// Where the next step begins.
        private var place: Time
        private(set) var steps: [Step] = []

        init(_ speed: Animated, from start: Time, of curve: SpeedCurve) {
            (self.speed, place) = (speed, start)
            (end, limit, counted) = (curve.end, curve.limit, curve.steps.count)
        }

        /// A tenth of a millisecond: five samples, and nothing to the eye.
        private static let tolerance = Double(Time.flicksPerSecond) / 10_000
        /// Timeline that is halved no further.
        private static let shortest = Double(Time.flicksPerSecond) / 1000

        mutating func halve(_ from: Time, _ to: Time) throws(Failure) {
            guard from < end, from < to else { return }
            let length = to - from
            let (left, right, whole) = try integrals(from, to)
            let isStraight =
                (left - right).magnitude / 2 <= Self.tolerance
                && (left + right - whole).magnitude <= Self.tolerance / 100
            if isStraight || left + right <= Self.shortest || length.flicks < 4 {
                if to <= end { return try add(to, left + right) }
                let rest = try integrals(from, end)
                return try add(end, rest.left + rest.right)
            }
            let middle = from + Time(flicks: length.flicks / 2)
            try halve(from, middle)
            try halve(middle, to)
        }

        /// The integral of 1/speed over the two halves of a stretch, and over it as a whole.
        private func integrals(
            _ from: Time, _ to: Time
        ) throws(Failure) -> (left: Double, right: Double, whole: Double) {
            let length = (to - from).flicks
            var slow: [Double] = []
            for quarter in 0...4 as ClosedRange<Int64> {
                slow.append(1 / (try value(at: from + Time(flicks: length / 4 * quarter + length % 4 * quarter / 4))))
            }
            let part = Double(length) / 12
            return (
                part * (slow[0] + 4 * slow[1] + slow[2]), part * (slow[2] + 4 * slow[3] + slow[4]),
                2 * part * (slow[0] + 4 * slow[2] + slow[4])
            )
        }

        private func value(at time: Time) throws(Failure) -> Double {
            let value = speed.scalar(at: time)
            if SpeedCurve.range.contains(value) { return value }
            // What is not played any more may be anything.
            guard time > end else { throw .speed(value, at: time) }
            return value > 100 ? 100 : 0.01
        }

        private mutating func add(_ to: Time, _ integral: Double) throws(Failure) {
            played += integral
            let duration = Int64(played.rounded()) - given
            // Less than a flick goes into the next step.
            guard duration > 0 else { return }
            given += duration
            steps.append(
                Step(
                    from: place, to: to, duration: Time(flicks: duration),
                    speed: Rational((to - place).flicks, duration)))
            place = to
            if counted + steps.count > limit { throw .tooManySteps }
        }
    }
}
