import FoundationEssentials
import Messaging

/// The files that a job reads and writes, by the server's paths.
package struct JobReach: Hashable, Sendable {
    package var reads: Set<String>
    /// The outputs, each the beginning of a file's name (``Messaging/JobContext/runName``).
    package var writes: Set<String>

    package init(reads: Set<String>, writes: Set<String>) { (self.reads, self.writes) = (reads, writes) }
}

/// The current leases of all nodes. A node may request only the files of its leases' jobs. The
/// queue's thread updates it, and other threads read it.
final class ContentLedger: Sendable {
    /// A lease of a node.
    final class Grant: Sendable {
        let lease: Lease
        let node: String
        private let kind: String
        private let payload: Data
        private let reach = Locked<JobReach??>(nil)
        /// The runs that have offered outputs, and the outputs that are here.
        let deliveries = Locked<(runs: Set<String>, kept: [String: String])>(([], [:]))

        fileprivate init(_ lease: Lease, _ node: String, _ spec: JobSpec) {
            (self.lease, self.node, kind, payload) = (lease, node, spec.kind, spec.payload)
        }

        /// Returns the files that its job may reach; nil if they cannot be determined. Decodes the
        /// job the first time: not for the queue's thread.
        func reach(_ find: (String, Data) -> JobReach?) -> JobReach? {
            if let known = reach.withLock({ $0 }) { return known }
            let found = find(kind, payload)
            reach.withLock { $0 = .some(found) }
            return found
        }
    }

    /// The grants of each job, one for each run on a node; a job with a backup run has two.
    private let grants = Locked<[JobID: [Grant]]>([:])

    /// Takes in a change of a job.
    /// - Parameter spec: returns the job.
    func note(_ transition: JobTransition, _ spec: (JobID) -> JobSpec?) {
        switch transition {
        case .leased(let lease, let worker), .backupAdded(let lease, let worker):
            guard let node = worker.node, let spec = spec(lease.job) else { return }
            grants.withLock { $0[lease.job, default: []].append(Grant(lease, node, spec)) }
        case .runDropped(let lease, _):
            grants.withLock { $0[lease.job]?.removeAll { $0.lease == lease } }
        case .released, .completed, .failed, .cancelled, .cancelling:
            grants.withLock { grants in if grants[transition.job] != nil { grants[transition.job] = nil } }
        case .submitted, .resumed: break
        }
    }

    /// Returns a lease's grant.
    /// - Returns: nil if the node does not hold this lease.
    func grant(_ lease: Lease, of node: String) -> Grant? {
        grants.withLock { $0[lease.job] }?.first { $0.lease == lease && $0.node == node }
    }
}
