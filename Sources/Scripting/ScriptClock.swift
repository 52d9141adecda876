import Synchronization

/// How long a script has been running, readable from any thread while it runs.
///
/// Time that the environment takes (a probe, an analysis) does not count.
public final class ScriptClock: Sendable {
    private struct Reading {
        var passed = Duration.zero
        var start: ContinuousClock.Instant?
    }

    private let reading = Mutex(Reading())

    public init() {}

    /// The wall-clock time that the script has taken until now.
    public var elapsed: Duration {
        reading.withLock { $0.passed + ($0.start.map { .now - $0 } ?? .zero) }
    }

    func start() { reading.withLock { $0.start = $0.start ?? .now } }

    func stop() {
        reading.withLock {
            if let start = $0.start { $0.passed += .now - start }
            $0.start = nil
        }
    }
}
