import Synchronization

/// The events of a server, in the order in which they came. One task takes them; what has gathered
/// meanwhile is one turn of it, so that all changes of a turn are one transaction of the journal.
final class ServerInbox: Sendable {
    private struct State {
        var events: [Server.Event] = []
        var reader: CheckedContinuation<Void, Never>?
        var isClosed = false
    }

    private let state = Mutex(State())

    /// The most events of one turn. A flood of questions neither delays the first answer for long
    /// nor makes one transaction of everything.
    static let mostAtOnce = 256

    /// - Returns: false where the server has ended.
    @discardableResult
    func post(_ event: Server.Event) -> Bool {
        let (isOpen, reader) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard !state.isClosed else { return (false, nil) }
            state.events.append(event)
            defer { state.reader = nil }
            return (true, state.reader)
        }
        reader?.resume()
        return isOpen
    }

    /// Returns what has gathered, at least one event. Only one task may call this.
    func next() async -> [Server.Event] {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.events.isEmpty { state.reader = continuation }
                return !state.events.isEmpty
            }
            if isThere { continuation.resume() }
        }
        return state.withLock { state in
            let taken = Array(state.events.prefix(Self.mostAtOnce))
            state.events.removeFirst(taken.count)
            return taken
        }
    }

    /// Takes no more events.
    /// - Returns: those that were not taken.
    func close() -> [Server.Event] {
        state.withLock { state in
            state.isClosed = true
            defer { state.events = [] }
            return state.events
        }
    }
}
