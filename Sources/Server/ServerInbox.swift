import Synchronization

/// The events of a server, in order of arrival. One task takes them. The events that gather
/// meanwhile form one turn, so that all changes of a turn are one transaction of the journal.
final class ServerInbox: Sendable {
    private struct State {
        var events: [Server.Event] = []
        var reader: CheckedContinuation<Void, Never>?
        var isClosed = false
    }

    private let state = Mutex(State())

    /// The maximum number of events in a turn. It keeps a flood of requests from delaying the first
    /// answer, and from becoming a single transaction.
    static let mostAtOnce = 256

    /// Adds an event.
    /// - Returns: false if the server has ended.
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

    /// Returns the events that have gathered, at least one. Only one task may call this.
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

    /// Closes the inbox.
    /// - Returns: the events that were not taken.
    func close() -> [Server.Event] {
        state.withLock { state in
            state.isClosed = true
            defer { state.events = [] }
            return state.events
        }
    }
}
