import DequeModule
import Foundation
import Synchronization
import Testing

/// The threads of the tests that wait: for programs, for ffmpeg, for compilers. Swift's own pool
/// has one thread for each core, so a test that waits there keeps all others from running.
///
///     @Suite(.waits) struct RenderTests { … }
///
/// All tests of such a suite run here, a few at once. There are more threads than that, so none of
/// a test's tasks waits for another test.
public final class TestThreads: TaskExecutor, @unchecked Sendable {
    /// Each render takes all cores for a part of its time: many more at once than cores would only
    /// make each of them slower. Two more, as some tests always wait for a time limit: with one
    /// more, two cores rested for a quarter of the run.
    public static let shared = TestThreads(
        tests: max(2, min(4, ProcessInfo.processInfo.activeProcessorCount)) + 2)

    /// The threads of tests that only listen, to a queue or to workers, and must hear in time what
    /// happens while others render.
    public static let listeners = TestThreads(tests: 5)

    private let condition = NSCondition()
    private var jobs = Deque<UnownedJob>()
    private let begun: Turns

    private init(tests: Int) {
        begun = Turns(tests)
        for number in 1...tests * 3 {
            let thread = Thread { [self] in run() }
            thread.name = "test-\(number)"
            // The same size as a main thread's.
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock { jobs.append(job) }
        condition.signal()
    }

    /// The traits that the current test already runs under: an outer suite may have the trait, too.
    @TaskLocal private static var own: [ObjectIdentifier] = []

    /// Runs a test when it is its turn.
    fileprivate func run(_ name: String, _ test: @Sendable () async throws -> Void) async throws {
        let me = ObjectIdentifier(self)
        let isBegun = Self.own.contains(me)
        if !isBegun { await begun.take() }
        try await Self.$own.withValue(Self.own + [me]) {
            try await withTaskExecutorPreference(self) {
                // Given back here: what comes afterwards may wait long for a thread of Swift's
                // pool.
                defer { if !isBegun { begun.give() } }
                let start = ContinuousClock.now
                defer { Self.note(name, start.duration(to: .now)) }
                try await test()
            }
        }
    }

    /// Writes down how long a test has taken, where `tools/run-tests.sh` asks for it: the runner
    /// counts what it waits for its turn, too.
    private static func note(_ name: String, _ taken: Duration) {
        guard let path = ProcessInfo.processInfo.environment["CUTROOM_TURNS"], let file = fopen(path, "a") else {
            return
        }
        // One write, as others write, too.
        fputs("\(taken / .seconds(1))\t\(name)\n", file)
        fclose(file)
    }

    private static let mark = "cutroom.mayWait"

    private func run() {
        Thread.current.threadDictionary[Self.mark] = true
        while true { next().runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func next() -> UnownedJob {
        condition.withLock {
            while jobs.isEmpty { condition.wait() }
            return jobs.removeFirst()
        }
    }

    /// Records an issue where the caller is on a thread that must not wait.
    static func expectWaitingIsAllowed(for what: String) {
        guard Thread.current.threadDictionary[mark] == nil else { return }
        Issue.record("A test waits for \(what) on a thread of Swift's pool. Give its suite the trait ‘.waits’.")
    }
}

/// The trait of tests that wait, for programs or anything else, and so run on ``TestThreads``.
public struct Waits: SuiteTrait, TestTrait, TestScoping {
    fileprivate let threads: TestThreads

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // A suite's own trait replaces that of the suite around it.
        let innermost = test.traits.last { $0 is Waits } as? Waits
        guard innermost?.threads === threads else { return try await function() }
        try await threads.run("\(test.id)", function)
    }

    /// Each test takes its own turn.
    public var isRecursive: Bool { true }
}

/// So many may go on at once; the others wait in their order.
private final class Turns: Sendable {
    private let state: Mutex<(free: Int, waiting: Deque<CheckedContinuation<Void, Never>>)>

    init(_ count: Int) { state = Mutex((count, [])) }

    func take() async {
        await withCheckedContinuation { (next: CheckedContinuation<Void, Never>) in
            let isFree = state.withLock { state in
                if state.free > 0 { state.free -= 1; return true }
                state.waiting.append(next)
                return false
            }
            if isFree { next.resume() }
        }
    }

    func give() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume()
    }
}

extension Trait where Self == Waits {
    public static var waits: Self { Waits(threads: .shared) }

    /// For tests that sleep or wait for events and do little themselves: on
    /// ``TestThreads/listeners``.
    public static var listens: Self { Waits(threads: .listeners) }
}
