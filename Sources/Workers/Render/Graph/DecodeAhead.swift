import DequeModule
import Media
import Messaging

/// Answers about a source's frames, worked out in order on a thread of their own, a few frames
/// ahead of the node that shows them.
///
/// The thread makes the same calls in the same order as the node would, so pictures do not depend
/// on it. The node has to take back what was worked out and is not shown, because it goes
/// elsewhere: see ``Leftovers``.
///
/// A job's line to its host belongs to another thread. So the pulses of the decoder are counted
/// here, and passed on by the node while it waits: a decoder that hangs falls silent, as it would
/// on the node's own thread.
///
/// `@unchecked`: everything that changes is only touched with `condition` locked; the source
/// belongs to the thread until ``stop(pulse:)`` returns.
final class DecodeAhead<Answer>: @unchecked Sendable {
    /// Answers that were worked out and not taken.
    struct Leftovers: Equatable {
        var count: Int
        /// The last of them is an error.
        var hasFailed: Bool
    }

    /// Milliseconds after which a waiting node looks whether the decoder still pulses.
    private static var interval: Int { 50 }

    private let condition = SteadyCondition()
    private let depth: Int
    private let work: (Int) throws -> Answer?
    private var ready: Deque<Result<Answer, any Error>> = []
    /// The frame that ``take(_:pulse:)`` is to ask for.
    private var next: Int
    private var isWanted = true
    private var isCancelled = false
    private var hasEnded = false
    private var pulses: UInt64 = 0
    /// The pulses that came with finished work.
    private var steps: UInt64 = 0

    /// - Parameters:
    ///   - number: the frame that was shown last; work begins with the one after it, with
    ///     ``start()``.
    ///   - depth: how many answers lie ready at most.
    ///   - work: called on the thread, with ``pulse(advances:)`` to call meanwhile. Returns nil for
    ///     a frame that shows nothing, which ends the thread, as an error does.
    init(after number: Int, depth: Int, _ work: @escaping (Int) throws -> Answer?) {
        (next, self.depth, self.work) = (number + 1, depth, work)
    }

    /// Starts the thread.
    /// - Returns: false where the system gives no more threads.
    func start() -> Bool {
        let first = next
        return SystemThread.start(name: "decode") { [self] in run(from: first) }
    }

    private func run(from first: Int) {
        var number = first
        while waitForRoom() {
            let result = Result { try work(number) }
            guard put(result) else { break }
            number += 1
        }
        condition.lock()
        hasEnded = true
        condition.broadcast()
        condition.unlock()
    }

    /// - Returns: false where no more frames are wanted.
    private func waitForRoom() -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while isWanted, ready.count >= depth { condition.wait() }
        return isWanted
    }

    /// - Returns: whether the next frame is to be worked on.
    private func put(_ result: Result<Answer?, any Error>) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        defer { condition.broadcast() }
        switch result {
        case .success(let answer?): ready.append(.success(answer))
        case .success(nil): return false
        case .failure(let error):
            ready.append(.failure(error))
            return false
        }
        return true
    }

    /// Tells that the decoder makes progress; for the thread.
    /// - Parameter advances: a bounded piece of work was finished.
    /// - Throws: `Cancelled` where the node's job was cancelled.
    func pulse(advances: Bool) throws {
        condition.lock()
        defer { condition.unlock() }
        pulses &+= 1
        if advances { steps &+= 1 }
        if isCancelled { throw Cancelled() }
    }

    /// Returns the answer for a frame; waits until it is there.
    /// - Parameter pulse: called now and then while the decoder pulses; what it throws is thrown.
    /// - Returns: nil where `number` is not the next frame, or shows nothing, or after
    ///   ``finish()``, when nothing is left.
    func take(_ number: Int, pulse: Pulse) throws -> Result<Answer, any Error>? {
        condition.lock()
        defer { condition.unlock() }
        guard number == next else { return nil }
        var seen = (pulses: pulses, steps: steps)
        while ready.isEmpty, !hasEnded { try wait(&seen, pulse) }
        guard let answer = ready.popFirst() else { return nil }
        next += 1
        condition.broadcast()
        return answer
    }

    /// Lets the thread end after the frame that it works on. What is ready may still be taken.
    func finish() {
        condition.lock()
        defer { condition.unlock() }
        isWanted = false
        condition.broadcast()
    }

    /// Returns when the thread has ended.
    /// - Parameter pulse: called now and then while the decoder pulses; where it throws, the
    ///   decoder is stopped midway.
    func stop(pulse: Pulse) -> Leftovers {
        condition.lock()
        defer { condition.unlock() }
        isWanted = false
        condition.broadcast()
        var seen = (pulses: pulses, steps: steps)
        while !hasEnded {
            do { try wait(&seen, pulse) } catch { isCancelled = true }
        }
        let isFailure = if case .failure? = ready.last { true } else { false }
        defer { ready.removeAll() }
        return Leftovers(count: ready.count, hasFailed: isFailure)
    }

    /// Waits for the thread, and passes on that it pulses; `condition` is locked before and after.
    private func wait(_ seen: inout (pulses: UInt64, steps: UInt64), _ pulse: Pulse) throws {
        condition.wait(milliseconds: Self.interval)
        guard pulses != seen.pulses else { return }
        let advances = steps != seen.steps
        seen = (pulses, steps)
        condition.unlock()
        defer { condition.lock() }
        try pulse(advances)
    }
}
