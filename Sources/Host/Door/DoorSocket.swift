import Foundation
import Messaging
import Synchronization

/// The server's end of a door: a thread of its own that reads questions, hands them on, and sends answers. It waits for nothing else.
final class DoorSocket: Sendable {
    private struct State {
        var answers: [(DoorLine.Visitor, [Data])] = []
        var isClosed = false
        var hasRevoked = false
        /// Where it listens.
        var endpoint = ""
        var failure: String? = "the system gives no more threads"
    }

    private let wakeUp: WakeUp
    private let state = Mutex(State())

    /// Answers that may wait to be sent; a visitor who does not read loses his.
    private static let mostWaiting = 10_000

    /// - Parameters:
    ///   - warn: told of what the server's owner should know.
    ///   - hear: called on the door's thread.
    /// - Throws: `.unavailable` where the socket cannot be made.
    init(
        _ place: DoorLine.Place, warn: @escaping @Sendable (String) -> Void = { _ in },
        hear: @escaping @Sendable (DoorSocket, DoorLine.Visitor, Data, Data?) -> Void
    ) throws(HostError) {
        let opened = DispatchSemaphore(value: 0)
        do throws(ZMQError) { wakeUp = try WakeUp() } catch {
            throw HostError(.unavailable, "No socket can be made: \(error).")
        }
        let isRunning = SystemThread.start(name: "door") { [self] in
            do throws(ZMQError) {
                let line = try DoorLine(place, warn)
                state.withLock { ($0.endpoint, $0.failure) = (line.endpoint, nil) }
                opened.signal()
                try run(line, hear)
            } catch {
                state.withLock { $0.failure = error.reason }
                opened.signal()
            }
        }
        if isRunning { opened.wait() }
        if let reason = state.withLock({ $0.failure }) {
            throw HostError(.unavailable, "The server cannot listen at ‘\(place.endpoint)’: \(reason).")
        }
    }

    /// Where it listens, with the port where any would do.
    var endpoint: String { state.withLock { $0.endpoint } }

    /// - Parameter more: bytes that go along with the answer.
    func answer(_ visitor: DoorLine.Visitor, _ data: Data, with more: Data? = nil) {
        state.withLock { state in
            guard state.answers.count < Self.mostWaiting else { return }
            state.answers.append((visitor, [data] + (more.map { [$0] } ?? [])))
        }
        wakeUp.signal()
    }

    /// Some key is on the list no more: whoever has asked with it is told, and gets no more answers.
    func listHasChanged() {
        state.withLock { $0.hasRevoked = true }
        wakeUp.signal()
    }

    /// Sends what waits and ends the thread, soon.
    func close() {
        state.withLock { $0.isClosed = true }
        wakeUp.signal()
    }

    private func run(_ line: DoorLine, _ hear: (DoorSocket, DoorLine.Visitor, Data, Data?) -> Void) throws(ZMQError) {
        var poller = Poller()
        while true {
            _ = try poller.wait(
                for: line.socket, others: line.others, descriptors: [wakeUp.descriptor], timeout: line.patience)
            wakeUp.clear()
            let (answers, isClosed, hasRevoked) = state.withLock { state in
                defer { (state.answers, state.hasRevoked) = ([], false) }
                return (state.answers, state.isClosed, state.hasRevoked)
            }
            if hasRevoked { line.dismiss() }
            for (visitor, frames) in answers { line.send(frames, to: visitor) }
            if isClosed { return }
            line.tend()
            // Answers are not to wait behind a flood of questions.
            for _ in 0..<Self.mostAtOnce {
                guard let arrival = try line.receive() else { break }
                if case .question(let visitor, let data, let bytes) = arrival { hear(self, visitor, data, bytes) }
            }
        }
    }

    private static let mostAtOnce = 200
}
