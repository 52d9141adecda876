import Foundation
import Messaging
import Synchronization

/// The server's end of its door: a thread of its own that reads questions, hands them on, and sends answers. It waits for nothing else.
final class DoorSocket: Sendable {
    /// Who asked, as the socket knows it.
    struct Visitor: Hashable, Sendable {
        fileprivate var routing: Data
    }

    private struct State {
        var answers: [(Visitor, Data)] = []
        var isClosed = false
    }

    private let wakeUp: WakeUp
    private let state = Mutex(State())

    /// Answers that may wait to be sent; a visitor who does not read loses his.
    private static let mostWaiting = 10_000

    /// - Parameter hear: called on the door's thread.
    /// - Throws: `.unavailable` where the socket cannot be made.
    init(_ endpoint: String, hear: @escaping @Sendable (Visitor, Data) -> Void) throws(HostError) {
        let opened = DispatchSemaphore(value: 0)
        let failure = Mutex<String?>("the system gives no more threads")
        do throws(ZMQError) { wakeUp = try WakeUp() } catch {
            throw HostError(.unavailable, "No socket can be made: \(error).")
        }
        let isRunning = SystemThread.start(name: "door") { [self] in
            do throws(ZMQError) {
                let socket = try ZMQSocket.router(context: try ZMQContext())
                try socket.bind(endpoint)
                failure.withLock { $0 = nil }
                opened.signal()
                try run(socket, hear)
            } catch {
                failure.withLock { $0 = "\(error)" }
                opened.signal()
            }
        }
        if isRunning { opened.wait() }
        if let reason = failure.withLock({ $0 }) {
            throw HostError(.unavailable, "The server cannot listen at ‘\(endpoint)’: \(reason).")
        }
    }

    func answer(_ visitor: Visitor, _ data: Data) {
        state.withLock { state in
            if state.answers.count < Self.mostWaiting { state.answers.append((visitor, data)) }
        }
        wakeUp.signal()
    }

    /// Sends what waits and ends the thread, soon.
    func close() {
        state.withLock { $0.isClosed = true }
        wakeUp.signal()
    }

    private func run(
        _ socket: borrowing ZMQSocket, _ hear: (Visitor, Data) -> Void
    ) throws(ZMQError) {
        var poller = Poller()
        while true {
            _ = try poller.wait(for: socket, descriptors: [wakeUp.descriptor], timeout: .seconds(10))
            wakeUp.clear()
            let (answers, isClosed) = state.withLock { state in
                defer { state.answers = [] }
                return (state.answers, state.isClosed)
            }
            for (visitor, data) in answers {
                // A visitor who has gone, or does not read, gets nothing.
                do throws(ZMQError) { _ = try socket.send([visitor.routing, data]) } catch {}
            }
            if isClosed { return }
            while let frames = try socket.receive() {
                if frames.count == 2 { hear(Visitor(routing: frames[0]), frames[1]) }
            }
        }
    }
}
