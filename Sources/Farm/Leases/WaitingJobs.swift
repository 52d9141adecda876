import Messaging

/// The jobs that wait for a worker, and which of them a worker should get.
///
/// Higher priority first. Within one priority flows take turns (``WaitingFlows``), but a worker goes on with its own sequence for a while, as it has the
/// sources of it open. Within a flow, what was submitted first goes first. A worker gets only jobs that have all the libraries that it has
/// (``JobSpec/libraries``) and need no tag that it lacks (``JobSpec/needs``); for that, jobs may pass earlier ones of other libraries, a while.
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

    /// A sequence; the same name in two flows, or at two priorities, is two of them.
    struct Group: Hashable {
        var priority: Int
        var flow: JobSpec.Flow
        var name: String

        init?(_ spec: JobSpec) {
            guard let sequence = spec.sequence else { return nil }
            (priority, flow, name) = (spec.priority, spec.flow, sequence.group)
        }
    }

    /// What a worker must be like to get a job.
    struct Fit: Hashable {
        /// It may have these libraries and no others.
        var libraries: Set<String>
        /// It must have these tags.
        var needs: Set<String>
        /// It must be on none of these nodes, where there are others.
        var avoided: Set<String>
        /// It is none of these sessions.
        var declinedBy: Set<String>

        init(_ spec: JobSpec, avoiding avoided: Set<String> = [], declinedBy: Set<String> = []) {
            (libraries, needs) = (spec.libraries, spec.needs)
            (self.avoided, self.declinedBy) = (avoided, declinedBy)
        }
    }

    /// So many jobs of equal libraries wait.
    struct Demand: Equatable {
        var libraries: Set<String>
        var count: Int
    }

    /// The job that goes first of all that some local worker could do.
    struct First: Equatable {
        var libraries: Set<String>
        var priority: Int
        var flow: JobSpec.Flow
        /// The number of its submission, or of its sequence's.
        var order: UInt64
    }

    /// A job is passed only by jobs of its own flow that were submitted at most this many jobs after it. So to change workers between
    /// jobs of different libraries costs little, and nobody waits for ever.
    static let patience: UInt64 = 256
    /// The same for jobs of other flows: a flow that has had so many jobs' cost more than the one whose turn it is passes it no more.
    static let patienceOfFlows: UInt64 = 16
    /// A worker goes on with its own sequence while that flow has had at most so many jobs' cost more than the one whose turn it is.
    static let stretch: UInt64 = 3

    /// Where a waiting job is kept.
    private struct Home {
        var priority: Int
        var flow: JobSpec.Flow
        var fit: Fit
        var cost: UInt64
    }

    /// The waiting jobs by priority, highest first; none of these is empty.
    private var levels: [(priority: Int, flows: WaitingFlows)] = []
    private var homes: [JobID: Home] = [:]

    var isEmpty: Bool { homes.isEmpty }
    var count: Int { homes.count }
    var ids: [JobID] { levels.flatMap(\.flows.ids).sorted { $0.order < $1.order }.map(\.id) }

    /// How many jobs wait, by flow and by what they need.
    var stock: [(flow: JobSpec.Flow, needs: Set<String>, count: Int)] {
        levels.flatMap { level in
            level.flows.ranking.flatMap { flow in
                level.flows.stock(of: flow) { _ in true }.map { (flow, $0.fit.needs, $0.count) }
            }
        }
    }

    /// The jobs that a worker of some tags could do, in the order in which jobs of each set of libraries go.
    func demand(for tags: Set<String> = []) -> [Demand] {
        var demand: [Demand] = []
        for level in levels {
            for flow in level.flows.ranking {
                let stock = level.flows.stock(of: flow, where: { $0.needs.isSubset(of: tags) })
                    .sorted { $0.order < $1.order }
                for (fit, _, count) in stock {
                    if let index = demand.firstIndex(where: { $0.libraries == fit.libraries }) {
                        demand[index].count += count
                    } else {
                        demand.append(Demand(libraries: fit.libraries, count: count))
                    }
                }
            }
        }
        return demand
    }

    /// The jobs that a worker of some tags could do.
    func ids(for tags: Set<String>) -> [JobID] { ids.filter { homes[$0]?.fit.needs.isSubset(of: tags) ?? true } }

    // MARK: Coming and going

    /// - Parameters:
    ///   - order: the number of its submission, kept when it comes back.
    ///   - avoided: the nodes that are not to get it, where there are others.
    ///   - declinedBy: the sessions that are not to get it.
    mutating func insert(
        _ spec: JobSpec, order: UInt64, avoiding avoided: Set<String> = [], declinedBy: Set<String> = []
    ) {
        guard homes[spec.id] == nil else { return }
        let fit = Fit(spec, avoiding: avoided, declinedBy: declinedBy)
        homes[spec.id] = Home(priority: spec.priority, flow: spec.flow, fit: fit, cost: spec.cost)
        let index = levels.firstIndex { $0.priority <= spec.priority } ?? levels.endIndex
        if index == levels.endIndex || levels[index].priority != spec.priority {
            levels.insert((spec.priority, WaitingFlows()), at: index)
        }
        levels[index].flows.insert(spec, fit, order: order)
    }

    /// - Parameter isGiven: a worker gets it; else it is wanted no more.
    /// - Returns: whether it was waiting.
    @discardableResult
    mutating func remove(_ id: JobID, isGiven: Bool = false) -> Bool {
        guard let home = homes.removeValue(forKey: id) else { return false }
        guard let index = levels.firstIndex(where: { $0.priority == home.priority }) else { return true }
        levels[index].flows.remove(id, of: home.flow, home.fit, cost: isGiven ? home.cost : 0)
        if levels[index].flows.isEmpty { levels.remove(at: index) }
        return true
    }

    // MARK: Finding

    /// The job that goes first of those that a worker of some tags could do.
    func first(for tags: Set<String> = []) -> First? {
        func fits(_ fit: Fit) -> Bool { fit.needs.isSubset(of: tags) }
        for (priority, flows) in levels {
            guard let flow = flows.turn(where: fits),
                let first = flows.stock(of: flow, where: fits).min(by: { $0.order < $1.order })
            else { continue }
            return First(libraries: first.fit.libraries, priority: priority, flow: flow, order: first.order)
        }
        return nil
    }

    /// The job that a worker should do next; it stays among the waiting. Nil where none waits that may run there.
    /// - Parameters:
    ///   - libraries: the worker's.
    ///   - tags: the worker's.
    ///   - session: the worker's, of one from elsewhere.
    ///   - place: where the worker was last; the job after it is preferred.
    ///   - others: where workers are; the worker itself makes no difference.
    ///   - allows: whether the worker may have what some nodes are to be spared; asked of such jobs alone.
    func next(
        for libraries: Set<String> = [], tags: Set<String> = [], session: String? = nil, after place: Place?,
        others: Walkers, allows: (Fit) -> Bool = { _ in true }
    ) -> JobID? {
        func fits(_ fit: Fit) -> Bool {
            guard libraries.isSubset(of: fit.libraries), fit.needs.isSubset(of: tags) else { return false }
            if let session, fit.declinedBy.contains(session) { return false }
            return fit.avoided.isEmpty || allows(fit)
        }
        for (priority, flows) in levels {
            guard let turn = flows.turn(where: fits) else { continue }
            if let place, place.group.priority == priority, place.group.flow != turn,
                let id = flows.next(of: place.group.flow, where: fits, after: place, others: others),
                isNext(id, after: place, flows), isAhead(id, of: turn, flows, by: Self.stretch) == false
            {
                return id
            }
            return flows.next(of: turn, where: fits, after: place, others: others)
        }
        return nil
    }

    private func isNext(_ id: JobID, after place: Place, _ flows: WaitingFlows) -> Bool {
        guard let home = homes[id], let own = flows.place(of: id, of: home.flow, home.fit) else { return false }
        return own.group == place.group && own.index - 1 == place.index
    }

    /// Whether the flow of a job has had more than another one by the cost of so many such jobs.
    private func isAhead(_ id: JobID, of flow: JobSpec.Flow, _ flows: WaitingFlows, by jobs: UInt64) -> Bool {
        guard let home = homes[id] else { return false }
        return flows.lead(of: home.flow, over: flow) > jobs * home.cost
    }

    /// Whether a waiting job may go before the one whose turn it is.
    func mayPass(_ id: JobID, _ first: First) -> Bool {
        guard let home = homes[id], home.priority <= first.priority else { return true }
        guard home.priority == first.priority,
            let flows = levels.first(where: { $0.priority == home.priority })?.flows
        else { return false }
        guard home.flow == first.flow else { return !isAhead(id, of: first.flow, flows, by: Self.patienceOfFlows) }
        return (flows.order(of: id, of: home.flow, home.fit) ?? 0) <= first.order + Self.patience
    }
}
