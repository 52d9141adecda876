import Cleanup
import Dispatch
import Farm
import FoundationEssentials
import Glibc
import Logging
import Messaging

/// A node of a farm: a local job queue whose slots are lent to a server. Each slot takes jobs from
/// the server over a connection of its own and runs them in the local queue's processes, which are
/// supervised as on the server's own machine.
///
/// The caller's thread owns the connections and runs one loop around one `poll`, where alone it
/// blocks. Results are written to disk by another thread, and events of jobs arrive through an
/// inbox.
package final class NodeAgent {
    private let configuration: AgentConfiguration
    private let log: Logger
    private let spool: Spool
    let inbox: Inbox
    /// The content cache; nil if the node shares the server's storage.
    let content: NodeContent?
    private let context: ZMQContext
    private var lines: [SlotLine] = []
    var slots: [Slot] = []
    private var queue: (queue: JobQueue, client: JobClient, terms: WorkerTerms)?
    var owners: [JobID: Owner] = [:]
    var staging = Staging(map: PathMap(theirs: PathRoots(), ours: PathRoots()))
    private var poller = Poller()
    private lazy var failures = ServiceFailures("waiting for messages") { [log] in log.error("\($0)") }
    private let start = SuspendingClock.now
    private var drainEnd: Duration?
    private var hasGivenBack = false
    /// The time since when the node is leaving and runs nothing.
    private var doneSince: Duration?
    private var contact: ContactLog
    private var end: Ending?

    private let keeper = DispatchQueue(label: "agent-spool")
    let stager = DispatchQueue(label: "agent-staging", attributes: .concurrent)

    /// The slot that a job belongs to.
    struct Owner {
        var slot: Int
        /// Whether the job is still being prepared and is not in the queue yet.
        var isComing = true
        var isCancelled = false
        /// The job's requests to the server's content service.
        var client: ContentClient?
        var staged: StagedJob?
    }

    private static let interval = Duration.milliseconds(100)
    /// The time that jobs get to end after the drain limit, and the server to acknowledge results
    /// once nothing runs.
    private static let lastMoment = Duration.seconds(5)

    package enum Ending: Sendable, Equatable {
        /// The node was told to leave, and has left.
        case drained
        case refused(reason: String)
    }

    /// An invalid setting, as a sentence.
    package struct Problem: Error, CustomStringConvertible {
        package let description: String
    }

    package init(_ configuration: AgentConfiguration) throws(Problem) {
        self.configuration = configuration
        log = configuration.logger
        contact = ContactLog(configuration.logger, configuration.endpoint)
        do throws(Spool.Problem) { spool = try Spool(folder: configuration.spool) } catch {
            throw Problem(description: error.description)
        }
        do throws(ZMQError) {
            inbox = try Inbox()
            context = try ZMQContext()
        } catch { throw Problem(description: "The node cannot be set up: \(error).") }
        let kept = spool.load()
        if let storage = configuration.storage {
            content = try NodeContent(storage, configuration, made: spool.made) { [inbox] job, failure in
                inbox.put(.starved(job, failure))
            }
        } else {
            content = nil
        }
        let introduction = WorkerIntroduction(
            worker: "", process: getpid(), engine: configuration.engine,
            node: NodeIntroduction(
                session: String(UInt64.random(in: .min ... .max), radix: 36), tags: configuration.tags,
                cores: Machine.cores, memory: Machine.memory))
        for number in 1...max(1, configuration.slots) {
            let slot = Slot(number, of: configuration.name, introduction, kept: kept[number] ?? [])
            do throws(ZMQError) {
                lines.append(try SlotLine(slot.id, configuration, context, isWatched: number == 1))
            } catch {
                throw Problem(
                    description: "‘\(configuration.endpoint)’ cannot be connected to: \(error.reason) (--connect).")
            }
            slots.append(slot)
        }
        let owed = slots.reduce(0) { $0 + $1.unacknowledged.count + $1.owed.count }
        if owed > 0 { log.info("sending \(owed) earlier results again") }
    }

    /// Starts leaving: running jobs may end within the limit. Callable from any thread.
    package var drain: @Sendable () -> Void { { [inbox] in inbox.put(.drain) } }

    /// Works until the node was told to leave, or was refused.
    package func run() -> Ending {
        log.info(
            "node \(configuration.name) with \(configuration.slots) slots connects to the farm at \(configuration.endpoint)"
        )
        while end == nil { turn() }
        queue?.queue.shutdownBlocking(graceful: false)
        keeper.sync {}
        // Lets the last messages be sent.
        lines = []
        return end ?? .drained
    }

    var now: Duration { SuspendingClock.now - start }

    private func turn() {
        do throws(ZMQError) {
            try poller.wait(
                for: lines.map(\.socketName), descriptors: [inbox.wakeUp.descriptor], timeout: Self.interval)
            failures.worked()
        } catch {
            failures.failed("\(error)")
        }
        for event in inbox.take() { take(event) }
        for index in slots.indices {
            for message in lines[index].receive() { perform(slots[index].hear(message, at: now), index) }
            perform(slots[index].tick(at: now), index)
            lines[index].mend(isWelcome: slots[index].isWelcome, at: now)
        }
        contact.take(lines[0].events(), isWelcome: slots.contains(where: \.isWelcome), at: now)
        leave()
    }

    private func take(_ event: Inbox.Event) {
        switch event {
        case .staged(let job, let result): staged(job, result)
        case .job(.completed(let job, let result)): stageOut(job, result)
        case .job(.failed(let job, let failure)):
            tell(.failed(job, staging.stageOut(failure, of: owners[job]?.staged)))
        case .job(.retrying(let job, let reason)):
            tell(.retrying(job, reason: staging.stageOut(reason, of: owners[job]?.staged)))
        case .advanced(let job): if let index = owners[job]?.slot { slots[index].advanced(job) }
        case .unclaimed(let job): if let index = owners[job]?.slot { slots[index].unclaimed(job, at: now) }
        case .made(let job, let result, let delivery): made(job, result, delivery)
        case .delivered(let job, let failure): delivered(job, failure)
        case .starved(let job, let failure):
            // The slot must hear of the failure before the cancellation.
            tell(.failed(job, staging.stageOut(failure, of: owners[job]?.staged)))
            queue?.client.cancel([job])
        case .job(let event), .finished(let event): tell(event)
        case .warning(let job, let text):
            guard let index = owners[job]?.slot else { return }
            perform(slots[index].warned(staging.stageOut(text, of: owners[job]?.staged), on: job), index)
        case .drain:
            guard drainEnd == nil else { return }
            drainEnd = now + configuration.drainLimit
            let running = slots.count { $0.run != nil }
            log.notice(
                "leaving: \(running) jobs have \(configuration.drainLimit) to finish; a second signal exits at once")
            for index in slots.indices { slots[index].drain() }
        }
    }

    /// Passes an event of a job to its slot.
    private func tell(_ event: JobEvent) {
        guard let owner = owners[event.job] else { return }
        if event.isEnd { forget(event.job) }
        perform(slots[owner.slot].heard(event, at: now), owner.slot)
    }

    private func leave() {
        guard let drainEnd else { return }
        if slots.allSatisfy(\.hasLeft) { return end = end ?? .drained }
        doneSince = slots.allSatisfy { $0.run == nil && $0.owed.isEmpty } ? doneSince ?? now : nil
        // A reachable server would have acknowledged the repeated results by now. They stay in the
        // spool for the next process.
        if let doneSince, now >= doneSince + Self.lastMoment { return end = end ?? .drained }
        guard now >= drainEnd else { return }
        if !hasGivenBack {
            hasGivenBack = true
            for index in slots.indices { perform(slots[index].handBack(), index) }
        } else if now >= drainEnd + Self.lastMoment {
            // Results that were not acknowledged stay in the spool.
            end = end ?? .drained
        }
    }

    // MARK: Actions of the slots

    func perform(_ actions: [Slot.Action], _ index: Int) {
        for action in actions {
            switch action {
            case .send(let message): lines[index].send(message, at: now)
            case .submit(let job): submit(job, index)
            case .cancel(let job):
                owners[job]?.isCancelled = true
                owners[job]?.client?.cancel()
                queue?.client.cancel([job])
            case .deliver(let job, let completion): deliver(job, completion, index)
            case .keep(let completion):
                keeper.async { [spool, log] in
                    if let reason = spool.keep(completion, of: index + 1) {
                        log.warning("the result of \(completion.lease.job) cannot be kept on disk: \(reason)")
                    }
                }
            case .forget(let lease): keeper.async { [spool] in spool.forget(lease, of: index + 1) }
            case .adopt(let terms): adopt(terms)
            case .refused(let reason): end = end ?? .refused(reason: reason)
            case .log(let text): log.error("\(text)")
            }
        }
    }

    private func staged(_ job: JobID, _ result: Result<StagedJob, JobFailure>) {
        guard let owner = owners[job] else { return }
        owners[job]?.isComing = false
        owners[job]?.staged = try? result.get()
        if owner.isCancelled { return tell(.cancelled(job)) }
        do throws(QueueError) {
            switch result {
            case .success(let staged):
                guard let queue else { throw .closed }
                try queue.client.submit([staged.spec])
            case .failure(let failure): tell(.failed(job, failure))
            }
        } catch {
            inbox.put(.finished(.failed(job, error.failure ?? JobFailure(.unavailable, error.message))))
        }
    }

    /// Adopts the server's terms. If they differ from the previous server's, which is gone, the
    /// running jobs are outdated, too.
    private func adopt(_ terms: WorkerTerms) {
        content?.adopt(terms)
        // Another content address does not affect running jobs.
        var terms = terms
        terms.contentPort = nil
        if let queue {
            if queue.terms == terms { return }
            queue.queue.stop()
        }
        queue = nil
        var settings = JobQueue.Configuration(
            workers: configuration.slots, workerPath: configuration.workerPath, engine: configuration.engine)
        let map = PathMap(theirs: PathRoots(told: terms.roots), ours: configuration.roots)
        staging = Staging(map: map, content: content?.staging)
        settings.writable = content.map { [$0.staging.made] } ?? terms.writable.compactMap(map.writable)
        if let content { settings.extraArguments = WorkerLaunch.contentArguments(content.staging.fetch.store.folder) }
        settings.isParanoid = terms.isParanoid
        // The server counts faults, and tries another node.
        settings.faultsPerJob = 1
        if terms.stallSeconds > 0 { settings.stallTimeout = .seconds(terms.stallSeconds) }
        settings.explainsFault = configuration.explainsFault
        settings.onWarning = { [inbox] job, text in inbox.put(.warning(job, text)) }
        settings.logger = log
        do throws(QueueError) {
            let new = try JobQueue(configuration: settings)
            let client = new.client()
            queue = (new, client, terms)
            guard
                SystemThread.start(
                    name: "agent-events",
                    { [inbox] in
                        while let event = client.nextBlocking() { inbox.put(.job(event)) }
                    })
            else { throw QueueError(.unavailable, "The system gives no more threads.") }
        } catch {
            queue = nil
            log.error("No job can be run here: \(error.message)")
        }
    }
}
