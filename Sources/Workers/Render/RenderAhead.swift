import DequeModule
import Foundation
import Media
import Messaging

/// Pictures made on the render thread, a few ahead of the one who takes them. Composing a frame and
/// encoding the one before it take about as long, so a segment that is alone, at the end of a
/// render or after a small edit, keeps two cores busy.
///
/// The worker's line to its host belongs to the taker's thread. The maker's pulses are counted here
/// and passed on from there, so that a worker whose rendering hangs falls silent all the same.
///
/// `@unchecked`: everything that changes is only touched with `condition` locked.
final class RenderAhead: @unchecked Sendable {
    /// How many pictures lie ready at most: enough to ride out a slow frame.
    private static let depth = 3
    /// Milliseconds after which a waiting taker looks whether the maker still pulses.
    private static let interval = 50

    private let condition = SteadyCondition()
    private var ready: Deque<Picture> = []
    private var failure: (any Error)?
    private var pulses: UInt64 = 0
    /// The pulses that came with finished work.
    private var steps: UInt64 = 0
    private var isWanted = true
    private var hasEnded = false

    /// - Parameter make: called on `thread`; hands each picture to the function it is given and
    ///   pulses with ``pulse(advances:)``.
    init(on thread: RenderThread, _ make: @escaping @Sendable (RenderAhead) throws -> Void) {
        thread.run { [self] in
            let result = Result { try make(self) }
            condition.lock()
            if case .failure(let error) = result { failure = error }
            hasEnded = true
            condition.broadcast()
            condition.unlock()
        }
    }

    /// Maker: the work continues.
    /// - Parameter advances: a bounded piece of it was finished.
    /// - Throws: `Cancelled` where the pictures are not needed any more.
    func pulse(advances: Bool) throws {
        condition.lock()
        defer { condition.unlock() }
        pulses &+= 1
        if advances { steps &+= 1 }
        if !isWanted { throw Cancelled() }
    }

    /// Maker: the next picture; waits while too many lie ready.
    func put(_ picture: Picture) throws {
        condition.lock()
        defer { condition.unlock() }
        while isWanted, ready.count >= Self.depth { condition.wait() }
        if !isWanted { throw Cancelled() }
        pulses &+= 1
        ready.append(picture)
        condition.broadcast()
    }

    /// Taker: the next picture, which is shared: do not write to it.
    /// - Parameter pulse: called now and then while waiting, as long as the maker pulses, and told
    ///   whether work was finished since; what it throws is thrown.
    func take(pulse: (_ advances: Bool) throws -> Void) throws -> Picture {
        condition.lock()
        defer { condition.unlock() }
        var seen = (pulses, steps)
        while true {
            if let picture = ready.popFirst() {
                condition.broadcast()
                return picture
            }
            if let failure { throw failure }
            if hasEnded { throw JobFailure(.internal, "the renderer ended before its last frame") }
            condition.wait(milliseconds: Self.interval)
            guard pulses != seen.0 else { continue }
            let advances = steps != seen.1
            seen = (pulses, steps)
            condition.unlock()
            defer { condition.lock() }
            try pulse(advances)
        }
    }

    /// Taker: no more pictures are wanted; returns when the maker has ended.
    func stop() {
        condition.lock()
        defer { condition.unlock() }
        isWanted = false
        condition.broadcast()
        while !hasEnded { condition.wait() }
        ready.removeAll()
    }
}
