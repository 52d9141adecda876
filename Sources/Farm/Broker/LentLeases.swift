import Messaging

/// A lease that a queue gave to a worker from elsewhere, as it is written down for the queue that comes after it.
package struct LentLease: Hashable, Sendable {
    package var lease: Lease
    package var worker: WorkerID

    package init(_ lease: Lease, of worker: WorkerID) { (self.lease, self.worker) = (lease, worker) }
}

/// The leases of a queue before this one that may hold still: its host was killed, and what it gave to nodes goes on there, or waits to be told.
///
/// Two things are needed for one to end well here, in any order: its worker comes and says that it has it, and its job is submitted, under the
/// name that it had. Until then its result is not answered, so that it is said again. Meanwhile the worker may be given other jobs: what renders
/// ask before they submit parts is done by workers, too.
struct LentLeases: Equatable {
    /// The leases whose job has not come.
    private(set) var unclaimed: [JobID: LentLease] = [:]
    /// The leases whose worker is not there.
    private(set) var awaited: Set<LentLease> = []
    /// The leases whose worker is there, and has them.
    private(set) var present: Set<LentLease> = []

    init(_ leases: [LentLease] = []) {
        for lease in leases where lease.worker.isRemote { unclaimed[lease.lease.job] = lease }
        awaited = Set(unclaimed.values)
    }

    var isEmpty: Bool { unclaimed.isEmpty && awaited.isEmpty }

    /// Whether a worker says something under a lease of before that holds.
    func holds(_ lease: Lease, of worker: WorkerID) -> Bool { present.contains(LentLease(lease, of: worker)) }

    func isUnclaimed(_ lease: Lease) -> Bool { unclaimed[lease.job]?.lease == lease }

    /// The job of one has come.
    /// - Returns: nil where there is none, or its worker has lost it.
    mutating func claim(_ job: JobID) -> LentLease? {
        guard let lease = unclaimed.removeValue(forKey: job), awaited.contains(lease) || present.contains(lease) else {
            return nil
        }
        return lease
    }

    /// A worker has come.
    /// - Returns: what was awaited of it and it does not have.
    mutating func come(_ worker: WorkerID, with leases: [Lease]) -> [LentLease] {
        let found = awaited.filter { $0.worker == worker }
        awaited.subtract(found)
        present.formUnion(found.filter { leases.contains($0.lease) })
        return found.filter { !leases.contains($0.lease) }
    }

    /// A worker is gone, and perhaps comes again.
    mutating func leave(_ worker: WorkerID) {
        let found = present.filter { $0.worker == worker }
        present.subtract(found)
        awaited.formUnion(found)
    }

    mutating func drop(_ lease: LentLease) {
        awaited.remove(lease)
        present.remove(lease)
        if unclaimed[lease.lease.job] == lease { unclaimed[lease.lease.job] = nil }
    }
}

extension Broker {
    /// Nodes have come again by then, and renders have submitted their jobs.
    private static let claimTime = Duration.seconds(120)

    /// A job has been submitted that a worker may have already.
    mutating func adopt(_ job: JobID) {
        guard let lent = lent.claim(job), let transition = leases.adopt(lent.lease, of: lent.worker) else { return }
        record(transition)
        log(.info, "worker \(lent.worker) has it since before", worker: lent.worker, job: job)
    }

    /// A worker has come, and says what it has.
    mutating func takeBack(_ id: WorkerID, _ has: [Lease]) {
        for lent in lent.come(id, with: has) { disown(lent, "has come again without it") }
    }

    /// Ends a lease of before whose job was cancelled; whatever its worker says of it later is outdated.
    mutating func disown(_ lease: Lease, of worker: WorkerID) {
        let lent = LentLease(lease, of: worker)
        if self.lent.awaited.contains(lent) || self.lent.present.contains(lent) { disown(lent, "is not needed") }
    }

    private mutating func disown(_ lent: LentLease, _ reason: String) {
        self.lent.drop(lent)
        let text = "worker \(lent.worker) \(reason)"
        let loss = LeaseTable.Loss.lost(reason: text, evidence: [text])
        guard let transition = leases.lose(lent.lease, of: lent.worker, loss) else { return }
        counters.losses += 1
        record(transition)
    }

    /// Gives up what nobody has come for.
    mutating func expireLent() {
        guard !lent.isEmpty, now > pool.policy.leaseTimeout else { return }
        for lent in lent.awaited.sorted(by: { $0.lease.epoch < $1.lease.epoch }) {
            disown(lent, "has not come since the server was started anew")
        }
        guard now > Self.claimTime else { return }
        // What is said under them is answered as outdated from now on.
        for lease in lent.unclaimed.values { lent.drop(lease) }
    }
}
