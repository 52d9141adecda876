import Messaging
import Synchronization

/// What other threads ask of the queue's thread, and the means to wake it.
final class Mailbox: Sendable {
    enum Command: Sendable {
        case submit(Submission)
        case cancel(Submission)
        case shutdown(graceful: Bool, whenClosed: @Sendable () -> Void)
    }

    let wakeUp: WakeUp
    private let state = Mutex<(commands: [Command], isClosed: Bool)>(([], false))

    init() throws(ZMQError) { wakeUp = try WakeUp() }

    /// - Returns: false when the queue has closed; the command is dropped then.
    func post(_ command: Command) -> Bool {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.commands.append(command) }
            return !state.isClosed
        }
        if isOpen { wakeUp.signal() }
        return isOpen
    }

    /// Takes out what has come. For the queue's thread.
    func takeAll() -> [Command] {
        state.withLock { state in
            defer { state.commands.removeAll() }
            return state.commands
        }
    }

    /// Takes nothing more in, and gives out what came last.
    func close() -> [Command] {
        state.withLock { state in
            state.isClosed = true
            defer { state.commands.removeAll() }
            return state.commands
        }
    }
}
