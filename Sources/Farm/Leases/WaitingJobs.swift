import Messaging

/// The jobs that wait for a worker, and which of them a worker should get.
///
/// Higher priority first; within one priority the job, or the sequence, that was submitted first (``WaitingShelf``). A worker gets
/// only jobs that have all the taints that it has (``JobSpec/taints``) and need no tag that it lacks (``JobSpec/needs``); for that, jobs
/// may pass earlier ones of other taints, a while. Finding costs, besides what a shelf costs, the number of different shelves.
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

    /// What a worker must be like to get a job.
    struct Fit: Hashable {
        /// It may have these taints and no others.
        var taints: Set<String>
        /// It must have these tags.
        var needs: Set<String>

        init(_ spec: JobSpec) { (taints, needs) = (spec.taints, spec.needs) }
    }

    /// So many jobs of equal taints wait.
    struct Demand: Equatable {
        var taints: Set<String>
        var count: Int
    }

    /// A job is passed only by jobs of its own priority that were submitted at most this many jobs after it. So to change workers
    /// between jobs of different taints costs little, and nobody waits for ever.
    static let patience: UInt64 = 256

    /// The waiting jobs by what they need; no shelf is empty.
    private var shelves: [Fit: WaitingShelf] = [:]
    private var fits: [JobID: Fit] = [:]

    var isEmpty: Bool { fits.isEmpty }
    var count: Int { fits.count }
    var ids: [JobID] { shelves.values.flatMap(\.ids).sorted { $0.order < $1.order }.map(\.id) }
    /// The jobs that a local worker could do, in the order in which jobs of each set of taints go.
    var demand: [Demand] {
        ranked.filter(\.fit.needs.isEmpty).sorted { $0.rank > $1.rank }
            .map { Demand(taints: $0.fit.taints, count: shelves[$0.fit]?.count ?? 0) }
    }

    /// The jobs that a local worker could do.
    var localIDs: [JobID] { ids.filter { fits[$0]?.needs.isEmpty ?? true } }

    /// The shelves, each with the rank of its job that goes first.
    private var ranked: [(fit: Fit, rank: Rank)] {
        shelves.compactMap { fit, shelf in shelf.rank.map { (fit, $0) } }
    }

    /// - Parameter order: the number of its submission, kept when it comes back.
    mutating func insert(_ spec: JobSpec, order: UInt64) {
        guard fits[spec.id] == nil else { return }
        let fit = Fit(spec)
        fits[spec.id] = fit
        shelves[fit, default: WaitingShelf()].insert(spec, order: order)
    }

    /// - Returns: whether it was waiting.
    @discardableResult
    mutating func remove(_ id: JobID) -> Bool {
        guard let fit = fits.removeValue(forKey: id) else { return false }
        shelves[fit]?.remove(id)
        if shelves[fit]?.count == 0 { shelves[fit] = nil }
        return true
    }

    /// The job that goes first of all that some local worker could do: its taints, and its rank.
    var first: (taints: Set<String>, rank: Rank)? {
        ranked.filter(\.fit.needs.isEmpty).max { $0.rank < $1.rank }.map { ($0.fit.taints, $0.rank) }
    }

    /// The job that a worker should do next; it stays among the waiting. Nil where none waits that may run there.
    ///
    /// Of those that go first, one that taints the worker least: so it stays fit for most.
    /// - Parameters:
    ///   - taints: the worker's.
    ///   - tags: the worker's.
    ///   - place: where the worker was last; the job after it is preferred.
    ///   - others: where the other workers are.
    func next(
        for taints: Set<String> = [], tags: Set<String> = [], after place: Place?, others: some Sequence<Place>
    ) -> JobID? {
        let fitting = ranked.filter { taints.isSubset(of: $0.fit.taints) && $0.fit.needs.isSubset(of: tags) }
        guard let first = fitting.max(by: { $0.rank < $1.rank }) else { return nil }
        let least = fitting.filter { $0.rank.priority == first.rank.priority }
            .min { ($0.fit.taints.count, $1.rank) < ($1.fit.taints.count, $0.rank) }
        if let least, let id = shelves[least.fit]?.next(after: place, others: others), mayPass(id, first.rank) {
            return id
        }
        return shelves[first.fit]?.next(after: place, others: others)
    }

    /// Whether a waiting job may go before one of a rank.
    func mayPass(_ id: JobID, _ rank: Rank) -> Bool {
        guard let fit = fits[id], let own = shelves[fit]?.rank(of: id) else { return true }
        return own.priority > rank.priority
            || (own.priority == rank.priority && own.order <= rank.order + Self.patience)
    }
}
