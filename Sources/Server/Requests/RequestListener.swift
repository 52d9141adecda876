import Foundation
import HostCore
import Messaging
import Synchronization

/// Listens for requests: a thread that reads requests, passes them on and sends answers. It waits
/// for nothing else.
final class RequestListener: Sendable {
    private struct State {
        var answers: [(RequestSocket.Sender, [Data])] = []
        /// The number of requests that were passed on and have not been answered.
        var open = 0
        var isClosed = false
        var hasRevoked = false
        /// The address that it listens on.
        var endpoint = ""
        var failure: String? = "the system cannot start another thread"
    }

    private let wakeUp: WakeUp
    private let state = Mutex(State())
    private let complain: @Sendable (String) -> Void

    /// The maximum number of unanswered requests. Beyond it, the local socket is not read until
    /// some are answered, so that no answer has to be dropped. Network sockets have limits for each
    /// key (``RequestLimiter``).
    private static let mostOpen = 10_000

    /// Starts listening.
    /// - Parameters:
    ///   - warn: receives warnings for the server's owner.
    ///   - hear: receives requests, on the listener's thread.
    /// - Throws: `.unavailable` if the socket cannot be created.
    init(
        _ place: RequestSocket.Place, warn: @escaping @Sendable (String) -> Void = { _ in },
        hear: @escaping @Sendable (RequestListener, RequestSocket.Sender, Data, Data?) -> Void
    ) throws(HostError) {
        let opened = DispatchSemaphore(value: 0)
        complain = warn
        do throws(ZMQError) { wakeUp = try WakeUp() } catch {
            throw HostError(.unavailable, "Cannot create a socket: \(error).")
        }
        let isRunning = SystemThread.start(name: "requests") { [self] in
            let socket: RequestSocket
            do throws(ZMQError) {
                socket = try RequestSocket(place, warn)
            } catch {
                state.withLock { $0.failure = error.reason }
                opened.signal()
                return
            }
            state.withLock { ($0.endpoint, $0.failure) = (socket.endpoint, nil) }
            opened.signal()
            run(socket, hear)
        }
        if isRunning { opened.wait() }
        if let reason = state.withLock({ $0.failure }) {
            throw HostError(.unavailable, "The server cannot listen at ‘\(place.endpoint)’: \(reason).")
        }
    }

    /// The address that it listens on, with the actual port if any port was allowed.
    var endpoint: String { state.withLock { $0.endpoint } }

    /// Sends an answer.
    /// - Parameter more: bytes that accompany the answer.
    func answer(_ sender: RequestSocket.Sender, _ data: Data, with more: Data? = nil) {
        state.withLock { state in
            state.open = max(0, state.open - 1)
            state.answers.append((sender, [data] + (more.map { [$0] } ?? [])))
        }
        wakeUp.signal()
    }

    /// Handles a revoked key: its clients are notified, and receive no more answers.
    func listHasChanged() {
        state.withLock { $0.hasRevoked = true }
        wakeUp.signal()
    }

    /// Sends the waiting answers and ends the thread, without waiting for either.
    func close() {
        state.withLock { $0.isClosed = true }
        wakeUp.signal()
    }

    private func run(_ socket: RequestSocket, _ hear: (RequestListener, RequestSocket.Sender, Data, Data?) -> Void) {
        var poller = Poller()
        var failures = ServiceFailures("the socket ‘\(endpoint)’", log: complain)
        while true {
            do throws(ZMQError) {
                guard try turn(socket, &poller, hear) else { return }
                failures.worked()
            } catch {
                failures.failed("\(error)")
            }
        }
    }

    /// Runs one iteration.
    /// - Returns: false if the listener is closed.
    private func turn(
        _ socket: RequestSocket, _ poller: inout Poller,
        _ hear: (RequestListener, RequestSocket.Sender, Data, Data?) -> Void
    ) throws(ZMQError) -> Bool {
        let isFull = socket.isLocal && state.withLock { $0.open } >= Self.mostOpen
        // The poll would return at once because of waiting requests; while they are not read, only
        // answers wake this thread.
        if isFull {
            try poller.wait(for: [], descriptors: [wakeUp.descriptor], timeout: socket.patience)
        } else {
            _ = try poller.wait(
                for: socket.router, others: socket.others, descriptors: [wakeUp.descriptor], timeout: socket.patience)
        }
        wakeUp.clear()
        let (answers, isClosed, hasRevoked) = state.withLock { state in
            defer { (state.answers, state.hasRevoked) = ([], false) }
            return (state.answers, state.isClosed, state.hasRevoked)
        }
        if hasRevoked { socket.dismiss() }
        for (sender, frames) in answers { socket.send(frames, to: sender) }
        if isClosed { return false }
        socket.tend()
        // Answers must not wait behind a flood of requests.
        for _ in 0..<Self.mostAtOnce {
            if socket.isLocal, state.withLock({ $0.open }) >= Self.mostOpen { break }
            guard let arrival = try socket.receive() else { break }
            if case .request(let sender, let data, let bytes) = arrival {
                state.withLock { $0.open += 1 }
                hear(self, sender, data, bytes)
            }
        }
        return true
    }

    private static let mostAtOnce = 200
}
