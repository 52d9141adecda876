import Messaging
import Synchronization

/// The commands of other threads for the queue's thread, with the means to wake it, and the way
/// back to the clients. Its lock is never held during anything that blocks.
final class Mailbox: Sendable {
    enum Command: Sendable {
        case submit([JobSpec])
        case cancel([JobID])
        /// A worker's process runs, or could not be started.
        case started(WorkerID, Result<WorkerProcess, WorkerProcess.Failure>)
        /// The remains of a worker whose process has ended.
        case examined(WorkerID, WorkerExit)
        /// Nodes that may not work here any more.
        case revoked(Set<String>)
        /// Jobs whose outputs are missing, or differ from what their workers reported.
        case worthless([JobID])
        case drain(String, Bool)
        case forget(String)
        /// A request for the queue's state; the closure is called on the queue's thread, so it must
        /// not block.
        case describe(@Sendable (QueueStatus?) -> Void)
        case shutdown(graceful: Bool, whenClosed: @Sendable () -> Void)
    }

    private struct State {
        var commands: [Command] = []
        var isClosed = false
        var clients: [ObjectIdentifier: EventBuffer] = [:]
        /// The clients by job; a job's name is free once it is not here.
        var owners: [JobID: EventBuffer] = [:]
    }

    let wakeUp: WakeUp
    private let standings = Mutex<[JobSpec.Flow: FlowStanding]>([:])
    private let state = Mutex(State())

    init() throws(ZMQError) { wakeUp = try WakeUp() }

    /// Adds a command.
    /// - Returns: false if the queue has closed; the command is dropped then.
    @discardableResult
    func post(_ command: Command) -> Bool {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.commands.append(command) }
            return !state.isClosed
        }
        if isOpen { wakeUp.signal() }
        return isOpen
    }

    // MARK: State of flows

    func publish(_ new: [JobSpec.Flow: FlowStanding]) { standings.withLock { $0 = new } }

    /// Returns the state of a flow's jobs.
    /// - Returns: nil if no job of the flow is in the queue.
    func standing(of flow: JobSpec.Flow) -> FlowStanding? { standings.withLock { $0[flow] } }

    // MARK: For clients

    func register(_ client: EventBuffer) {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.clients[ObjectIdentifier(client)] = client }
            return !state.isClosed
        }
        if !isOpen { client.finish() }
    }

    /// Cancels the jobs of a client that was released.
    func remove(_ client: EventBuffer) {
        state.withLock { _ = $0.clients.removeValue(forKey: ObjectIdentifier(client)) }
        cancelAll(of: client)
    }

    func submit(_ jobs: [JobSpec], for client: EventBuffer) throws(QueueError) {
        let problem: QueueError? = state.withLock { state in
            if state.isClosed { return .closed }
            if let taken = jobs.first(where: { state.owners[$0.id] != nil })?.id {
                return QueueError(.invalidJob, "A job named \(taken) is already in the queue.", job: taken)
            }
            guard client.open(jobs.count) else { return .cancelled }
            for job in jobs { state.owners[job.id] = client }
            state.commands.append(.submit(jobs))
            return nil
        }
        if let problem { throw problem }
        wakeUp.signal()
    }

    /// Cancels jobs of a client; others are ignored.
    func cancel(_ ids: [JobID], of client: EventBuffer) {
        // In one step: a name that became free in between might belong to another client by then.
        state.withLock { state in
            state.commands.append(.cancel(ids.filter { state.owners[$0] === client }))
        }
        wakeUp.signal()
    }

    func cancelAll(of client: EventBuffer) {
        state.withLock { state in
            state.commands.append(.cancel(state.owners.filter { $0.value === client }.map(\.key)))
        }
        wakeUp.signal()
    }

    // MARK: For the queue's thread

    /// Delivers events to the jobs' clients.
    func deliver(_ events: [JobEvent]) {
        guard !events.isEmpty else { return }
        var told: [(client: EventBuffer, events: [JobEvent])] = []
        state.withLock { state in
            for event in events {
                let client = event.isEnd ? state.owners.removeValue(forKey: event.job) : state.owners[event.job]
                guard let client else { continue }
                if let index = told.firstIndex(where: { $0.client === client }) {
                    told[index].events.append(event)
                } else {
                    told.append((client, [event]))
                }
            }
        }
        for (client, events) in told { client.put(events) }
    }

    /// Takes out all commands.
    func takeAll() -> [Command] {
        state.withLock { state in
            defer { state.commands.removeAll() }
            return state.commands
        }
    }

    /// Accepts no more commands, ends the remaining jobs and clients, and returns the last
    /// commands.
    func close() -> [Command] {
        let last = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state
        }
        for (id, client) in last.owners { client.put(.cancelled(id)) }
        for client in last.clients.values { client.finish() }
        return last.commands
    }
}
