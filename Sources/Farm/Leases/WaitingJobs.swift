import Messaging

/// The jobs that wait for a worker, and the choice of a job for a worker.
///
/// The highest priority goes first. Within one priority flows take turns (``WaitingFlows``), but a
/// worker continues its own sequence for a while, because it has the sources open. Within a flow,
/// the job that was submitted first goes first. A worker gets only jobs with all the libraries that
/// it has loaded (``JobSpec/libraries``) and without a tag that it lacks (``JobSpec/needs``); for
/// that, jobs may pass earlier ones with other libraries, within limits.
struct WaitingJobs {
    /// A worker's current or last position in a sequence.
    struct Place: Hashable {
        var group: Group
        var index: Int

        init(group: Group, index: Int) {
            self.group = group
            self.index = index
        }

        /// Returns the position of a job; nil for a job that is in no sequence.
        init?(_ spec: JobSpec) {
            guard let group = Group(spec), let index = spec.sequence?.index else { return nil }
            self.init(group: group, index: index)
        }
    }

    /// A sequence; the same name in two flows, or at two priorities, means two sequences.
    struct Group: Hashable {
        var priority: Int
        var flow: JobSpec.Flow
        var name: String

        init?(_ spec: JobSpec) {
            guard let sequence = spec.sequence else { return nil }
            (priority, flow, name) = (spec.priority, spec.flow, sequence.group)
        }
    }

    /// The requirements of a job for its worker.
    struct Fit: Hashable {
        /// It may have these libraries and no others.
        var libraries: Set<String>
        /// It must have these tags.
        var needs: Set<String>
        /// It must be on none of these nodes, unless there are no others.
        var avoided: Set<String>
        /// It must not have one of these sessions.
        var declinedBy: Set<String>

        init(_ spec: JobSpec, avoiding avoided: Set<String> = [], declinedBy: Set<String> = []) {
            (libraries, needs) = (spec.libraries, spec.needs)
            (self.avoided, self.declinedBy) = (avoided, declinedBy)
        }
    }

    /// A number of waiting jobs with equal libraries.
    struct Demand: Equatable {
        var libraries: Set<String>
        var count: Int
    }

    /// The first job that some local worker could run.
    struct First: Equatable {
        var libraries: Set<String>
        var priority: Int
        var flow: JobSpec.Flow
        /// The submission number of the job, or of its sequence.
        var order: UInt64
    }

    /// A job is passed only by jobs of its own flow that were submitted at most this many jobs
    /// after it. So changing workers between jobs with different libraries is rare, and no job
    /// waits for ever.
    static let patience: UInt64 = 256
    /// The same limit between flows: a flow that has had more than the first one, by the cost of
    /// this many jobs, passes it no more.
    static let patienceOfFlows: UInt64 = 16
    /// A worker continues its own sequence while that flow has had at most this many jobs' cost
    /// more than the first one.
    static let stretch: UInt64 = 3

    /// The place of a waiting job in the table.
    private struct Home {
        var priority: Int
        var flow: JobSpec.Flow
        var fit: Fit
        var cost: UInt64
    }

    /// The waiting jobs by priority, highest first; no entry is empty.
    private var levels: [(priority: Int, flows: WaitingFlows)] = []
    private var homes: [JobID: Home] = [:]

    var isEmpty: Bool { homes.isEmpty }
    var count: Int { homes.count }
    var ids: [JobID] { levels.flatMap(\.flows.ids).sorted { $0.order < $1.order }.map(\.id) }

    /// The numbers of waiting jobs, by flow and by required tags.
    var stock: [(flow: JobSpec.Flow, needs: Set<String>, count: Int)] {
        levels.flatMap { level in
            level.flows.ranking.flatMap { flow in
                level.flows.stock(of: flow) { _ in true }.map { (flow, $0.fit.needs, $0.count) }
            }
        }
    }

    /// Returns the numbers of jobs that a worker with some tags could run, in the order in which
    /// their sets of libraries go.
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

    /// Returns the jobs that a worker with some tags could run.
    func ids(for tags: Set<String>) -> [JobID] { ids.filter { homes[$0]?.fit.needs.isSubset(of: tags) ?? true } }

    // MARK: Adding and removing

    /// Adds a job.
    /// - Parameters:
    ///   - order: its submission number, kept when it comes back.
    ///   - avoided: the nodes that must not get it, unless there are no others.
    ///   - declinedBy: the sessions that must not get it.
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

    /// Removes a job.
    /// - Parameter isGiven: whether it was assigned; otherwise it is not wanted any more.
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

    /// Returns the first job that a worker with some tags could run.
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

    /// Returns the job that a worker should run next, without removing it; nil if no waiting job
    /// fits.
    /// - Parameters:
    ///   - libraries: the worker's libraries.
    ///   - tags: the worker's tags.
    ///   - session: the session of a remote worker.
    ///   - place: the worker's last position; the job after it is preferred.
    ///   - others: the positions of all workers; the worker itself makes no difference.
    ///   - allows: returns whether the worker may have a job that some nodes should not get; called
    ///     for such jobs only.
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

    /// Returns whether the flow of a job has had more than another one, by the cost of this many
    /// such jobs.
    private func isAhead(_ id: JobID, of flow: JobSpec.Flow, _ flows: WaitingFlows, by jobs: UInt64) -> Bool {
        guard let home = homes[id] else { return false }
        return flows.lead(of: home.flow, over: flow) > jobs * home.cost
    }

    /// Returns whether a waiting job may go before the first one.
    func mayPass(_ id: JobID, _ first: First) -> Bool {
        guard let home = homes[id], home.priority <= first.priority else { return true }
        guard home.priority == first.priority,
            let flows = levels.first(where: { $0.priority == home.priority })?.flows
        else { return false }
        guard home.flow == first.flow else { return !isAhead(id, of: first.flow, flows, by: Self.patienceOfFlows) }
        return (flows.order(of: id, of: home.flow, home.fit) ?? 0) <= first.order + Self.patience
    }
}
