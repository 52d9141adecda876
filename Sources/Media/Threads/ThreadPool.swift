import Foundation
import Synchronization

/// The threads of a process that share the work on one picture.
///
/// Work is cut into pieces that do not depend on each other, so its result does not depend on how
/// many threads there are. Encoders and decoders do not use this pool: see `docs/determinism.md`.
///
/// `@unchecked`: everything that changes is only touched with `condition` locked, except `width`,
/// which is atomic.
public final class ThreadPool: @unchecked Sendable {
    public static let shared = ThreadPool()

    /// No picture is cut into more bands than this.
    public static let mostThreads = 8
    /// Fewer rows than this do not pay for waking a thread.
    private static let leastRows = 16

    private final class Work {
        let count: Int
        let body: (Int) -> Void
        /// Helpers that may still join.
        var openings: Int
        var next = 0
        var done = 0

        init(count: Int, openings: Int, _ body: @escaping (Int) -> Void) {
            (self.count, self.openings, self.body) = (count, openings, body)
        }
    }

    private let condition = NSCondition()
    private var work: Work?
    private var helpers = 0
    private let allowed = Atomic<Int>(1)

    public init() {}

    /// How many threads work on a picture at most, the caller's included: 1 … ``mostThreads``. May
    /// change at any time.
    public var width: Int {
        get { allowed.load(ordering: .relaxed) }
        set { allowed.store(min(max(1, newValue), Self.mostThreads), ordering: .relaxed) }
    }

    /// Calls `body` once with each number below `count`, on several threads at once, and returns
    /// when all calls have. Where another thread uses the pool already, all calls are made on this
    /// one.
    public func perform(_ count: Int, _ body: @escaping (Int) -> Void) {
        let width = min(width, count)
        if width > 1, share(count, among: width, body) { return }
        for index in 0..<count { body(index) }
    }

    /// - Returns: false where the pool is in use.
    private func share(_ count: Int, among width: Int, _ body: @escaping (Int) -> Void) -> Bool {
        let own = Work(count: count, openings: width - 1, body)
        condition.lock()
        defer { condition.unlock() }
        guard work == nil else { return false }
        work = own
        while helpers < width - 1 {
            start()
            helpers += 1
        }
        condition.broadcast()
        take(own)
        while own.done < own.count { condition.wait() }
        work = nil
        return true
    }

    /// Takes pieces until there are none; `condition` is locked before and after.
    private func take(_ work: Work) {
        while work.next < work.count {
            let index = work.next
            work.next += 1
            condition.unlock()
            work.body(index)
            condition.lock()
            work.done += 1
            if work.done == work.count { condition.broadcast() }
        }
    }

    private func start() {
        let thread = Thread { [self] in
            condition.lock()
            while true {
                guard let work, work.openings > 0, work.next < work.count else {
                    condition.wait()
                    continue
                }
                work.openings -= 1
                take(work)
            }
        }
        thread.name = "picture"
        thread.stackSize = 1 << 20
        thread.start()
    }

    /// Calls `body` with bands of rows that together are all rows of a picture. Bands begin at
    /// multiples of `multiple`.
    public func bands(of height: Int, multiple: Int = 2, _ body: @escaping (Range<Int>) -> Void) {
        let count = max(1, min(width, height / Self.leastRows))
        guard count > 1 else { return body(0..<height) }
        func edge(_ index: Int) -> Int { index == count ? height : height * index / count / multiple * multiple }
        perform(count) { body(edge($0)..<edge($0 + 1)) }
    }
}
