import Messaging

/// The state of a job in the queue, until it has ended.
struct QueuedJob: Equatable {
    /// The phase of the job. In two of the phases it has a lease.
    enum Phase: Equatable {
        /// It waits for a worker.
        case waiting
        /// It waits for a time, and then for a worker.
        case paused(until: Duration)
        case leased(Lease, to: WorkerID)
        /// It was cancelled while it ran, and ends when its holder has stopped.
        case cancelling(Lease, of: WorkerID, since: Duration)
    }

    var spec: JobSpec
    /// Its place among jobs of equal priority, kept when it comes back.
    var order: UInt64
    var phase = Phase.waiting
    /// The backup run, if the job is late; only while it is leased.
    var backup: Run?
    /// The number of backup runs so far.
    var backups = 0
    /// The number of crashes and stalls that it has caused.
    var faults = 0
    /// The nodes on which it has caused them.
    var avoided: Set<String> = []
    /// The sessions of the remote workers that have declined it; bounded.
    var declinedBy: Set<String> = []
    /// The number of workers that were lost while they ran it.
    var losses = 0
    /// The number of errors after which it was retried.
    var retriableFailures = 0
    /// The evidence of the runs without a result, oldest first; bounded.
    var evidence: [String] = []

    /// A run: the right of a worker to run the job.
    struct Run: Hashable {
        var lease: Lease
        var worker: WorkerID
    }

    private static let mostEvidence = 24
    private static let mostDeclining = 256

    init(_ spec: JobSpec, order: UInt64) {
        self.spec = spec
        self.order = order
    }

    /// The current lease and its worker; nil if it has none.
    var holder: (lease: Lease, worker: WorkerID)? {
        switch phase {
        case .waiting, .paused: nil
        case .leased(let lease, let worker), .cancelling(let lease, let worker, _): (lease, worker)
        }
    }

    /// All current runs.
    var runs: [Run] { (holder.map { [Run(lease: $0.lease, worker: $0.worker)] } ?? []) + (backup.map { [$0] } ?? []) }

    /// Whether it was cancelled and its holder has not stopped yet.
    var isCancelling: Bool { if case .cancelling = phase { true } else { false } }

    /// Notes why a run ended without a result.
    mutating func note(_ release: JobTransition.Release) {
        switch release.cause {
        case .loss: losses += 1
        case .fault:
            faults += 1
            if let node = release.node { avoided.insert(node) }
        case .retriableFailure: retriableFailures += 1
        case .declined(let session):
            // Sessions of long ago do not come back.
            if declinedBy.count >= Self.mostDeclining { declinedBy = [] }
            declinedBy.insert(session)
        case .withdrawn: break
        }
        evidence = evidence(with: release.evidence)
    }

    /// Returns the evidence with more of it, without the oldest if it is too much.
    func evidence(with more: [String]) -> [String] { (evidence + more).suffix(Self.mostEvidence) }
}
