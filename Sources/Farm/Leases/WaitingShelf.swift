import HeapModule
import Messaging

/// Jobs of equal taints that wait for a worker, and which of them goes first. Within a sequence see `SequenceRuns`. Inserting,
/// removing and finding cost O(log n), plus the number of runs for a sequence.
struct WaitingShelf {
    private struct Entry: Comparable {
        var rank: WaitingJobs.Rank
        var id: JobID

        /// The heap's largest is the next to go.
        static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
    }

    private struct Members {
        var order: UInt64
        var runs = SequenceRuns()
        var jobs: [Int: JobID] = [:]
    }

    /// Every job, with its place if it waits in a sequence. Entries of `single` that are not here are dead.
    private var all: [JobID: (rank: WaitingJobs.Rank, place: WaitingJobs.Place?)] = [:]
    /// Its largest entry is never dead.
    private var single = Heap<Entry>()
    private var groups: [WaitingJobs.Group: Members] = [:]

    var count: Int { all.count }
    var ids: some Sequence<(id: JobID, order: UInt64)> { all.lazy.map { ($0.key, $0.value.rank.order) } }

    func rank(of id: JobID) -> WaitingJobs.Rank? { all[id]?.rank }

    mutating func insert(_ spec: JobSpec, order: UInt64) {
        let rank = WaitingJobs.Rank(priority: spec.priority, order: order)
        if let place = WaitingJobs.Place(spec), place.index > .min, place.index < .max,
            groups[place.group]?.jobs[place.index] == nil
        {
            all[spec.id] = (rank, place)
            groups[place.group, default: Members(order: order)].runs.insert(place.index)
            groups[place.group]?.jobs[place.index] = spec.id
        } else {
            all[spec.id] = (rank, nil)
            single.insert(Entry(rank: rank, id: spec.id))
        }
    }

    mutating func remove(_ id: JobID) {
        guard let (_, place) = all.removeValue(forKey: id) else { return }
        if let place { leave(place) }
        while let top = single.max, all[top.id]?.rank != top.rank { single.removeMax() }
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

    private var head: (rank: WaitingJobs.Rank, head: Head)? {
        let group = groups.map { (WaitingJobs.Rank(priority: $0.key.priority, order: $0.value.order), $0.key) }
            .max { $0.0 < $1.0 }
        if let top = single.max, group.map({ $0.0 < top.rank }) ?? true { return (top.rank, .job(top.id)) }
        return group.map { ($0.0, .sequence($0.1)) }
    }

    /// The rank of the job, or the sequence, that goes first; a sequence has that of its first job.
    var rank: WaitingJobs.Rank? { head?.rank }

    /// See ``WaitingJobs/next(for:after:others:)``.
    func next(after place: WaitingJobs.Place?, others: some Sequence<WaitingJobs.Place>) -> JobID? {
        switch head?.head {
        case .job(let id): return id
        case .sequence(let group):
            if let place, place.group.priority == group.priority, place.index < .max - 1,
                let id = groups[place.group]?.jobs[place.index + 1]
            {
                return id
            }
            guard let members = groups[group] else { return nil }
            let walkers = Set(others.lazy.filter { $0.group == group }.map(\.index))
            return members.runs.entry(walkers: walkers).flatMap { members.jobs[$0] }
        case nil: return nil
        }
    }
}
