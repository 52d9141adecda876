import FoundationEssentials

/// A worker's side of the protocol: the socket, whether the host knows this worker, and the results
/// that it has not acknowledged yet.
///
/// Sends never block. Lost messages (no connection yet, a restarted host) are repeated: `hello`
/// until it is answered, `ready` while idle, results until they are acknowledged.
final class HostConnection {
    /// An order of the host that the connection does not handle by itself.
    enum Order {
        case run(Lease, Assignment)
        case stop
        case leave(reason: String)
    }

    private let socket: ZMQSocket
    private let hello: Message
    private var poller = Poller()
    private var isWelcome = false
    private var unacknowledged: [(lease: Lease, message: Message)] = []
    private var orders: [Order] = []
    /// The highest epoch that was accepted. Epochs only grow, so an `assign` at or below it is a
    /// repetition.
    private var lastEpoch: UInt64 = 0
    private var lastBeat: SuspendingClock.Instant?
    private var lastRepeat = SuspendingClock.now

    private static let beatInterval = Duration.milliseconds(500)
    private static let repeatInterval = Duration.seconds(2)

    init(endpoint: String, introduction: WorkerIntroduction) throws(ZMQError) {
        socket = try ZMQSocket.dealer(context: ZMQContext(), name: WorkerID(introduction.worker))
        try socket.connect(endpoint)
        hello = .hello(introduction)
    }

    /// Whether all results were acknowledged.
    var owesNothing: Bool { unacknowledged.isEmpty }

    /// Waits for the next order, at most half a second. Meanwhile sends `hello`, or `ready` if
    /// wanted.
    func nextOrder(ready: Bool) -> Order? {
        if orders.isEmpty {
            if isWelcome {
                if ready { beat(.ready) }
                repeatResults()
            } else {
                beat(hello)
            }
            // A connection that is not up yet refuses the first message: wait until it takes one.
            let pending = !isWelcome && lastBeat == nil
            wait(writable: pending)
            listen(during: nil)
        }
        return orders.isEmpty ? nil : orders.removeFirst()
    }

    /// Reports a result and keeps it until it is acknowledged.
    /// - Parameter asks: whether another job is requested in the same send.
    func settle(_ lease: Lease, _ message: Message, asks: Bool = false) {
        unacknowledged.append((lease, message))
        let hasAsked = asks && isWelcome && ((try? socket.send(message, .ready)) ?? false)
        lastBeat = hasAsked ? .now : nil
        if !hasAsked { transmit(message) }
    }

    /// Sends a sign of life if the last one was half a second ago.
    func beat(_ message: Message) {
        let now = SuspendingClock.now
        if let lastBeat, now - lastBeat < Self.beatInterval { return }
        if transmit(message) { lastBeat = now }
    }

    /// Sends a message that needs no answer.
    func say(_ message: Message) { transmit(message) }

    func sayGoodbye() { transmit(.goodbye) }

    /// Handles the messages that have arrived, including those about the running job.
    func listen(during job: JobContext?) {
        while let received = try? socket.receiveMessages() {
            // Unreadable messages are ignored: only the host may stop a worker.
            for case .success(let message) in received { hear(message, during: job) }
        }
    }

    private func hear(_ message: Message, during job: JobContext?) {
        switch message {
        case .welcome:
            isWelcome = true
            lastBeat = nil
            for result in unacknowledged { transmit(result.message) }
        case .introduceYourself:
            isWelcome = false
            transmit(hello)
        case .refused(let reason):
            orders.append(.leave(reason: reason))
            job?.cancel()
        case .assign(let lease, let job):
            // A repetition: the run continues, or its result is repeated.
            guard lease.epoch > lastEpoch else { return }
            lastEpoch = lease.epoch
            orders.append(.run(lease, job))
        case .share(let lease, let threads):
            if lease == job?.lease {
                job?.share(threads)
            } else {
                orders = orders.map { order in
                    guard case .run(lease, var assignment) = order else { return order }
                    assignment.threads = threads
                    return .run(lease, assignment)
                }
            }
        case .acknowledge(let lease):
            unacknowledged.removeAll { $0.lease == lease }
        case .cancel(let lease):
            if lease == job?.lease { job?.cancel() }
            unacknowledged.removeAll { $0.lease == lease }
            let count = orders.count
            orders.removeAll { if case .run(lease, _) = $0 { true } else { false } }
            // The host waits for the end of a run that never began.
            if orders.count < count { settle(lease, .failed(lease, JobFailure(Cancelled()))) }
        case .stop:
            orders.append(.stop)
        case .hello, .ready, .heartbeat, .completed, .failed, .warning, .goodbye:
            break  // Never sent to a worker.
        }
    }

    private func repeatResults() {
        let now = SuspendingClock.now
        guard !unacknowledged.isEmpty, now - lastRepeat >= Self.repeatInterval else { return }
        lastRepeat = now
        for result in unacknowledged { transmit(result.message) }
    }

    private func wait(writable: Bool) {
        do {
            _ = try poller.wait(for: socket, writable: writable, timeout: Self.beatInterval)
        } catch {
            // Only a programming error or a lack of memory fails here; do not spin on it.
            SystemThread.pause(Self.beatInterval)
        }
    }

    @discardableResult
    private func transmit(_ message: Message) -> Bool { (try? socket.send(message)) ?? false }
}
