import Messaging

/// A lease that a queue gave to a remote worker, as it is recorded for the queue's successor.
package struct LentLease: Hashable, Sendable {
    package var lease: Lease
    package var worker: WorkerID

    package init(_ lease: Lease, of worker: WorkerID) { (self.lease, self.worker) = (lease, worker) }
}

/// The leases of an earlier queue that may still be valid: its host was killed, and the nodes
/// continue, or have results to deliver.
///
/// A lease ends well here after two events, in any order: its worker comes back and reports it, and
/// its job is submitted under the same name. Until then its result is not answered, so the worker
/// repeats it. Meanwhile the worker may get other jobs, because renders need some before they
/// submit their parts.
struct LentLeases: Equatable {
    /// The leases whose job was not submitted yet.
    private(set) var unclaimed: [JobID: LentLease] = [:]
    /// The leases whose worker has not come back yet.
    private(set) var awaited: Set<LentLease> = []
    /// The leases whose worker has come back with them.
    private(set) var present: Set<LentLease> = []

    init(_ leases: [LentLease] = []) {
        for lease in leases where lease.worker.isRemote { unclaimed[lease.lease.job] = lease }
        awaited = Set(unclaimed.values)
    }

    var isEmpty: Bool { unclaimed.isEmpty && awaited.isEmpty }

    /// Returns whether a worker holds a valid lease of an earlier queue.
    func holds(_ lease: Lease, of worker: WorkerID) -> Bool { present.contains(LentLease(lease, of: worker)) }

    func isUnclaimed(_ lease: Lease) -> Bool { unclaimed[lease.job]?.lease == lease }

    /// Notes that a lease's job was submitted.
    /// - Returns: nil if there is no lease, or its worker has lost it.
    mutating func claim(_ job: JobID) -> LentLease? {
        guard let lease = unclaimed.removeValue(forKey: job), awaited.contains(lease) || present.contains(lease) else {
            return nil
        }
        return lease
    }

    /// Notes that a worker has come.
    /// - Returns: the awaited leases that it does not have.
    mutating func come(_ worker: WorkerID, with leases: [Lease]) -> [LentLease] {
        let found = awaited.filter { $0.worker == worker }
        awaited.subtract(found)
        present.formUnion(found.filter { leases.contains($0.lease) })
        return found.filter { !leases.contains($0.lease) }
    }

    /// Notes that a worker is gone, and may come back.
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
    /// The time after which nodes have come back, and renders have submitted their jobs.
    private static let claimTime = Duration.seconds(120)

    /// Notes that a job was submitted that a worker may already have.
    mutating func adopt(_ job: JobID) {
        guard let lent = lent.claim(job), let transition = leases.adopt(lent.lease, of: lent.worker) else { return }
        record(transition)
        log(.info, "worker \(lent.worker) already has it", worker: lent.worker, job: job)
    }

    /// Notes that a worker has come, with its leases.
    mutating func takeBack(_ id: WorkerID, _ has: [Lease]) {
        for lent in lent.come(id, with: has) { disown(lent, "has joined again without it") }
    }

    /// Ends a lease of an earlier queue whose job was cancelled; later reports on it are outdated.
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

    /// Gives up leases whose worker or job did not come.
    mutating func expireLent() {
        guard !lent.isEmpty, now > pool.policy.leaseTimeout else { return }
        for lent in lent.awaited.sorted(by: { $0.lease.epoch < $1.lease.epoch }) {
            disown(lent, "has not joined again since the server was restarted")
        }
        guard now > Self.claimTime else { return }
        // Reports under them count as outdated from now on.
        for lease in lent.unclaimed.values { lent.drop(lease) }
    }
}
