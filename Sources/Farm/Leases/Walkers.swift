/// The positions of workers in sequences, updated as they move, so that lookups are cheap for any
/// number of workers.
struct Walkers: ExpressibleByArrayLiteral {
    private var counts: [WaitingJobs.Group: [Int: Int]] = [:]

    init(_ places: some Sequence<WaitingJobs.Place>) { for place in places { insert(place) } }
    init(arrayLiteral places: WaitingJobs.Place...) { self.init(places) }

    func isAt(_ index: Int, in group: WaitingJobs.Group) -> Bool { counts[group]?[index] != nil }

    mutating func insert(_ place: WaitingJobs.Place) { counts[place.group, default: [:]][place.index, default: 0] += 1 }

    mutating func remove(_ place: WaitingJobs.Place) {
        guard let count = counts[place.group]?[place.index] else { return }
        counts[place.group]?[place.index] = count > 1 ? count - 1 : nil
        if counts[place.group]?.isEmpty ?? false { counts[place.group] = nil }
    }
}
