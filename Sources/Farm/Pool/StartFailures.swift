/// The consecutive failed starts of workers, and the time of the next attempt.
struct StartFailures: Equatable {
    private(set) var count = 0
    private var lastCounted: Duration = .zero
    private(set) var nextStart: Duration = .zero

    /// Counts a failed start.
    /// - Parameter startedAt: a worker that was started before the last counted failure is not
    ///   counted again.
    /// - Returns: whether it was counted.
    mutating func add(startedAt: Duration, at now: Duration) -> Bool {
        guard count == 0 || startedAt > lastCounted else { return false }
        count += 1
        lastCounted = now
        nextStart = now + .milliseconds(100) * (1 << min(count - 1, 6))
        return true
    }
}
