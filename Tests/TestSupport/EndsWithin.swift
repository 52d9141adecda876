import Testing

/// The trait of a test that would go on for ever if it failed. The time begins when it is the
/// test's turn; the time of `.timeLimit` includes the wait for it (``TestThreads``).
public struct EndsWithin: TestTrait, TestScoping {
    fileprivate let limit: Duration

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let watch = Task { [limit] in
            try await Task.sleep(for: limit)
            Issue.record("The test has not ended within \(limit).")
        }
        defer { watch.cancel() }
        try await function()
    }
}

extension Trait where Self == EndsWithin {
    /// Reports a test that takes longer than this. For hangs: it says nothing about speed.
    public static func ends(within limit: Duration) -> Self { EndsWithin(limit: limit) }
}
