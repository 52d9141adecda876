/// A worker as people see it: a process of this machine, or a slot of a node.
package struct WorkerStatus: Hashable, Sendable, Codable {
    package enum State: String, Hashable, Sendable, Codable {
        case starting, idle, working
        /// It was told to leave.
        case leaving
        /// It was there.
        case lost
    }

    package var name: String
    /// nil for a worker of this machine.
    package var node: String?
    package var state: State
    /// What it does, and for how many seconds.
    package var job: String?
    package var jobSeconds: Double?
    /// Of the job's lease.
    package var epoch: UInt64?
    /// Seconds since it came, or since it was lost.
    package var seconds: Double
    /// It gets no new jobs.
    package var isDraining: Bool
    /// Why it was lost: half a sentence.
    package var reason: String?
    package var tags: [String]
    package var cores: Int
    /// Bytes.
    package var memory: Int64
}

extension JobQueue {
    /// Gives a node no new jobs, or gives it some again.
    package func drain(_ node: String, _ isDraining: Bool) { _ = mailbox.post(.drain(node, isDraining)) }

    /// Names the lost workers of a node no more.
    package func forget(_ node: String) { _ = mailbox.post(.forget(node)) }
}
