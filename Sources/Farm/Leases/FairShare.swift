/// Whose turn it is, of several that each want as much as they can get: start-time fair queueing. Of those that want, whoever has had least goes
/// first; of equals, whoever came first.
///
/// Each member has a tag: how much it has had, counted from the virtual time at which it came. The virtual time is the least tag of those that
/// want, and never goes back; where the least could not be served for long it runs on, a little behind those that are. Who comes anew begins there,
/// with neither debt nor credit; who comes again before the others have caught up begins at its own tag. Who could not be served has credit, but not
/// for more than ``most`` times what it gets. Finding whose turn it is costs nothing, a change a search and a move in an array.
struct FairShare<Member: Hashable> {
    /// Where a member stands that wants something.
    struct Standing: Comparable {
        var tag: UInt64
        /// When it came; no two have the same.
        var order: UInt64
        var member: Member

        static func < (left: Self, right: Self) -> Bool { (left.tag, left.order) < (right.tag, right.order) }
        static func == (left: Self, right: Self) -> Bool { (left.tag, left.order) == (right.tag, right.order) }
    }

    /// The members that want something, in the order in which they go.
    private(set) var ranking: [Standing] = []
    private(set) var time: UInt64 = 0
    private var standings: [Member: (tag: UInt64, order: UInt64)] = [:]
    /// The tags of members that want nothing now, as long as the virtual time has not reached them.
    private var past: [Member: UInt64] = [:]
    private var sweepAt = 64
    /// So many times what a member gets it may have had less than the others, and be served first for it.
    let most: UInt64
    /// So many times what it gets a member may have had more than the one whose turn it is, and be served all the same.
    let slack: UInt64

    init(most: UInt64, slack: UInt64) { (self.most, self.slack) = (most, slack) }

    /// How many members something is remembered of.
    var memory: Int { standings.count + past.count }

    /// - Returns: nil for a member that wants nothing.
    func tag(of member: Member) -> UInt64? { standings[member]?.tag }

    /// How much more one has had than another. Nothing for a member that wants nothing.
    func lead(of member: Member, over other: Member) -> UInt64 {
        guard let tag = tag(of: member), let least = self.tag(of: other), tag > least else { return 0 }
        return tag - least
    }

    /// A member wants something from now on.
    /// - Parameter order: greater than that of any member that came before it and is still there.
    mutating func join(_ member: Member, order: UInt64) {
        guard standings[member] == nil else { return }
        place(member, tag: max(time, past.removeValue(forKey: member) ?? 0), order: order)
    }

    /// A member wants nothing more, for now.
    mutating func leave(_ member: Member) {
        guard let (tag, _) = take(member) else { return }
        pass()
        guard tag > time else { return }
        past[member] = tag
        guard past.count >= sweepAt else { return }
        past = past.filter { $0.value > time }
        sweepAt = max(64, past.count * 2)
    }

    /// A member gets something.
    mutating func charge(_ member: Member, _ cost: UInt64) {
        guard let (tag, order) = take(member) else { return }
        time = max(time, tag.less(slack * cost))
        place(member, tag: max(tag, time.less(most * cost)) + cost, order: order)
        pass()
    }

    private mutating func pass() { if let first = ranking.first { time = max(time, first.tag) } }

    private mutating func place(_ member: Member, tag: UInt64, order: UInt64) {
        let standing = Standing(tag: tag, order: order, member: member)
        standings[member] = (tag, order)
        ranking.insert(standing, at: position(of: standing))
    }

    private mutating func take(_ member: Member) -> (tag: UInt64, order: UInt64)? {
        guard let found = standings.removeValue(forKey: member) else { return nil }
        ranking.remove(at: position(of: Standing(tag: found.tag, order: found.order, member: member)))
        return found
    }

    /// The first place at which nobody goes before it.
    private func position(of standing: Standing) -> Int {
        var low = 0
        var high = ranking.count
        while low < high {
            let middle = (low + high) / 2
            if ranking[middle] < standing { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension UInt64 {
    /// The difference, or 0.
    fileprivate func less(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}
