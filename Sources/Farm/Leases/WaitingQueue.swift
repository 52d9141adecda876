import HeapModule
import Messaging

/// The waiting jobs of one flow with equal requirements. The job, or the sequence, that was
/// submitted first goes first; within a sequence see `SequenceRuns`. Inserting, removing and
/// finding cost O(log n), plus the number of runs for a sequence.
struct WaitingQueue {
    private struct Entry: Comparable {
        /// The submission number of the job.
        var order: UInt64
        var id: JobID

        static func < (left: Self, right: Self) -> Bool { left.order < right.order }
    }

    private struct Members {
        var order: UInt64
        var runs = SequenceRuns()
        var jobs: [Int: JobID] = [:]
    }

    /// Every job, with its position if it belongs to a sequence. Entries of `single` that are
    /// missing here are dead.
    private var all: [JobID: (order: UInt64, place: WaitingJobs.Place?)] = [:]
    /// Its smallest entry, which goes first, is never dead.
    private var single = Heap<Entry>()
    private var groups: [WaitingJobs.Group: Members] = [:]

    var count: Int { all.count }
    var ids: some Sequence<(id: JobID, order: UInt64)> { all.lazy.map { ($0.key, $0.value.order) } }

    func order(of id: JobID) -> UInt64? { all[id]?.order }
    func place(of id: JobID) -> WaitingJobs.Place? { all[id]?.place }

    mutating func insert(_ spec: JobSpec, order: UInt64) {
        if let place = WaitingJobs.Place(spec), place.index > .min, place.index < .max,
            groups[place.group]?.jobs[place.index] == nil
        {
            all[spec.id] = (order, place)
            groups[place.group, default: Members(order: order)].runs.insert(place.index)
            groups[place.group]?.jobs[place.index] = spec.id
        } else {
            all[spec.id] = (order, nil)
            single.insert(Entry(order: order, id: spec.id))
        }
    }

    mutating func remove(_ id: JobID) {
        guard let (_, place) = all.removeValue(forKey: id) else { return }
        if let place { leave(place) }
        while let top = single.min, all[top.id]?.order != top.order { single.removeMin() }
    }

    private mutating func leave(_ place: WaitingJobs.Place) {
        groups[place.group]?.jobs[place.index] = nil
        groups[place.group]?.runs.remove(place.index)
        if groups[place.group]?.runs.isEmpty ?? false { groups[place.group] = nil }
    }

    /// The job, or the sequence, that goes first.
    private enum Head {
        case job(JobID)
        case sequence(WaitingJobs.Group)
    }

    private var head: (order: UInt64, head: Head)? {
        let group = groups.min { $0.value.order < $1.value.order }
        if let top = single.min, group.map({ top.order < $0.value.order }) ?? true { return (top.order, .job(top.id)) }
        return group.map { ($0.value.order, .sequence($0.key)) }
    }

    /// The submission number of the first job; a sequence has that of its first job.
    var order: UInt64? { head?.order }

    /// See ``WaitingJobs/next(for:after:others:)``.
    func next(after place: WaitingJobs.Place?, others: Walkers) -> JobID? {
        switch head?.head {
        case .job(let id): return id
        case .sequence(let group):
            if let place, place.index < .max - 1,
                let id = groups[place.group]?.jobs[place.index + 1]
            {
                return id
            }
            guard let members = groups[group] else { return nil }
            return members.runs.entry { others.isAt($0, in: group) }.flatMap { members.jobs[$0] }
        case nil: return nil
        }
    }
}
