import Values

/// The takes of a recording, as its journal says.
public struct TakeList: Hashable, Sendable {
    /// In the order of their numbers.
    public private(set) var takes: [Take] = []

    /// The highest number that files have which the journal may not know.
    private var used = 0

    public init() {}

    /// Replays a journal.
    /// - Parameter used: the highest number of a file in the folder: a journal that lost lines must
    ///   not lead to a take that replaces another one's file.
    public init(_ records: some Sequence<JournalRecord>, used: Int = 0) {
        for record in records { apply(record) }
        self.used = used
    }

    /// The number of the next take.
    public var next: Int { max(takes.last?.number ?? 0, used) + 1 }

    /// The takes that are clips of the draft, or about to be.
    public var kept: [Take] { takes.filter { $0.kept != nil } }

    /// Where a take's clip comes: at the place of the take that it replaces, or else at its own.
    public func place(of number: Int) -> Int {
        var place = number
        // A take replaces an earlier one.
        while let earlier = self[place]?.replaces, earlier < place { place = earlier }
        return place
    }

    /// The kept takes whose clips come before or behind a take's.
    public func kept(before number: Int) -> [Take] { kept.filter { order($0.number) < order(number) } }
    public func kept(behind number: Int) -> [Take] { kept.filter { order($0.number) > order(number) } }

    private func order(_ number: Int) -> (Int, Int) { (place(of: number), number) }

    /// The length of the kept takes before one, after their speeds.
    public func start(of number: Int) -> Time { Self.duration(of: kept(before: number)) }

    /// The length of all kept takes, after their speeds.
    public var duration: Time { Self.duration(of: kept) }

    /// Lengths that a journal makes up are added, too, up to what can be calculated with.
    public static func duration(of takes: [Take]) -> Time {
        Time(
            flicks: takes.reduce(0) { sum, take in
                let (more, overflows) = sum.addingReportingOverflow(
                    take.settings.final(take.kept?.duration ?? .zero).flicks)
                return overflows ? Int64.max / 4 : min(more, Int64.max / 4)
            })
    }

    public subscript(_ number: Int) -> Take? { index(number).map { takes[$0] } }

    /// Takes over a record. One that does not fit what came before changes nothing: the last line
    /// of a journal may be repeated after a crash.
    public mutating func apply(_ record: JournalRecord) {
        if case .begun(let number, let settings, let replaces) = record {
            if number > takes.last?.number ?? 0 {
                takes.append(Take(number: number, settings: settings, replaces: replaces))
            }
            return
        }
        guard let index = index(record.take) else { return }
        switch record {
        case .discarded, .restored:
            for later in takes.indices where takes[later].replaces == record.take && takes[later].state != .unjoined {
                takes[later].hasReplaced = true
            }
        default: break
        }
        switch (record, takes[index].state) {
        case (.part(_, let name), .unjoined):
            if !takes[index].parts.contains(name) { takes[index].parts.append(name) }
        case (.joined(_, let file), .unjoined): takes[index].state = .joined(file)
        case (.added, .joined(let file)): takes[index].state = .finished(file)
        case (.dropped, .unjoined), (.dropped, .joined): takes[index].state = .removed
        case (.discarded, .finished(let file)), (.discarded, .joined(let file)): takes[index].state = .discarded(file)
        case (.restored, .discarded(let file)): takes[index].state = .joined(file)
        case (.removed, .discarded): takes[index].state = .removed
        default: break
        }
    }

    private func index(_ number: Int) -> Int? {
        var (low, high) = (0, takes.count)
        while low < high {
            let middle = (low + high) / 2
            if takes[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < takes.count && takes[low].number == number ? low : nil
    }
}
