import Foundation
import Testing

/// The threads of the tests that wait: for programs, for ffmpeg, for compilers. Swift's own pool has one thread for each core,
/// so a test that waits there keeps all others from running.
///
///     @Suite(.waits) struct RenderTests { … }
///
/// All tests of such a suite run here, as many at once as there are threads. What is added last runs first, so a test that has
/// begun goes on before another begins, and the seconds that the runner tells of it are its own.
public final class TestThreads: TaskExecutor, @unchecked Sendable {
    /// Each render takes all cores for a part of its time: many more at once than cores would only make each of them slower. One more, as some
    /// test always waits for a time limit.
    public static let shared = TestThreads(count: max(2, min(4, ProcessInfo.processInfo.activeProcessorCount)) + 1)

    /// The threads of tests that only listen, to a queue or to workers, and must hear in time what happens while others render.
    public static let listeners = TestThreads(count: 8)

    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []

    private init(count: Int) {
        for number in 1...count {
            let thread = Thread { [self] in run() }
            thread.name = "test-\(number)"
            // As large as a main thread's.
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock { jobs.append(job) }
        condition.signal()
    }

    private static let mark = "cutroom.mayWait"

    private func run() {
        Thread.current.threadDictionary[Self.mark] = true
        while true { next().runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func next() -> UnownedJob {
        condition.withLock {
            while jobs.isEmpty { condition.wait() }
            return jobs.removeLast()
        }
    }

    /// Records an issue where the caller is on a thread that must not wait.
    static func expectWaitingIsAllowed(for what: String) {
        guard Thread.current.threadDictionary[mark] == nil else { return }
        Issue.record("A test waits for \(what) on a thread of Swift's pool. Give its suite the trait ‘.waits’.")
    }
}

/// The trait of suites whose tests wait, for programs or anything else, and so run on ``TestThreads``.
public struct Waits: SuiteTrait, TestScoping {
    fileprivate let threads: TestThreads

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(threads) { try await function() }
    }
}

extension Trait where Self == Waits {
    public static var waits: Self { Waits(threads: .shared) }

    /// For tests that wait for events and do little themselves: on ``TestThreads/listeners``.
    public static var listens: Self { Waits(threads: .listeners) }
}
