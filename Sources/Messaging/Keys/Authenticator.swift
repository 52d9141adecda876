import CZeroMQ
import Dispatch
import FoundationEssentials
import Synchronization

/// Answers ZeroMQ's question whether a peer may connect (ZAP, https://rfc.zeromq.org/spec/27/), on
/// a thread of its own: a peer may if its key is on the allow list. A peer's user id, which each of
/// its messages carries, is its key.
///
/// It serves one context, until it is released.
public final class Authenticator: Sendable {
    private let state: State

    /// The state that the thread shares with its owner.
    private final class State: Sendable {
        let wakeUp: WakeUp
        let ended = DispatchSemaphore(value: 0)
        let isOver = Mutex(false)
        let refused = Mutex(0)
        let line: Mutex<Line?>

        init(_ line: Line) throws(ZMQError) {
            wakeUp = try WakeUp()
            self.line = Mutex(line)
        }
    }

    /// The thread's socket.
    private final class Line: @unchecked Sendable {
        let socket: ZMQSocket

        init(_ context: ZMQContext) throws(ZMQError) {
            socket = try ZMQSocket(context: context, type: ZMQ_REP, operation: "REP")
            try socket.bind("inproc://zeromq.zap.01")
        }
    }

    /// Starts the thread. Make it before binding a socket with a key in the context.
    public init(context: ZMQContext, allowed: AllowList) throws(ZMQError) {
        state = try State(try Line(context))
        let isRunning = SystemThread.start(name: "farm-keys") { [state] in
            if let line = state.line.withLock({ line in
                defer { line = nil }
                return line
            }) {
                Self.serve(line, state, allowed)
            }
            state.ended.signal()
        }
        guard isRunning else { throw ZMQError(.again, operation: "pthread_create") }
    }

    /// Ends the thread and waits for that, which takes a moment.
    deinit {
        state.isOver.withLock { $0 = true }
        state.wakeUp.signal()
        if state.line.withLock({ $0 == nil }) { state.ended.wait() }
    }

    /// The number of refused handshakes.
    public var refused: Int { state.refused.withLock { $0 } }

    private static func serve(_ line: consuming Line, _ state: State, _ allowed: AllowList) {
        var poller = Poller()
        // Without this thread no peer with a key can connect.
        var failures = ServiceFailures("the check of keys")
        while !state.isOver.withLock({ $0 }) {
            do throws(ZMQError) {
                _ = try poller.wait(for: line.socket, descriptors: [state.wakeUp.descriptor], timeout: .seconds(60))
                state.wakeUp.clear()
                while let request = try line.socket.receive() {
                    let (answer, isAllowed) = answer(request, allowed)
                    if !isAllowed { state.refused.withLock { $0 += 1 } }
                    _ = try line.socket.send(answer)
                }
                failures.worked()
            } catch {
                failures.failed("\(error)")
            }
        }
    }

    /// Returns the answer to a request.
    /// - Parameter request: version, number, domain, address, routing id, mechanism, and the
    ///   mechanism's credentials: a key of 32 bytes.
    static func answer(_ request: [Data], _ allowed: AllowList) -> (frames: [Data], isAllowed: Bool) {
        let number = request.count > 1 ? request[1] : Data()
        var key: PublicKey?
        if request.count == 7, request[0] == Data("1.0".utf8), request[5] == Data("CURVE".utf8) {
            key = PublicKey(bytes: request[6])
        }
        guard let key, allowed.name(of: key) != nil else {
            let reason = Data("This key is not on the farm's list.".utf8)
            return ([Data("1.0".utf8), number, Data("400".utf8), reason, Data(), Data()], false)
        }
        return ([Data("1.0".utf8), number, Data("200".utf8), Data("OK".utf8), Data(key.text.utf8), Data()], true)
    }
}
