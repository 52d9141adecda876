/// A histogram of durations in seconds, with a count for each upper bound.
package struct Histogram: Codable, Hashable, Sendable {
    /// The upper bounds; longer durations are counted in a bucket after the last.
    package let bounds: [Double]
    /// The count of each bucket, not cumulative.
    package private(set) var counts: [Int]
    package private(set) var sum = 0.0

    /// Bounds for durations of up to minutes.
    package static let longBounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
    /// Bounds for durations of milliseconds.
    package static let shortBounds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1]

    package init(bounds: [Double]) {
        self.bounds = bounds
        counts = [Int](repeating: 0, count: bounds.count + 1)
    }

    package var count: Int { counts.reduce(0, +) }

    package mutating func add(_ seconds: Double) {
        guard seconds.isFinite else { return }
        let seconds = max(0, seconds)
        counts[bounds.firstIndex { seconds <= $0 } ?? bounds.count] += 1
        sum += seconds
    }
}
