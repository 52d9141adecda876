import Messaging

/// The jobs that wait for a worker, and which of them a worker should get.
///
/// Higher priority first; within one priority the job, or the sequence, that was submitted first (``WaitingShelf``). A worker gets
/// only jobs that have all the taints that it has (``JobSpec/taints``); for that, jobs of other taints may pass earlier ones, a while.
/// Finding costs, besides what a shelf costs, the number of different sets of taints.
struct WaitingJobs {
    /// Where a worker is, or was last, in a sequence.
    struct Place: Hashable {
        var group: Group
        var index: Int

        init(group: Group, index: Int) {
            self.group = group
            self.index = index
        }

        /// - Returns: nil for a job that is in no sequence.
        init?(_ spec: JobSpec) {
            guard let group = Group(spec), let index = spec.sequence?.index else { return nil }
            self.init(group: group, index: index)
        }
    }

    /// A sequence; the same name at two priorities is two of them.
    struct Group: Hashable {
        var priority: Int
        var name: String

        init?(_ spec: JobSpec) {
            guard let sequence = spec.sequence else { return nil }
            priority = spec.priority
            name = sequence.group
        }
    }

    /// Which of two jobs goes first: the greater rank.
    struct Rank: Comparable {
        var priority: Int
        /// The number of the job's submission; lower is earlier.
        var order: UInt64

        static func < (left: Self, right: Self) -> Bool {
            (left.priority, right.order) < (right.priority, left.order)
        }
    }

    /// So many jobs of equal taints wait.
    struct Demand: Equatable {
        var taints: Set<String>
        var count: Int
    }

    /// A job is passed only by jobs of its own priority that were submitted at most this many jobs after it. So to change workers
    /// between jobs of different taints costs little, and nobody waits for ever.
    static let patience: UInt64 = 256

    /// The waiting jobs by their taints; no shelf is empty.
    private var shelves: [Set<String>: WaitingShelf] = [:]
    private var taints: [JobID: Set<String>] = [:]

    var isEmpty: Bool { taints.isEmpty }
    var count: Int { taints.count }
    var ids: [JobID] { shelves.values.flatMap(\.ids).sorted { $0.order < $1.order }.map(\.id) }
    /// In the order in which jobs of each go.
    var demand: [Demand] {
        ranked.sorted { $0.rank > $1.rank }
            .map { Demand(taints: $0.taints, count: shelves[$0.taints]?.count ?? 0) }
    }

    /// The sets of taints, each with the rank of its job that goes first.
    private var ranked: [(taints: Set<String>, rank: Rank)] {
        shelves.compactMap { taints, shelf in shelf.rank.map { (taints, $0) } }
    }

    /// - Parameter order: the number of its submission, kept when it comes back.
    mutating func insert(_ spec: JobSpec, order: UInt64) {
        guard taints[spec.id] == nil else { return }
        taints[spec.id] = spec.taints
        shelves[spec.taints, default: WaitingShelf()].insert(spec, order: order)
    }

    /// - Returns: whether it was waiting.
    @discardableResult
    mutating func remove(_ id: JobID) -> Bool {
        guard let taints = taints.removeValue(forKey: id) else { return false }
        shelves[taints]?.remove(id)
        if shelves[taints]?.count == 0 { shelves[taints] = nil }
        return true
    }

    /// The job that goes first of all, whoever may do it: its taints, and its rank.
    var first: (taints: Set<String>, rank: Rank)? { ranked.max { $0.rank < $1.rank } }

    /// The job that a worker should do next; it stays among the waiting. Nil where none waits that may run there.
    ///
    /// Of those that go first, one that taints the worker least: so it stays fit for most.
    /// - Parameters:
    ///   - taints: the worker's.
    ///   - place: where the worker was last; the job after it is preferred.
    ///   - others: where the other workers are.
    func next(for taints: Set<String> = [], after place: Place?, others: some Sequence<Place>) -> JobID? {
        let fitting = ranked.filter { taints.isSubset(of: $0.taints) }
        guard let first = fitting.max(by: { $0.rank < $1.rank }) else { return nil }
        let least = fitting.filter { $0.rank.priority == first.rank.priority }
            .min { ($0.taints.count, $1.rank) < ($1.taints.count, $0.rank) }
        if let least, let id = shelves[least.taints]?.next(after: place, others: others), mayPass(id, first.rank) {
            return id
        }
        return shelves[first.taints]?.next(after: place, others: others)
    }

    /// Whether a waiting job may go before one of a rank.
    func mayPass(_ id: JobID, _ rank: Rank) -> Bool {
        guard let taints = taints[id], let own = shelves[taints]?.rank(of: id) else { return true }
        return own.priority > rank.priority
            || (own.priority == rank.priority && own.order <= rank.order + Self.patience)
    }
}
