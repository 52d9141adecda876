import Values

/// The stretches of a video stream whose pictures are damaged, in source time, as far as a reader
/// has come.
///
/// A fault holds from the picture of the damaged packet to the next key frame, since the pictures
/// between may lean on it; that of a picture on which no other leans holds for it alone. Whether a
/// picture is damaged must not depend on where reading began, and every reader begins at a key
/// frame at or before the picture. So faults count only from the first picture that a reader can
/// show: what comes before (leading pictures of an open group, a stream that begins between two key
/// frames) is never shown, and is no damage.
struct PictureDamage {
    /// In order, without overlaps.
    private(set) var stretches: [Range<Time>] = []
    /// The start of a stretch whose end is not known yet.
    private var open: Time?
    /// The key frame that was fed last.
    private var key: Time?
    /// Faults before it do not count; nil while it is not known.
    private var floor: Time?
    private var early: [(time: Time, end: Time?)] = []

    /// As many stretches are told apart. Beyond, a new one and its neighbour become one.
    static let limit = 10_000

    /// Reading begins anew, somewhere else.
    mutating func seek() {
        if let open, let key { close(open, at: max(open, key)) }
        (open, key, floor, early) = (nil, nil, nil, [])
    }

    /// A packet is about to be decoded that is presented at `time`.
    mutating func feed(_ time: Time, isKey: Bool) {
        if isKey {
            key = max(key ?? time, time)
            if let open, time > open { close(open, at: time) }
        } else if let open, time < open, time >= key ?? time {
            // It comes after the damaged packet and may lean on it.
            self.open = time
        }
    }

    /// The first picture that can be shown is presented at `time`.
    mutating func begin(at time: Time) {
        guard floor == nil else { return }
        floor = time
        let faults = early
        early = []
        for fault in faults { note(fault.time, until: fault.end) }
    }

    /// The packet of the picture at `time` is damaged.
    /// - Parameter end: of the damage; nil: the next key frame.
    mutating func note(_ time: Time, until end: Time?) {
        guard let floor else { return early.append((time, end)) }
        guard time >= floor else { return }
        if let end {
            add(time..<max(end, time + Time(flicks: 1)))
        } else if let key, time < key {
            add(time..<key)
        } else {
            open = min(open ?? time, time)
        }
    }

    private mutating func close(_ start: Time, at end: Time) {
        open = nil
        add(start..<max(end, start + Time(flicks: 1)))
    }

    private mutating func add(_ stretch: Range<Time>) {
        var new = stretch
        let first = stretches.firstIndex { $0.upperBound >= new.lowerBound } ?? stretches.count
        let last = stretches.lastIndex { $0.lowerBound <= new.upperBound }.map { $0 + 1 } ?? first
        if first < last {
            new = min(new.lowerBound, stretches[first].lowerBound)..<max(new.upperBound, stretches[last - 1].upperBound)
            stretches.replaceSubrange(first..<last, with: [new])
        } else if stretches.count < Self.limit {
            stretches.insert(new, at: first)
        } else {
            let neighbour = min(first, stretches.count - 1)
            let old = stretches[neighbour]
            stretches[neighbour] = min(new.lowerBound, old.lowerBound)..<max(new.upperBound, old.upperBound)
        }
    }

    /// What is damaged within `range`, from the first damaged moment to the last one.
    func overlap(with range: ClosedRange<Time>) -> Range<Time>? {
        var known = stretches.filter { $0.lowerBound <= range.upperBound && $0.upperBound > range.lowerBound }
        if let open, open <= range.upperBound { known.append(open..<max(range.upperBound, open) + Time(flicks: 1)) }
        guard let first = known.map(\.lowerBound).min(), let last = known.map(\.upperBound).max() else { return nil }
        let start = max(first, range.lowerBound)
        return start..<max(start + Time(flicks: 1), min(last, range.upperBound + Time(flicks: 1)))
    }
}
