import Values

/// The pictures of a chained file, part after part, each with a demuxer and a decoder of its own.
final class LinkedFrameReader: PictureReading {
    private let path: String
    private let parts: [FilePart]
    private let pulse: Pulse
    private var number = 0
    /// Nil for a part without a picture.
    private var reader: FrameReader?
    /// That of the part before: its last picture may still be shown when the next part was begun.
    private var previous: FrameReader?
    private(set) var tolerance = Time.zero
    /// Reading has gone on into another part since the last seek.
    private var hasGoneOn = false

    init(path: String, parts: [FilePart], pulse: @escaping Pulse) throws(MediaError) {
        (self.path, self.parts, self.pulse) = (path, parts, pulse)
        try open(0)
        tolerance = reader?.tolerance ?? .zero
    }

    var isSpoiled: Bool { reader?.isSpoiled ?? false }

    var firstTimestamp: Int64? { hasGoneOn ? nil : reader?.firstTimestamp }

    var startsOver: Bool { reader?.startsOver ?? false }

    func next() throws(MediaError) -> Picture? {
        while true {
            if let picture = try reader?.next() { return picture }
            guard number + 1 < parts.count else { return nil }
            previous = reader ?? previous
            try open(number + 1)
            hasGoneOn = true
        }
    }

    func seek(to time: Time, before limit: Int64?, hurryUntil end: Time?) throws(MediaError) -> Bool {
        let wanted = parts.lastIndex { $0.time <= time } ?? 0
        // A limit counts ticks of the part in which it was found.
        let limit = wanted == number && !hasGoneOn ? limit : nil
        if wanted != number, (try? open(wanted)) == nil { return false }
        (hasGoneOn, previous) = (false, nil)
        return try reader?.seek(to: time, before: limit, hurryUntil: end) ?? false
    }

    func mayLack(after shown: Time) -> Bool { reader?.mayLack(after: shown) ?? false }

    func damage(shown: Time, at time: Time) -> Range<Time>? {
        guard let previous, shown < parts[number].time else { return reader?.damage(shown: shown, at: time) }
        return previous.damage(shown: shown, at: min(time, parts[number].time))
    }

    func restart() throws(MediaError) {
        try open(0)
        (hasGoneOn, previous) = (false, nil)
    }

    func seekPays(to time: Time, from position: Time) -> Bool {
        let wanted = parts.lastIndex { $0.time <= time } ?? 0
        return wanted != number || reader?.seekPays(to: time, from: position) ?? false
    }

    private func open(_ part: Int) throws(MediaError) {
        number = part
        do throws(MediaError) {
            reader = try FrameReader(path: path, part: parts[part], pulse: pulse)
        } catch {
            guard error.code == .noVideo else { throw error }
            reader = nil
        }
    }
}
