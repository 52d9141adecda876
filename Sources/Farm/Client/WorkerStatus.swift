/// A worker for display: a process of this machine, or a slot of a node.
package struct WorkerStatus: Hashable, Sendable, Codable {
    package enum State: String, Hashable, Sendable, Codable {
        case starting, idle, working
        /// It was told to leave.
        case leaving
        /// It was lost.
        case lost
    }

    package var name: String
    /// The node's name; nil for a worker of this machine.
    package var node: String?
    package var state: State
    /// The job that it runs, and for how many seconds.
    package var job: String?
    package var jobSeconds: Double?
    /// The epoch of the job's lease.
    package var epoch: UInt64?
    /// The seconds since it came, or since it was lost.
    package var seconds: Double
    /// Whether it gets no new jobs.
    package var isDraining: Bool
    /// The reason why it was lost, as half a sentence.
    package var reason: String?
    package var tags: [String]
    package var cores: Int
    /// The machine's memory in bytes.
    package var memory: Int64
}

extension JobQueue {
    /// Stops giving a node new jobs, or resumes.
    package func drain(_ node: String, _ isDraining: Bool) { _ = mailbox.post(.drain(node, isDraining)) }

    /// Removes the lost workers of a node from the status.
    package func forget(_ node: String) { _ = mailbox.post(.forget(node)) }
}
