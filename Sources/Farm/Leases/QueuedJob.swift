import Messaging

/// A job that has not ended.
struct QueuedJob: Equatable {
    /// Where the job is. It has a lease in two of the phases and never more than one.
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
    /// Who runs it as well, as it is late; only while it is leased.
    var backup: Run?
    /// How often it was given out a second time.
    var backups = 0
    /// Crashes and stalls that it has caused.
    var faults = 0
    /// The nodes on which it has caused them.
    var avoided: Set<String> = []
    /// The workers from elsewhere that have declined it, by their sessions; bounded.
    var declinedBy: Set<String> = []
    /// Workers that were lost from under it.
    var losses = 0
    /// Errors after which it was tried again.
    var retriableFailures = 0
    /// What is known of the runs that came to nothing, oldest first; bounded.
    var evidence: [String] = []

    /// The right of a worker to run it.
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

    /// Who may run it, under which lease; nil where nobody may.
    var holder: (lease: Lease, worker: WorkerID)? {
        switch phase {
        case .waiting, .paused: nil
        case .leased(let lease, let worker), .cancelling(let lease, let worker, _): (lease, worker)
        }
    }

    /// Everybody who may run it.
    var runs: [Run] { (holder.map { [Run(lease: $0.lease, worker: $0.worker)] } ?? []) + (backup.map { [$0] } ?? []) }

    /// Whether it was cancelled and its holder has not stopped yet.
    var isCancelling: Bool { if case .cancelling = phase { true } else { false } }

    /// Takes in why a run was for nothing.
    mutating func note(_ release: JobTransition.Release) {
        switch release.cause {
        case .loss: losses += 1
        case .fault:
            faults += 1
            if let node = release.node { avoided.insert(node) }
        case .retriableFailure: retriableFailures += 1
        case .declined(let session):
            // Sessions of long ago are not met again.
            if declinedBy.count >= Self.mostDeclining { declinedBy = [] }
            declinedBy.insert(session)
        case .withdrawn: break
        }
        evidence = evidence(with: release.evidence)
    }

    /// The evidence with more of it, without the oldest where that is too much.
    func evidence(with more: [String]) -> [String] { (evidence + more).suffix(Self.mostEvidence) }
}
