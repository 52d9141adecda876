import HeapModule
import Messaging

/// The jobs that wait for a worker, and which of them a worker should get.
///
/// Higher priority first; within one priority the job, or the sequence, that was submitted first. Within a sequence see
/// `SequenceRuns`. Inserting, removing and finding cost O(log n), plus the number of runs for a sequence.
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

    private struct Entry: Comparable {
        var priority: Int
        /// When the job was submitted; lower is earlier.
        var order: UInt64
        var id: JobID

        /// The heap's largest is the next to go.
        static func < (left: Self, right: Self) -> Bool {
            (left.priority, right.order) < (right.priority, left.order)
        }
    }

    private struct Members {
        var order: UInt64
        var runs = SequenceRuns()
        var jobs: [Int: JobID] = [:]
    }

    /// Every waiting job, with its place if it waits in a sequence. Entries of `single` that are not here are dead.
    private var all: [JobID: (order: UInt64, place: Place?)] = [:]
    private var single = Heap<Entry>()
    private var groups: [Group: Members] = [:]

    var isEmpty: Bool { all.isEmpty }
    var count: Int { all.count }
    var ids: [JobID] { all.sorted { $0.value.order < $1.value.order }.map(\.key) }

    /// - Parameter order: the number of its submission, kept when it comes back.
    mutating func insert(_ spec: JobSpec, order: UInt64) {
        guard all[spec.id] == nil else { return }
        if let place = Place(spec), place.index > .min, place.index < .max,
            groups[place.group]?.jobs[place.index] == nil
        {
            all[spec.id] = (order, place)
            groups[place.group, default: Members(order: order)].runs.insert(place.index)
            groups[place.group]?.jobs[place.index] = spec.id
        } else {
            all[spec.id] = (order, nil)
            single.insert(Entry(priority: spec.priority, order: order, id: spec.id))
        }
    }

    /// - Returns: whether it was waiting.
    @discardableResult
    mutating func remove(_ id: JobID) -> Bool {
        guard let (_, place) = all.removeValue(forKey: id) else { return false }
        if let place { leave(place) } else if single.max?.id == id { single.removeMax() }
        return true
    }

    /// The job that a worker should do next; it stays among the waiting. Nil where none waits.
    /// - Parameters:
    ///   - place: where the worker was last; the job after it is preferred.
    ///   - others: where the other workers are.
    mutating func next(after place: Place?, others: some Sequence<Place>) -> JobID? {
        while let top = single.max, all[top.id]?.order != top.order { single.removeMax() }
        let group = nextGroup()
        if let top = single.max, group.map({ (top.priority, $0.order) > ($0.group.priority, top.order) }) ?? true {
            return top.id
        }
        guard let group = group?.group else { return nil }
        if let place, place.group.priority == group.priority, place.index < .max - 1,
            let id = groups[place.group]?.jobs[place.index + 1]
        {
            return id
        }
        guard let members = groups[group] else { return nil }
        let walkers = Set(others.lazy.filter { $0.group == group }.map(\.index))
        return members.runs.entry(walkers: walkers).flatMap { members.jobs[$0] }
    }

    /// The sequence to be served first.
    private func nextGroup() -> (group: Group, order: UInt64)? {
        groups.map { (group: $0.key, order: $0.value.order) }
            .max { ($0.group.priority, $1.order) < ($1.group.priority, $0.order) }
    }

    private mutating func leave(_ place: Place) {
        groups[place.group]?.jobs[place.index] = nil
        groups[place.group]?.runs.remove(place.index)
        if groups[place.group]?.runs.isEmpty ?? false { groups[place.group] = nil }
    }
}
