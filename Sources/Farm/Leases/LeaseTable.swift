import FoundationEssentials
import Messaging
import OrderedCollections

/// The jobs that have not ended, their leases, and what counts against them. It knows workers only
/// by name.
///
/// ```
///              submit              lease              completed, failed for good, cancelled
///   (nothing) ───────▶ waiting ──────────────▶ leased ────────────────────────────────────▶ (ended)
///                       ▲   ▲                   │ │                                           ▲
///                resume │   └──── released ─────┘ │ cancel                                    │
///                       │            │            ▼                                           │
///                     paused ◀───────┘        cancelling ─────────────────────────────────────┘
/// ```
///
/// Invariants:
/// - A job has at most one lease. It gets the next one only after its holder is known to have
///   ended, has given it back or, on another machine, was lost. So two runs of local workers never
///   both write, and the files of a lost remote run have names of their own. Only a job that may
///   run twice has a second lease, for its backup run while it is late (``addBackup(_:to:)``): the
///   first result ends both runs, and a failure ends its own run.
/// - A result is accepted if its lease is a current one of the job's and comes from its holder
///   (compare and set), answered again without effect if it was accepted before, and dropped
///   otherwise.
/// - Lost infrastructure never counts against a job, up to a limit that ends an endless loop; a
///   fault, an internal error and a transient error do.
/// - Every change of a job is a ``JobTransition``, made by ``apply(_:)`` and nowhere else. Each
///   method decides, applies, and returns what it has applied.
struct LeaseTable {
    /// The limits of retries, each at least 1.
    struct Policy: Sendable {
        /// The number of crashes and stalls, each of another worker process, after which a job
        /// fails.
        var faultsPerJob = 3
        /// The number of internal and transient errors after which a job fails.
        var retriableFailuresPerJob = 2
        /// The pause after a transient error, in which a busy resource can become free.
        var transientPause: Duration = .seconds(1)
        /// The number of workers lost under a job after which it is given up.
        var lossesPerJob = 20
    }

    let policy: Policy
    private(set) var jobs: [JobID: QueuedJob] = [:]
    private(set) var lastEpoch: UInt64
    private var lastOrder: UInt64 = 0
    /// The jobs in the phase `waiting`, in the order in which they go.
    private(set) var waiting = WaitingJobs()
    /// The jobs in the phase `paused`, in the order in which they entered it.
    private var paused = OrderedSet<JobID>()
    /// The leases that recently ended with a result, to tell a repeated result from an outdated
    /// one. A table that was rebuilt from transitions has none, and takes a repeated result for an
    /// outdated one. The worker drops the result in either case.
    private var settled = OrderedSet<Lease>()

    /// Makes an empty table.
    /// - Parameter lastEpoch: the highest epoch that was ever used; leases continue above it.
    init(policy: Policy = Policy(), lastEpoch: UInt64 = 0) {
        self.policy = policy
        self.lastEpoch = lastEpoch
    }

    var isEmpty: Bool { jobs.isEmpty }
    var hasPaused: Bool { !paused.isEmpty }
    var pausedCount: Int { paused.count }

    /// Returns the job that a worker runs under a lease; nil if the lease is not the job's current
    /// one, or not the worker's.
    func job(under lease: Lease, of worker: WorkerID) -> QueuedJob? {
        guard let job = jobs[lease.job], job.runs.contains(QueuedJob.Run(lease: lease, worker: worker)) else {
            return nil
        }
        return job
    }

    /// Returns the time since when a lease's job is being cancelled; nil if it is not.
    func cancelled(_ lease: Lease) -> Duration? {
        if case .cancelling(lease, _, let since) = jobs[lease.job]?.phase { since } else { nil }
    }

    // MARK: Submitting, leasing, cancelling

    /// Adds a job.
    /// - Returns: nil if a job has that name, which stays as it is.
    mutating func submit(_ spec: JobSpec) -> JobTransition? {
        guard jobs[spec.id] == nil else { return nil }
        if let problem = spec.problem { return .failed(spec.id, JobFailure(.internal, problem)) }
        return applied(.submitted(spec, order: lastOrder + 1))
    }

    /// Leases a job to a worker.
    /// - Returns: nil unless the job waits.
    mutating func lease(
        _ id: JobID, to worker: WorkerID
    ) -> (lease: Lease, spec: JobSpec, transition: JobTransition)? {
        guard let job = jobs[id], job.phase == .waiting else { return nil }
        let spec = job.spec
        let lease = Lease(job: id, epoch: lastEpoch + 1)
        return (lease, spec, applied(.leased(lease, to: worker)))
    }

    /// The most backup runs of a job: a backup may fail, too.
    static let mostBackups = 2

    /// Leases a late job to another worker as well, for a backup run.
    /// - Returns: nil if it must not run twice, or has a backup already.
    mutating func addBackup(
        _ id: JobID, to worker: WorkerID
    ) -> (lease: Lease, spec: JobSpec, transition: JobTransition)? {
        guard let job = jobs[id], case .leased(_, let holder) = job.phase, holder != worker, job.backup == nil,
            job.spec.mayRunTwice, job.backups < Self.mostBackups
        else { return nil }
        let lease = Lease(job: id, epoch: lastEpoch + 1)
        return (lease, job.spec, applied(.backupAdded(lease, to: worker)))
    }

    /// Ends the backup run of a job, without waiting for its worker.
    mutating func dropBackup(_ id: JobID) -> JobTransition? {
        guard let backup = jobs[id]?.backup else { return nil }
        return applied(
            .runDropped(
                backup.lease, JobTransition.Release(cause: .withdrawn, reason: "it is not needed", evidence: [])))
    }

    /// Assigns a waiting job to a worker that has been running it since before this table, under
    /// its old lease. Such epochs lie below all of this table's, so no other worker has it.
    mutating func adopt(_ lease: Lease, of worker: WorkerID) -> JobTransition? {
        guard jobs[lease.job]?.phase == .waiting, lease.epoch <= lastEpoch else { return nil }
        return applied(.leased(lease, to: worker))
    }

    /// Cancels a job.
    /// - Returns: `.cancelled` for a job without a holder, `.cancelling` for one whose holder must
    ///   be told; nil if there is nothing to cancel, or it was cancelled before.
    mutating func cancel(_ id: JobID, at now: Duration) -> JobTransition? {
        switch jobs[id]?.phase {
        case .waiting, .paused: applied(.cancelled(id))
        case .leased: applied(.cancelling(id, since: now))
        case .cancelling, nil: nil
        }
    }

    /// Returns jobs whose pause is over to the waiting ones.
    mutating func resume(at now: Duration) -> [JobTransition] {
        guard hasPaused else { return [] }
        return paused.filter { if case .paused(let until) = jobs[$0]?.phase { until <= now } else { false } }
            .map { applied(.resumed($0)) }
    }

    /// Fails every job that waits for a local worker.
    /// - Parameter tags: the tags of local workers.
    mutating func failWaiting(for tags: Set<String> = [], _ failure: JobFailure) -> [JobTransition] {
        waiting.ids(for: tags).map { applied(.failed($0, failure)) }
    }

    // MARK: Transitions

    func settledBefore(_ lease: Lease) -> Bool { settled.contains(lease) }

    mutating func remember(_ lease: Lease) {
        settled.append(lease)
        // Removing them one by one would move the rest each time.
        if settled.count > 8192 { settled.removeFirst(4096) }
    }

    mutating func applied(_ transition: JobTransition) -> JobTransition {
        apply(transition)
        return transition
    }

    /// Applies a transition that was decided here, or by the table that is being rebuilt. One that
    /// does not fit the job's phase changes nothing.
    mutating func apply(_ transition: JobTransition) {
        let id = transition.job
        // An index into the dictionary avoids repeated lookups.
        let index = jobs.index(forKey: id)
        switch (transition, index.map { jobs.values[$0].phase }) {
        case (.submitted(let spec, let order), nil):
            lastOrder = max(lastOrder, order)
            jobs[id] = QueuedJob(spec, order: order)
            waiting.insert(spec, order: order)
        case (.leased(let lease, let worker), .waiting):
            lastEpoch = max(lastEpoch, lease.epoch)
            move(index, to: .leased(lease, to: worker))
        case (.backupAdded(let lease, let worker), .leased):
            guard let index, jobs.values[index].backup == nil else { return }
            lastEpoch = max(lastEpoch, lease.epoch)
            jobs.values[index].backup = QueuedJob.Run(lease: lease, worker: worker)
            jobs.values[index].backups += 1
        case (.runDropped(let lease, let release), .leased(let first, _)):
            guard let index, let backup = jobs.values[index].backup else { return }
            guard lease == first || lease == backup.lease else { return }
            if lease == first { jobs.values[index].phase = .leased(backup.lease, to: backup.worker) }
            jobs.values[index].backup = nil
            jobs.values[index].note(release)
        case (.cancelling(_, let since), .leased(let lease, let worker)):
            move(index, to: .cancelling(lease, of: worker, since: since))
        case (.released(_, let release), .leased):
            if let index { jobs.values[index].note(release) }
            move(index, to: release.pausedUntil.map { .paused(until: $0) } ?? .waiting)
        case (.resumed, .paused): move(index, to: .waiting)
        case (.completed, .leased), (.completed, .cancelling), (.failed, .waiting), (.failed, .leased),
            (.cancelled, .waiting), (.cancelled, .paused), (.cancelled, .cancelling):
            move(index, to: nil)
        default: break
        }
    }

    /// Moves a job to a phase.
    /// - Parameter phase: nil for the job's end.
    private mutating func move(_ index: Dictionary<JobID, QueuedJob>.Index?, to phase: QueuedJob.Phase?) {
        guard let index else { return }
        let id = jobs[index].key
        switch jobs.values[index].phase {
        case .waiting:
            let isGiven = if case .leased = phase { true } else { false }
            waiting.remove(id, isGiven: isGiven)
        case .paused: paused.remove(id)
        case .leased, .cancelling: break
        }
        switch phase {
        case .waiting:
            let job = jobs.values[index]
            waiting.insert(job.spec, order: job.order, avoiding: job.avoided, declinedBy: job.declinedBy)
        case .paused: paused.append(id)
        case .leased, .cancelling, nil: break
        }
        if let phase { jobs.values[index].phase = phase } else { jobs.remove(at: index) }
    }
}
