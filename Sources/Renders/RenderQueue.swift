/// The queued renders of a book, by priority, submitter and number.
struct RenderQueue: Sendable {
    private var lanes: [Int: [String: SortedIDs]] = [:]
    private(set) var count = 0

    mutating func insert(_ entry: RenderEntry) {
        let ticket = entry.ticket
        if lanes[ticket.priority, default: [:]][ticket.submitter, default: SortedIDs()].insert(entry.id) {
            count += 1
        }
    }

    mutating func remove(_ entry: RenderEntry) {
        let ticket = entry.ticket
        guard lanes[ticket.priority]?[ticket.submitter]?.remove(entry.id) == true else { return }
        count -= 1
        guard lanes[ticket.priority]?[ticket.submitter]?.isEmpty == true else { return }
        lanes[ticket.priority]?[ticket.submitter] = nil
        if lanes[ticket.priority]?.isEmpty == true { lanes[ticket.priority] = nil }
    }

    /// Returns the render to start next: of those with the highest priority one of a submitter with
    /// the fewest active renders, of these the earliest.
    /// - Parameter load: the number of active renders of each submitter.
    func first(_ load: [String: Int]) -> RenderID? {
        guard let highest = lanes.keys.max(), let lane = lanes[highest] else { return nil }
        var best: (Int, RenderID)?
        for (submitter, ids) in lane {
            guard let id = ids.first else { continue }
            let found = (load[submitter] ?? 0, id)
            if best.map({ found < $0 }) ?? true { best = found }
        }
        return best?.1
    }
}

/// Numbers of renders in ascending order. Removing the first and appending are cheap; other changes
/// move eight bytes for each later number.
struct SortedIDs: Sendable {
    private var ids: [RenderID] = []
    /// Numbers before this index were removed.
    private var head = 0

    var first: RenderID? { head < ids.count ? ids[head] : nil }
    var isEmpty: Bool { head == ids.count }

    /// Inserts a number.
    /// - Returns: false if it is already there.
    mutating func insert(_ id: RenderID) -> Bool {
        let place = ids.last.map { $0 < id } ?? true ? ids.count : place(of: id)
        guard place == ids.count || ids[place] != id else { return false }
        ids.insert(id, at: place)
        return true
    }

    /// Removes a number.
    /// - Returns: false if it is not there.
    mutating func remove(_ id: RenderID) -> Bool {
        let place = place(of: id)
        guard place < ids.count, ids[place] == id else { return false }
        guard place == head else {
            ids.remove(at: place)
            return true
        }
        head += 1
        if head > 64, head > ids.count / 2 {
            ids.removeFirst(head)
            head = 0
        }
        return true
    }

    private func place(of id: RenderID) -> Int {
        var (low, high) = (head, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
