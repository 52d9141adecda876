/// Start-time fair queueing, for members that each want as much as they can get: the member that
/// has had least goes first; of equals, the one that came first.
///
/// Each member has a tag: the amount that it has had, counted from the virtual time at which it
/// came. The virtual time is the least tag of the waiting members, and never goes back. If the
/// member with the least tag cannot be served for long, the virtual time advances a little behind
/// the others. A new member starts at the virtual time, with neither debt nor credit; one that
/// comes back before the others have caught up starts at its own tag. A member that could not be
/// served has credit for at most ``most`` times what it gets. Finding the next member is O(1); a
/// change costs a search and a move in an array.
struct FairShare<Member: Hashable> {
    /// The position of a waiting member.
    struct Standing: Comparable {
        var tag: UInt64
        /// The order of arrival, unique.
        var order: UInt64
        var member: Member

        static func < (left: Self, right: Self) -> Bool { (left.tag, left.order) < (right.tag, right.order) }
        static func == (left: Self, right: Self) -> Bool { (left.tag, left.order) == (right.tag, right.order) }
    }

    /// The waiting members, in the order in which they go.
    private(set) var ranking: [Standing] = []
    private(set) var time: UInt64 = 0
    private var standings: [Member: (tag: UInt64, order: UInt64)] = [:]
    /// The tags of members that want nothing now, until the virtual time reaches them.
    private var past: [Member: UInt64] = [:]
    private var sweepAt = 64
    /// The largest credit of a member, as a multiple of what it gets.
    let most: UInt64
    /// The lead over the next member up to which a member is still served, as a multiple of what it
    /// gets.
    let slack: UInt64

    init(most: UInt64, slack: UInt64) { (self.most, self.slack) = (most, slack) }

    /// The number of members that are remembered.
    var memory: Int { standings.count + past.count }

    /// Returns the tag of a member.
    /// - Returns: nil for a member that wants nothing.
    func tag(of member: Member) -> UInt64? { standings[member]?.tag }

    /// Returns how much more one member has had than another; 0 if either wants nothing.
    func lead(of member: Member, over other: Member) -> UInt64 {
        guard let tag = tag(of: member), let least = self.tag(of: other), tag > least else { return 0 }
        return tag - least
    }

    /// Adds a member.
    /// - Parameter order: greater than that of any earlier member that is still there.
    mutating func join(_ member: Member, order: UInt64) {
        guard standings[member] == nil else { return }
        place(member, tag: max(time, past.removeValue(forKey: member) ?? 0), order: order)
    }

    /// Removes a member, which wants nothing for now.
    mutating func leave(_ member: Member) {
        guard let (tag, _) = take(member) else { return }
        pass()
        guard tag > time else { return }
        past[member] = tag
        guard past.count >= sweepAt else { return }
        past = past.filter { $0.value > time }
        sweepAt = max(64, past.count * 2)
    }

    /// Charges a member for what it gets.
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

    /// Returns the first index whose member does not go before it.
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
    /// Returns the difference, or 0 if it is negative.
    fileprivate func less(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}
