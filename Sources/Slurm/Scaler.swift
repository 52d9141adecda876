/// How many nodes a farm is to have on a cluster, and which of them have to go. A value: it is told in rounds what the server and the cluster
/// say, and answers with what is to be done. It does no I/O and has no clock.
///
/// What holds at all times, as far as the cluster tells what is there:
/// - No more than ``Policy/most`` nodes are there, those that leave and those that nobody hears of included.
/// - Nodes are submitted in a round in which the cluster has answered, so that each of them is in the next answer.
/// - A node is let go only where there were too many for all of ``Policy/coolDown``, or it is lost.
/// - An answer that does not come changes nothing by itself. A server that is away for ``Policy/abandonAfter`` needs no nodes.
///
/// It keeps nothing that a new one could not find out: the nodes of one that has ended are taken over as the cluster lists them.
public struct Scaler: Sendable {
    public struct Policy: Hashable, Sendable {
        /// Nodes that are kept with nothing to do.
        public var least: Int
        public var most: Int
        /// Jobs that a node does at a time, as long as none has said it.
        public var slotsPerNode: Int
        /// Nodes that are too many stay for so long.
        public var coolDown: Duration
        /// A node that runs and is not connected for so long is lost.
        public var patience: Duration = .seconds(120)
        /// A node that was told to leave is killed after so long.
        public var leaveLimit: Duration = .seconds(180)
        /// A server that does not answer for so long has nothing to be done.
        public var abandonAfter: Duration = .seconds(600)
        /// A node with less time than this has its successor already; at most a fifth of its whole time.
        public var lastMoments: Duration = .seconds(90)
        /// The pause after nodes that could not be submitted or were of no use doubles from this one …
        public var firstPause: Duration = .seconds(5)
        /// … to this one.
        public var longestPause: Duration = .seconds(300)

        public init(least: Int, most: Int, slotsPerNode: Int = 1, coolDown: Duration) {
            (self.least, self.most) = (max(0, min(least, most)), max(0, most))
            (self.slotsPerNode, self.coolDown) = (max(1, slotsPerNode), coolDown)
        }
    }

    public enum Action: Hashable, Sendable {
        /// Submit a node; answered by ``submitted(_:as:at:)`` or ``notSubmitted(_:at:)`` before the next round.
        case submit(number: Int)
        /// Take a job back that has not begun.
        case withdraw(Int64)
        /// Tell a node to finish what it does, and leave.
        case drain(Int64)
        case kill(Int64)
        /// The cluster has a node no more. Whatever still runs of it is not to be heard.
        case forget(number: Int)
    }

    struct Node: Hashable {
        enum Leaving: Int, Hashable { case withdrawn, drained, killed }

        var job: ClusterJob
        /// When it began to run, as far as we have seen it.
        var runsSince: Duration?
        /// When the server last had it.
        var heardAt: Duration?
        /// Jobs that it does.
        var busy = 0
        var leaving: Leaving?
        var leavingSince: Duration?
    }

    public let policy: Policy
    var nodes: [Int: Node] = [:]
    private(set) var lastNumber: Int
    /// Since when the server answers, without a gap; nil where it does not.
    var answersSince: Duration?
    /// When the server answered last, or this began.
    var answeredAt: Duration?
    /// How many nodes the work is enough for.
    var target: Int
    var slots: Int
    /// Since when there are too many nodes, and how many were needed most since then.
    var surplus: (since: Duration, needed: Int)?
    /// Nodes in a row that could not be submitted or never came to the server.
    var failures = 0
    var nextSubmission: Duration?

    /// - Parameter lastNumber: the highest that a node ever had.
    public init(_ policy: Policy, lastNumber: Int = 0) {
        (self.policy, self.lastNumber) = (policy, max(0, lastNumber))
        (target, slots) = (policy.least, policy.slotsPerNode)
    }

    /// What people may want to know of it.
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

    // MARK: What became of a submission

    public mutating func submitted(_ number: Int, as job: Int64, at now: Duration) {
        nodes[number] = Node(job: ClusterJob(id: job, number: number, state: .pending))
    }

    /// It may be there all the same; then the cluster lists it.
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
