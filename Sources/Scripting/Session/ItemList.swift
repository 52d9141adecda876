/// The entries of one list of a draft. They are found by key and by id without a look at all
/// others: scripts with ten thousand entries ask for each of them again and again.
struct ItemList: RandomAccessCollection, ExpressibleByArrayLiteral {
    private var items: [Item]
    /// The key of the entry that has an id.
    private var keys: [String: Int] = [:]
    /// Entries whose ids others had before them. A document may have such; the first one counts.
    private var repeated = 0
    /// Keys grow with each new entry, so they are in order until one is moved or put between
    /// others.
    private var isInOrder = true

    init(_ items: [Item]) {
        self.items = items
        for (place, item) in items.enumerated() {
            note(item)
            if place > 0, items[place - 1].key > item.key { isInOrder = false }
        }
    }

    init(arrayLiteral items: Item...) { self.init(items) }

    var startIndex: Int { 0 }
    var endIndex: Int { items.count }

    subscript(place: Int) -> Item {
        get { items[place] }
        set {
            forget(items[place])
            items[place] = newValue
            note(newValue)
        }
    }

    mutating func insert(_ item: Item, at place: Int) {
        let isLast = place == items.count && items.last.map { $0.key < item.key } ?? true
        isInOrder = isInOrder && isLast
        items.insert(item, at: place)
        note(item)
    }

    mutating func append(_ item: Item) { insert(item, at: items.count) }

    @discardableResult
    mutating func remove(at place: Int) -> Item {
        let item = items.remove(at: place)
        forget(item)
        return item
    }

    func place(ofKey key: Int) -> Int? {
        guard isInOrder else { return items.firstIndex { $0.key == key } }
        var (low, high) = (0, items.count)
        while low < high {
            let middle = (low + high) / 2
            if items[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low < items.count && items[low].key == key ? low : nil
    }

    /// - Parameter other: the key of an entry that is not looked for.
    func place(ofID id: String, except other: Int? = nil) -> Int? {
        guard repeated == 0 else { return items.firstIndex { $0.id == id && $0.key != other } }
        return keys[id].flatMap { $0 == other ? nil : place(ofKey: $0) }
    }

    private mutating func note(_ item: Item) {
        guard let id = item.id else { return }
        if keys[id] == nil { keys[id] = item.key } else { repeated += 1 }
    }

    private mutating func forget(_ item: Item) {
        guard let id = item.id else { return }
        guard repeated > 0 else {
            keys[id] = nil
            return
        }
        (keys, repeated) = ([:], 0)
        for other in items where other.key != item.key { note(other) }
    }
}
