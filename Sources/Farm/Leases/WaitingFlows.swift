import Messaging

/// The waiting jobs of one priority: by flow, and within a flow by requirements.
///
/// Submitters take turns, and so do the flows of a submitter (``FairShare``), by the cost of the
/// jobs that they were given. Within a flow, the job that was submitted first goes first
/// (``WaitingQueue``).
struct WaitingFlows {
    typealias Flow = JobSpec.Flow
    typealias Fit = WaitingJobs.Fit

    private var submitters = Self.share(of: String.self)
    private var flows: [String: FairShare<Flow>] = [:]
    /// The queues of each flow; none is empty.
    private var queues: [Flow: [Fit: WaitingQueue]] = [:]

    var isEmpty: Bool { queues.isEmpty }
    var ids: some Sequence<(id: JobID, order: UInt64)> { queues.values.lazy.flatMap(\.values).flatMap(\.ids) }

    /// The flows in the order in which they go.
    var ranking: some Sequence<Flow> {
        submitters.ranking.lazy.flatMap { [flows] in flows[$0.member]?.ranking ?? [] }.map(\.member)
    }

    private static func share<Member>(of: Member.Type) -> FairShare<Member> {
        FairShare(most: WaitingJobs.patienceOfFlows, slack: WaitingJobs.stretch)
    }

    /// The shares of the submitters and of their flows, for tests.
    var shares: (submitters: FairShare<String>, flows: [String: FairShare<Flow>]) { (submitters, flows) }

    // MARK: Adding and removing

    mutating func insert(_ spec: JobSpec, _ fit: Fit, order: UInt64) {
        let flow = spec.flow
        if queues[flow] == nil {
            submitters.join(flow.submitter, order: order)
            flows[flow.submitter, default: Self.share(of: Flow.self)].join(flow, order: order)
        }
        queues[flow, default: [:]][fit, default: WaitingQueue()].insert(spec, order: order)
    }

    /// Removes a job.
    /// - Parameter cost: the cost charged to its flow; 0 if it was not assigned.
    mutating func remove(_ id: JobID, of flow: Flow, _ fit: Fit, cost: UInt64) {
        if cost > 0 {
            submitters.charge(flow.submitter, cost)
            flows[flow.submitter]?.charge(flow, cost)
        }
        queues[flow]?[fit]?.remove(id)
        guard queues[flow]?[fit]?.count == 0 else { return }
        queues[flow]?[fit] = nil
        guard queues[flow]?.isEmpty ?? false else { return }
        queues[flow] = nil
        flows[flow.submitter]?.leave(flow)
        guard flows[flow.submitter]?.ranking.isEmpty ?? false else { return }
        flows[flow.submitter] = nil
        submitters.leave(flow.submitter)
    }

    // MARK: Finding

    /// Returns the flow that goes first, of those with a matching job.
    func turn(where fits: (Fit) -> Bool) -> Flow? {
        ranking.first { flow in queues[flow]?.keys.contains(where: fits) ?? false }
    }

    /// Returns how much more one flow has had than another, or its submitter than the other's.
    func lead(of flow: Flow, over other: Flow) -> UInt64 {
        guard flow.submitter == other.submitter else {
            return submitters.lead(of: flow.submitter, over: other.submitter)
        }
        return flows[flow.submitter]?.lead(of: flow, over: other) ?? 0
    }

    /// Returns the numbers of matching jobs of a flow, with the submission number of the first.
    func stock(of flow: Flow, where fits: (Fit) -> Bool) -> [(fit: Fit, order: UInt64, count: Int)] {
        (queues[flow] ?? [:]).compactMap { fit, queue in
            guard fits(fit), let order = queue.order else { return nil }
            return (fit, order, queue.count)
        }
    }

    /// Returns the job of a flow that a worker should run next: near the head, the one that loads
    /// the fewest libraries.
    func next(
        of flow: Flow, where fits: (Fit) -> Bool, after place: WaitingJobs.Place?,
        others: Walkers
    ) -> JobID? {
        let stock = stock(of: flow, where: fits)
        guard let first = stock.min(by: { $0.order < $1.order }) else { return nil }
        if stock.count > 1,
            let least = stock.min(by: { ($0.fit.libraries.count, $0.order) < ($1.fit.libraries.count, $1.order) }),
            let queue = queues[flow]?[least.fit], let id = queue.next(after: place, others: others),
            (queue.order(of: id) ?? 0) <= first.order + WaitingJobs.patience
        {
            return id
        }
        return queues[flow]?[first.fit]?.next(after: place, others: others)
    }

    func order(of id: JobID, of flow: Flow, _ fit: Fit) -> UInt64? { queues[flow]?[fit]?.order(of: id) }
    func place(of id: JobID, of flow: Flow, _ fit: Fit) -> WaitingJobs.Place? { queues[flow]?[fit]?.place(of: id) }
}
