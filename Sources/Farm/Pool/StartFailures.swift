/// The starts of workers that have failed in a row, and when the next one may be tried.
struct StartFailures: Equatable {
    private(set) var count = 0
    private var lastCounted: Duration = .zero
    private(set) var nextStart: Duration = .zero

    /// Takes in a failed start.
    /// - Parameter startedAt: workers started before the last counted failure fail with it, not once more.
    /// - Returns: whether it was counted.
    mutating func add(startedAt: Duration, at now: Duration) -> Bool {
        guard count == 0 || startedAt > lastCounted else { return false }
        count += 1
        lastCounted = now
        nextStart = now + .milliseconds(100) * (1 << min(count - 1, 6))
        return true
    }
}
