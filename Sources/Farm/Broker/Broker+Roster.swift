import Messaging
import OrderedCollections

/// The facts about nodes beyond their slots.
struct Roster {
    struct Loss {
        var reason: String
        var at: Duration
        var origin: Worker.Origin
    }

    /// The nodes that get no new jobs. One may be named before it comes.
    var draining: Set<String> = []
    /// The lost slots, in order; bounded.
    private(set) var lost = OrderedDictionary<WorkerID, Loss>()

    /// The nodes whose results were accepted, by job, in order; bounded.
    private var makers = OrderedDictionary<JobID, String>()
    /// The number of worthless results of each node.
    private var worthless: [String: Int] = [:]

    /// The number of worthless results after which a node gets no new jobs until an operator
    /// resumes it: a single one may be a disk error.
    static let mostWorthless = 2
    private static let mostMakers = 8192
    private static let mostLost = 1000
    /// The time for which a lost worker is listed.
    static let memory = Duration.seconds(3600)

    mutating func lose(_ id: WorkerID, _ loss: Loss) {
        lost[id] = nil
        lost[id] = loss
        if lost.count > Self.mostLost { lost.removeFirst() }
    }

    mutating func come(_ id: WorkerID) { lost[id] = nil }

    mutating func drain(_ node: String, _ isDraining: Bool) {
        if isDraining { draining.insert(node) } else { draining.remove(node) }
        worthless[node] = nil
    }

    /// Notes that a result was accepted.
    mutating func credit(_ job: JobID, to node: String) {
        makers[job] = nil
        makers[job] = node
        if makers.count > Self.mostMakers { makers.removeFirst(Self.mostMakers / 2) }
    }

    /// Notes that a result has turned out to be worthless.
    /// - Returns: the node that made it, if it gets no new jobs from now on; else nil.
    mutating func blame(_ job: JobID) -> String? {
        guard let node = makers.removeValue(forKey: job) else { return nil }
        worthless[node, default: 0] += 1
        guard worthless[node] == Self.mostWorthless else { return nil }
        return draining.insert(node).inserted ? node : nil
    }

    mutating func forget(_ node: String) {
        draining.remove(node)
        worthless[node] = nil
        for id in Array(lost.keys) where id.node == node { lost[id] = nil }
    }
}

extension Broker {
    /// Returns whether a worker may be given a new job.
    func takes(_ id: WorkerID) -> Bool {
        guard !roster.draining.isEmpty, let node = id.node else { return true }
        return !roster.draining.contains(node)
    }

    /// Notes worthless results. A node with repeated ones gets no new jobs: otherwise it would run,
    /// at once and for ever, jobs that others then run again.
    mutating func blame(_ jobs: [JobID]) {
        for job in jobs {
            guard let node = roster.blame(job) else { continue }
            log(
                .warning,
                "node \(node) gets no new jobs: \(Roster.mostWorthless) times its output was missing or differed "
                    + "from its report; ‘cutroom workers resume \(node)’ resumes it", job: job)
        }
    }

    /// Returns the workers for display, local ones first, with recently lost ones.
    func workerStatuses(at time: Duration) -> [WorkerStatus] {
        let here = pool.workers.map { id, worker -> WorkerStatus in
            let state: WorkerStatus.State =
                switch worker.phase {
                case .starting: .starting
                case .serving: worker.work == nil ? .idle : .working
                case .ending, .ended: .leaving
                }
            return WorkerStatus(
                name: id.name, node: id.node, state: state, job: worker.work?.lease.job.name,
                jobSeconds: worker.work.map { seconds(from: $0.since, to: time) }, epoch: worker.work?.lease.epoch,
                seconds: seconds(from: worker.startedAt, to: time), isDraining: !takes(id),
                tags: worker.tags.sorted(), cores: worker.origin?.cores ?? 0, memory: worker.origin?.memory ?? 0)
        }
        let gone = roster.lost.filter { time - $0.value.at < Roster.memory }.map { id, loss in
            WorkerStatus(
                name: id.name, node: id.node, state: .lost, seconds: seconds(from: loss.at, to: time),
                isDraining: !takes(id), reason: loss.reason, tags: loss.origin.tags.sorted(),
                cores: loss.origin.cores, memory: loss.origin.memory)
        }
        return here.sorted { ($0.node ?? "", $0.name) < ($1.node ?? "", $1.name) } + gone
    }

    private func seconds(from: Duration, to time: Duration) -> Double { max(0, (time - from) / .seconds(1)) }
}
