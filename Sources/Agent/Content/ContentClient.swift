import Content
import Dispatch
import Farm
import Foundation
import Messaging

/// A client of a server's content service, for one run of a job. It is used from a thread that may
/// block, until ``cancel()``. Lost requests are repeated without a limit: a server that is gone
/// comes back, and one that gave the job to another worker tells the slot.
final class ContentClient: Sendable {
    let lease: Lease
    private let line: ContentLine
    private let isOver = Locked(false)
    private let tell: @Sendable (Event) -> Void

    enum Event: Sendable {
        case progress
        /// The server does not know the lease: it gave the job to another worker, or was restarted
        /// and has not adopted the lease yet.
        case unclaimed
    }

    private static let (firstPause, pause) = (Duration.milliseconds(10), Duration.milliseconds(300))

    init(_ lease: Lease, _ line: ContentLine, tell: @escaping @Sendable (Event) -> Void) {
        (self.lease, self.line, self.tell) = (lease, line, tell)
    }

    func cancel() { isOver.withLock { $0 = true } }

    var isCancelled: Bool { isOver.withLock { $0 } }

    /// Returns if the run is still wanted.
    /// - Throws: `cancelled` if not.
    func checkCancelled() throws(JobFailure) {
        if isCancelled { throw JobFailure(Cancelled()) }
    }

    func reportProgress() { tell(.progress) }

    func wait() throws(JobFailure) { try wait(Self.pause) }

    private func wait(_ pause: Duration) throws(JobFailure) {
        try checkCancelled()
        SystemThread.pause(pause)
        try checkCancelled()
    }

    /// Sends a request and waits for its answer, repeating it as needed.
    /// - Returns: the answer, which is neither `unknownLease` nor `counting`.
    func ask(_ ask: ContentQuestion.Ask) throws(JobFailure) -> (say: ContentAnswer.Say, bytes: Data?) {
        var patience = Self.firstPause
        while true {
            let box = ReplyBox()
            line.ask(lease, ask) { box.put(0, $0) }
            let reply = try take(box).reply
            switch reply {
            case .said(.unknownLease, _):
                tell(.unclaimed)
                try wait()
            case .lost: try wait()
            case .said(.counting, _):
                reportProgress()
                try wait(patience)
                patience = min(patience * 2, Self.pause)
            case .said(.refused(let reason), _): throw JobFailure(.declined, "it cannot get content: \(reason)")
            case .said(let say, let bytes): return (say, bytes)
            }
        }
    }

    /// Sends several requests, few at a time, and handles their answers as they arrive.
    /// - Returns: false if one was lost; the caller then checks what is missing and continues.
    func askAll(
        _ count: Int, _ question: (Int) throws(JobFailure) -> (ContentQuestion.Ask, Data?),
        take: (Int, ContentAnswer.Say, Data?) throws(JobFailure) -> Bool
    ) throws(JobFailure) -> Bool {
        let box = ReplyBox()
        var (next, open) = (0, 0)
        while next < count || open > 0 {
            try checkCancelled()
            while next < count, open < ContentWire.window {
                let (ask, bytes) = try question(next)
                line.ask(lease, ask, bytes) { [next] in box.put(next, $0) }
                (next, open) = (next + 1, open + 1)
            }
            let (number, reply) = try self.take(box)
            open -= 1
            switch reply {
            case .lost, .said(.unknownLease, _): return false
            case .said(.refused(let reason), _): throw JobFailure(.declined, "it cannot get content: \(reason)")
            case .said(let say, let bytes): if try !take(number, say, bytes) { return false }
            }
            reportProgress()
        }
        return true
    }

    private func take(_ box: ReplyBox) throws(JobFailure) -> (number: Int, reply: ContentLine.Reply) {
        while true {
            if let found = box.take(within: .milliseconds(100)) { return found }
            try checkCancelled()
        }
    }
}

/// A queue of answers for the thread that waits for them.
private final class ReplyBox: Sendable {
    private let replies = Locked<[(Int, ContentLine.Reply)]>([])
    private let count = DispatchSemaphore(value: 0)

    func put(_ number: Int, _ reply: ContentLine.Reply) {
        replies.withLock { $0.append((number, reply)) }
        count.signal()
    }

    func take(within limit: DispatchTimeInterval) -> (number: Int, reply: ContentLine.Reply)? {
        guard count.wait(timeout: .now() + limit) == .success else { return nil }
        return replies.withLock { $0.removeFirst() }
    }
}
