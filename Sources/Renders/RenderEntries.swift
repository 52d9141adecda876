/// The entries of a book in the order of their numbers, in one array: an ended render costs only
/// its entry, and a page of a list is a slice. Numbers only increase, so an entry is found by
/// binary search and a new one is appended.
public struct RenderEntries: Sendable {
    private struct Slot: Sendable {
        let number: Int64
        /// The book's revision at the last change.
        var revision: Int64
        /// nil if the render was removed.
        var entry: RenderEntry?
    }

    private var slots: [Slot] = []
    private var holes = 0

    /// Removed entries are dropped if there are more of them than this, and more than other
    /// entries.
    private static let mostHoles = 1024

    /// Creates the list.
    /// - Parameter entries: in any order; of two with the same number, the later one counts.
    init(_ entries: [RenderEntry]) {
        slots.reserveCapacity(entries.count)
        for entry in entries.sorted(by: { $0.id < $1.id }) { set(entry.id, entry, revision: 0) }
    }

    public var count: Int { slots.count - holes }
    public var isEmpty: Bool { count == 0 }
    /// In ascending order.
    public var keys: [RenderID] { slots.compactMap { $0.entry?.id } }
    /// In the order of their numbers.
    public var values: [RenderEntry] { slots.compactMap(\.entry) }

    public subscript(_ id: RenderID) -> RenderEntry? {
        let place = place(of: id)
        return place < slots.count && slots[place].number == id.number ? slots[place].entry : nil
    }

    /// Returns the book's revision at the last change of an entry; 0 if there is none, or it has
    /// not changed.
    func revision(of id: RenderID) -> Int64 {
        let place = place(of: id)
        return place < slots.count && slots[place].number == id.number ? slots[place].revision : 0
    }

    /// Calls `body` with the entries after `id`, in the order of their numbers, until it returns
    /// false.
    public func forEach(after id: RenderID?, _ body: (RenderEntry) -> Bool) {
        var place = 0
        if let id {
            place = self.place(of: id)
            if place < slots.count, slots[place].number == id.number { place += 1 }
        }
        while place < slots.count {
            if let entry = slots[place].entry, !body(entry) { return }
            place += 1
        }
    }

    mutating func set(_ id: RenderID, _ entry: RenderEntry?, revision: Int64) {
        let place = slots.last.map { $0.number < id.number } ?? true ? slots.count : place(of: id)
        guard place < slots.count, slots[place].number == id.number else {
            if let entry { slots.insert(Slot(number: id.number, revision: revision, entry: entry), at: place) }
            return
        }
        holes += (entry == nil ? 1 : 0) - (slots[place].entry == nil ? 1 : 0)
        slots[place].entry = entry
        slots[place].revision = revision
    }

    /// Drops removed entries.
    mutating func tidy() {
        guard holes > Self.mostHoles, holes > count else { return }
        slots.removeAll { $0.entry == nil }
        holes = 0
    }

    /// Returns the index of the first slot whose number is not smaller.
    private func place(of id: RenderID) -> Int {
        var (low, high) = (0, slots.count)
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].number < id.number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
