import Cleanup
import DequeModule
import Dispatch
import FoundationEssentials
import Glibc
import Messaging

/// The broker's I/O: owns the socket and the processes, passes events to the broker, and carries
/// out its actions.
///
/// It runs one loop around one poll on one thread, in this order: commands of other threads, all
/// messages that have arrived, ended processes, the time. Messages come before exits, so that a
/// result that a worker sent just before its end counts.
///
/// Nothing on this thread blocks except the poll; otherwise heartbeats would stay unread. Work that
/// touches a disk, a terminal or a caller's code is done elsewhere, and its answer comes through
/// the mailbox:
/// - `starter` starts processes;
/// - `examiner` reads what an ended worker left behind, keeps its log and removes its folder. It is
///   separate from `starter`, so that a slow disk of the kept logs delays no start;
/// - ``QueueLog`` writes log lines;
/// - callers handle events in their own tasks (``JobClient``).
final class QueueDriver {
    let configuration: JobQueue.Configuration
    let runtime: RuntimeDirectory
    let mailbox: Mailbox
    let socket: ZMQSocket
    /// The connection to remote workers; nil if there are none.
    let remote: RemoteLine?
    /// The leases of nodes, for the content service.
    let ledger: ContentLedger
    private let content: ContentSocket?
    var broker: Broker
    var processes: [WorkerID: WorkerProcess] = [:]
    /// The workers to be killed whose processes are still being started.
    var doomed: Set<WorkerID> = []
    var whenClosed: [@Sendable () -> Void] = []
    var isClosed = false
    /// The running jobs with their workers, for the log.
    var runs: [JobID: Run] = [:]

    struct Run {
        var worker: WorkerID
        var epoch: UInt64
        /// The render's id, for a server's jobs.
        var flow: String
        var since = SuspendingClock.now
    }

    /// The number of messages that could not be sent.
    var unsent = 0
    /// The numbers of ended jobs, by result.
    var tally = JobTally()
    /// The events and messages to send soon, in order: sending several together wakes their
    /// receivers once (``flush()``).
    var outbox = Outbox()

    let log: QueueLog
    let starter = DispatchQueue(label: "queue-starter")
    let examiner = DispatchQueue(label: "queue-examiner")

    private var poller = Poller()
    private lazy var failures = ServiceFailures("waiting for messages") { [log] in log.write(.error, $0) }
    private let start = SuspendingClock.now
    /// The arrival time of the event that is being handled.
    var arrival = SuspendingClock.now
    private var nextTick = Duration.zero

    private var nextStandings = Duration.zero
    /// The commands of other threads that were not handled yet.
    private var wishes = Deque<Mailbox.Command>()

    private static let standingsInterval = Duration.milliseconds(500)
    private static let tickInterval = Duration.milliseconds(100)
    /// The most messages that are handled before the rest of the loop.
    private static let messagesPerRound = 4096
    /// The most jobs that are taken in at a time, so that workers do not wait while a hundred
    /// thousand are.
    private static let jobsPerRound = 512

    private init(
        _ configuration: JobQueue.Configuration, _ runtime: RuntimeDirectory, _ mailbox: Mailbox, _ remote: RemoteLine?,
        _ ledger: ContentLedger, _ content: ContentSocket?
    ) throws(ZMQError) {
        (self.ledger, self.content) = (ledger, content)
        self.configuration = configuration
        self.runtime = runtime
        self.mailbox = mailbox
        self.remote = remote
        log = QueueLog(configuration.logger)
        var policy = WorkerPool.Policy(workers: configuration.workers, engine: configuration.engine)
        policy.leaseTimeout = configuration.leaseTimeout
        policy.stallTimeout = configuration.stallTimeout
        policy.spares = configuration.spareWorkers
        policy.hasRemote = remote != nil
        policy.tags = configuration.tags
        let seconds = Double(configuration.stallTimeout.components.seconds)
        let terms = WorkerTerms(
            host: configuration.name ?? String(UInt64.random(in: .min ... .max), radix: 36),
            writable: configuration.writable, isParanoid: configuration.isParanoid, stallSeconds: seconds,
            roots: configuration.listening?.roots.folders ?? [:], contentPort: content?.port)
        broker = Broker(
            leases: LeaseTable(
                policy: LeaseTable.Policy(faultsPerJob: max(1, configuration.faultsPerJob)),
                lastEpoch: max(1, configuration.firstEpoch) - 1), pool: WorkerPool(policy: policy),
            terms: terms, lent: LentLeases(configuration.lent))
        socket = try ZMQSocket.router(context: ZMQContext())
        try socket.bind(runtime.endpoint)
    }

    /// Runs the queue's thread from start to end.
    /// - Parameter opened: called once with whether the queue is open.
    static func live(
        _ configuration: JobQueue.Configuration, _ runtime: RuntimeDirectory, _ mailbox: Mailbox,
        opened: (Result<[String], QueueError>) -> Void
    ) {
        var (whenClosed, left): ([@Sendable () -> Void], [Mailbox.Command]) = ([], [])
        do throws(QueueError) {
            let driver = try open(configuration, runtime, mailbox)
            opened(.success(driver.remote?.endpoints ?? []))
            let watch = configuration.listening.flatMap { listening in
                listening.keys.flatMap { keys in
                    AllowListWatch(keys, for: [.node], into: listening.allowed) { [log = driver.log] problem in
                        log.write(.warning, problem)
                    } onRevoked: { nodes in
                        _ = mailbox.post(.revoked(nodes))
                    }
                }
            }
            (whenClosed, left) = driver.run()
            withExtendedLifetime(watch) {}
        } catch {
            runtime.remove()
            return opened(.failure(error))
        }
        // Here the driver is released, and its socket with it.
        runtime.remove()
        // Last, so that a caller that finds the queue closed finds everything gone.
        for command in left + mailbox.close() {
            if case .shutdown(_, let body) = command { whenClosed.append(body) }
            if case .describe(let tell) = command { tell(nil) }
        }
        for body in whenClosed { body() }
    }

    private static func open(
        _ configuration: JobQueue.Configuration, _ runtime: RuntimeDirectory, _ mailbox: Mailbox
    ) throws(QueueError) -> QueueDriver {
        var remote: RemoteLine?
        var content: ContentSocket?
        let ledger = ContentLedger()
        if let listening = configuration.listening {
            remote = try RemoteLine(listening)
            content = try listening.content.map { settings throws(QueueError) in
                try ContentSocket(listening, settings, ledger, configuration.logger)
            }
        }
        do throws(ZMQError) {
            return try QueueDriver(configuration, runtime, mailbox, remote, ledger, content)
        } catch {
            throw QueueError(.unavailable, "The queue's socket cannot be opened: \(error).")
        }
    }

    /// Runs the loop.
    /// - Returns: the callers that wait for the end, and the commands that came too late.
    private func run() -> ([@Sendable () -> Void], [Mailbox.Command]) {
        while !isClosed { turn() }
        // No worker is left, so blocking here delays nothing.
        examiner.sync {}
        log.flush()
        return (whenClosed, Array(wishes))
    }

    private func turn() {
        let ids = Array(processes.keys)
        let descriptors = [mailbox.wakeUp.descriptor] + ids.compactMap { processes[$0]?.pidfd }
        let now = SuspendingClock.now - start
        let timeout = !wishes.isEmpty ? .zero : broker.needsTicks ? max(.zero, nextTick - now) : .seconds(60)
        var ended: [WorkerID] = []
        do throws(ZMQError) {
            let ready = try poller.wait(
                for: socket, others: remote.map { [$0.socket.name] } ?? [], descriptors: descriptors, timeout: timeout)
            ended = ready.descriptors.filter { $0 > 0 }.map { ids[$0 - 1] }
            failures.worked()
        } catch {
            failures.failed("\(error)")
        }
        arrival = .now
        mailbox.wakeUp.clear()
        wishes += mailbox.takeAll()
        obeyNext()
        let isDrained = receive()
        receiveFromRemote()
        if isDrained { ended.forEach(reap) }
        tick()
        flush()
    }

    /// Handles commands in order: all of them, or up to the first large batch of jobs.
    private func obeyNext() {
        while let wish = wishes.popFirst() {
            guard case .submit(let jobs) = wish, jobs.count > Self.jobsPerRound else {
                obey(wish)
                continue
            }
            wishes.prepend(.submit(Array(jobs[Self.jobsPerRound...])))
            return feed(.submit(Array(jobs.prefix(Self.jobsPerRound))))
        }
    }

    private func obey(_ command: Mailbox.Command) {
        switch command {
        case .submit(let jobs): feed(.submit(jobs))
        case .cancel(let jobs): feed(.cancel(jobs))
        case .started(let worker, let result): started(worker, result)
        case .examined(let worker, let exit): feed(.exited(worker, exit))
        case .revoked(let nodes): feed(.revoked(nodes))
        case .drain(let node, let isDraining):
            broker.roster.drain(node, isDraining)
            feed(.tick)
        case .worthless(let jobs): feed(.worthless(jobs))
        case .forget(let node): broker.roster.forget(node)
        case .describe(let tell):
            var status = broker.status(at: SuspendingClock.now - start)
            tally.add(to: &status.totals)
            tell(status)
        case .shutdown(let graceful, let body):
            whenClosed.append(body)
            feed(.shutdown(graceful: graceful))
        }
    }

    /// Handles the messages that have arrived.
    /// - Returns: whether nothing more has arrived.
    private func receive() -> Bool {
        for _ in 0..<Self.messagesPerRound {
            do throws(ZMQError) {
                guard let (worker, received) = try socket.receiveFromWorker() else { return true }
                // Such names belong to remote workers, which use another socket.
                if !worker.isRemote { for message in received { hear(message, from: worker) } }
            } catch {
                log.write(.error, "a message could not be received: \(error)")
                return true
            }
        }
        return false
    }

    private func receiveFromRemote() {
        guard let remote else { return }
        for _ in 0..<Self.messagesPerRound {
            do throws(ZMQError) {
                switch try remote.receive() {
                case .messages(let worker, let received): for message in received { hear(message, from: worker) }
                case .dropped(let reason): if let reason { log.write(.warning, reason) }
                case nil: return
                }
            } catch {
                return log.write(.error, "a message of a remote worker could not be received: \(error)")
            }
        }
    }

    private func hear(_ received: Result<Message, MessageProblem>, from worker: WorkerID) {
        switch received {
        case .success(let message):
            if case .warning(let lease, let text) = message { configuration.onWarning(lease.job, text) }
            feed(.message(message, from: worker))
        case .failure(let problem): feed(.problem(problem, from: worker))
        }
    }

    private func tick() {
        let now = SuspendingClock.now - start
        guard now >= nextTick else { return }
        nextTick = now + Self.tickInterval
        if broker.needsTicks { feed(.tick) }
        guard now >= nextStandings else { return }
        nextStandings = now + Self.standingsInterval
        mailbox.publish(broker.standings)
    }

    /// Passes an event to the broker and carries out its actions.
    func feed(_ event: Broker.Event) {
        broker.handle(event, at: SuspendingClock.now - start).forEach(perform)
        if outbox.isFull { flush() }
    }
}
