import Messaging
import Testing

@testable import Farm

/// The jobs as rebuilt from the broker's transitions alone, by independently written rules. It also
/// checks which transition may follow which.
struct JobLedger {
    private(set) var jobs: [JobID: QueuedJob] = [:]
    private(set) var lastEpoch: UInt64 = 0
    private var lastOrder: UInt64 = 0
    /// Printed with failures.
    let seed: String

    init(seed: String) { self.seed = seed }

    /// Returns the first difference to a table's jobs; nil if there is none.
    func difference(to table: LeaseTable) -> String? {
        guard jobs != table.jobs else { return nil }
        let id = Set(jobs.keys).union(table.jobs.keys).sorted { $0.name < $1.name }.first { jobs[$0] != table.jobs[$0] }
        return id.map {
            "\($0): \(jobs[$0].map { "\($0)" } ?? "nothing") / \(table.jobs[$0].map { "\($0)" } ?? "nothing")"
        }
    }

    mutating func take(_ transition: JobTransition, at now: Duration) {
        let id = transition.job
        let before = jobs[id]
        switch (transition, before?.phase) {
        case (.submitted(let spec, let order), nil):
            #expect(order > lastOrder, "seed \(seed): \(id) has an order that was given out before")
            lastOrder = order
            jobs[id] = QueuedJob(spec, order: order)
        case (.leased(let lease, let worker), .waiting):
            #expect(lease.epoch > lastEpoch, "seed \(seed): \(lease) is not newer than all leases before it")
            lastEpoch = lease.epoch
            jobs[id]?.phase = .leased(lease, to: worker)
        case (.backupAdded(let lease, let worker), .leased(_, let holder)):
            #expect(lease.epoch > lastEpoch, "seed \(seed): \(lease) is not newer than all leases before it")
            #expect(
                worker != holder && before?.backup == nil && before?.spec.mayRunTwice == true, "seed \(seed): \(id)")
            lastEpoch = lease.epoch
            jobs[id]?.backup = QueuedJob.Run(lease: lease, worker: worker)
            jobs[id]?.backups += 1
        case (.runDropped(let lease, let release), .leased(let first, _)):
            guard let backup = before?.backup, lease == first || lease == backup.lease else {
                Issue.record("seed \(seed): \(lease) is no run of \(id)")
                return
            }
            if lease == first { jobs[id]?.phase = .leased(backup.lease, to: backup.worker) }
            jobs[id]?.backup = nil
            note(release, id, before)
        case (.cancelling(_, let since), .leased(let lease, let worker)):
            jobs[id]?.phase = .cancelling(lease, of: worker, since: since)
        case (.released(_, let release), .leased):
            #expect(before?.backup == nil, "seed \(seed): \(id) still runs")
            note(release, id, before)
            jobs[id]?.phase = release.pausedUntil.map { .paused(until: $0) } ?? .waiting
        case (.resumed, .paused(let until)):
            #expect(until <= now, "seed \(seed): \(id) went on before its pause was over")
            jobs[id]?.phase = .waiting
        case (.completed, .leased), (.completed, .cancelling), (.failed, .leased), (.failed, .waiting),
            (.cancelled, .waiting), (.cancelled, .paused), (.cancelled, .cancelling):
            jobs[id] = nil
        case (.failed, nil), (.cancelled, nil): break  // It was never taken in.
        default:
            Issue.record("seed \(seed): \(transition) of a job that is \(before.map { "\($0.phase)" } ?? "not there")")
        }
    }

    private mutating func note(_ release: JobTransition.Release, _ id: JobID, _ before: QueuedJob?) {
        switch release.cause {
        case .loss: jobs[id]?.losses += 1
        case .fault:
            jobs[id]?.faults += 1
            if let node = release.node { jobs[id]?.avoided.insert(node) }
        case .retriableFailure: jobs[id]?.retriableFailures += 1
        case .declined(let session): jobs[id]?.declinedBy.insert(session)
        case .withdrawn: break
        }
        jobs[id]?.evidence = Array(((before?.evidence ?? []) + release.evidence).suffix(24))
    }
}
