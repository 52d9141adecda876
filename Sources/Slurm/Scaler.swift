/// Decides how many nodes a farm has on a cluster, and which nodes are released. A value: it takes
/// the answers of the server and of the cluster in rounds, and returns actions. It does no I/O and
/// has no clock.
///
/// Invariants, as far as the cluster reports its nodes:
/// - At most ``Policy/most`` nodes exist, including those that are leaving and those that are not
///   connected.
/// - Nodes are submitted only in a round in which the cluster has answered, so each is in the next
///   answer.
/// - A node is released only if it is lost, or if there were too many nodes for all of
///   ``Policy/coolDown``.
/// - A missing answer changes nothing by itself. A server that is away for ``Policy/abandonAfter``
///   needs no nodes.
///
/// The state can be rebuilt: a new instance takes over the nodes of an ended one from the cluster's
/// list.
public struct Scaler: Sendable {
    public struct Policy: Hashable, Sendable {
        /// The number of nodes that are kept without work.
        public var least: Int
        public var most: Int
        /// The slots of a node, until one has reported its number.
        public var slotsPerNode: Int
        /// The time that surplus nodes stay.
        public var coolDown: Duration
        /// The time after which a running node that is not connected counts as lost.
        public var patience: Duration = .seconds(120)
        /// The time after which a leaving node is killed.
        public var leaveLimit: Duration = .seconds(180)
        /// The time after which a server that does not answer counts as having no work.
        public var abandonAfter: Duration = .seconds(600)
        /// The remaining time below which a node is replaced ahead; at most a fifth of its whole
        /// time.
        public var lastMoments: Duration = .seconds(90)
        /// The first pause after nodes could not be submitted or were of no use; each further one
        /// doubles …
        public var firstPause: Duration = .seconds(5)
        /// … up to this one.
        public var longestPause: Duration = .seconds(300)

        public init(least: Int, most: Int, slotsPerNode: Int = 1, coolDown: Duration) {
            (self.least, self.most) = (max(0, min(least, most)), max(0, most))
            (self.slotsPerNode, self.coolDown) = (max(1, slotsPerNode), coolDown)
        }
    }

    public enum Action: Hashable, Sendable {
        /// Submit a node; answer with ``submitted(_:as:at:)`` or ``notSubmitted(_:at:)`` before the
        /// next round.
        case submit(number: Int)
        /// Withdraw a job that has not started.
        case withdraw(Int64)
        /// Tell a node to finish its jobs and leave.
        case drain(Int64)
        case kill(Int64)
        /// Forget a node that the cluster does not have any more; anything of it that still runs is
        /// rejected.
        case forget(number: Int)
    }

    struct Node: Hashable {
        enum Leaving: Int, Hashable { case withdrawn, drained, killed }

        var job: ClusterJob
        /// The time at which it was first seen running.
        var runsSince: Duration?
        /// The time at which the server last reported it.
        var heardAt: Duration?
        /// The number of jobs that it is running.
        var busy = 0
        var leaving: Leaving?
        var leavingSince: Duration?
    }

    public let policy: Policy
    var nodes: [Int: Node] = [:]
    private(set) var lastNumber: Int
    /// The time since when the server has answered without a gap; nil if it does not answer.
    var answersSince: Duration?
    /// The time of the server's last answer, or of the start.
    var answeredAt: Duration?
    /// The number of nodes that the work suffices for.
    var target: Int
    var slots: Int
    /// The time since when there have been too many nodes, and the most that were needed since.
    var surplus: (since: Duration, needed: Int)?
    /// The number of consecutive nodes that could not be submitted or never connected.
    var failures = 0
    var nextSubmission: Duration?

    /// Starts without nodes.
    /// - Parameter lastNumber: the highest number that a node ever had.
    public init(_ policy: Policy, lastNumber: Int = 0) {
        (self.policy, self.lastNumber) = (policy, max(0, lastNumber))
        (target, slots) = (policy.least, policy.slotsPerNode)
    }

    /// The numbers of nodes, for display.
    public struct Count: Hashable, Sendable {
        public var pending = 0
        public var running = 0
        public var leaving = 0
        public var wanted = 0
    }

    public var count: Count {
        var count = Count(wanted: target)
        for node in nodes.values {
            if node.leaving != nil || node.job.state == .ending {
                count.leaving += 1
            } else if node.job.state == .pending {
                count.pending += 1
            } else {
                count.running += 1
            }
        }
        return count
    }

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Results of submissions

    public mutating func submitted(_ number: Int, as job: Int64, at now: Duration) {
        nodes[number] = Node(job: ClusterJob(id: job, number: number, state: .pending))
    }

    /// Notes a failed submission. The node may exist all the same; then the cluster lists it.
    public mutating func notSubmitted(_ number: Int, at now: Duration) { fail(at: now) }

    mutating func fail(at now: Duration) {
        // Nodes of one submission fail together.
        if let nextSubmission, now < nextSubmission { return }
        failures += 1
        let pause = policy.firstPause * (1 << min(failures - 1, 16))
        nextSubmission = now + min(pause, policy.longestPause)
    }

    mutating func adopt(_ job: ClusterJob) {
        lastNumber = max(lastNumber, job.number)
        nodes[job.number] = Node(job: job)
    }
}
