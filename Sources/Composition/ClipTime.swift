import Draft
import Values

/// A clip's own time → source time where that is more than one piece: a speed curve, stops, several
/// passes.
public struct ClipTime: Hashable, Sendable, Codable {
    /// In the order of the clip's own time. A stop has the speed zero.
    public var pieces: [Piece]
    /// Source times between which the pictures lie that are shown, a millisecond within the range:
    /// neither a rounded edge nor a container's coarse timestamps let in a frame that was cut away.
    /// nil where nothing is shown near that edge.
    public var earliest: Time?
    public var latest: Time?

    static let margin = Time(flicks: Time.flicksPerSecond / 1000)

    init(_ map: TimeMap, within source: TimeRange) {
        pieces = map.pieces
        let margin = min(Self.margin, Time(flicks: source.duration.flicks / 2))
        (earliest, latest) = (source.start + margin, source.end - margin)
    }

    /// What is shown at a moment.
    public struct Moment: Hashable, Sendable {
        /// Source time.
        public var time: Time
        /// Source time per time of the clip, negative backwards, zero while a picture stands.
        public var speed: Rational
    }

    /// The picture at the clip's own time `time`; before the first piece that of its start, after
    /// the last one that of its end.
    public func picture(at time: Time) -> Moment? {
        let index = min(firstIndex(in: pieces) { $0.timeline.end > time }, pieces.count - 1)
        guard index >= 0 else { return nil }
        let piece = pieces[index]
        var content = piece.content(at: min(max(time, piece.timeline.start), piece.timeline.end))
        // A stop shows the picture that begins at its place.
        if piece.speed == .zero { content += Self.margin }
        if let latest { content = min(content, latest) }
        if let earliest { content = max(content, earliest) }
        return Moment(time: content, speed: piece.speed)
    }

    /// The same in `shown`, in times that count from the first piece that is needed there.
    /// - Parameter shown: stretches of the clip's own time.
    /// - Returns: by how much the times have moved to the front, too.
    func trimmed(to shown: [TimeRange]) -> (time: ClipTime, moved: Time) {
        var kept: [Int: TimeRange] = [:]
        for range in shown {
            let first = min(firstIndex(in: pieces) { $0.timeline.end > range.start }, pieces.count - 1)
            let end = firstIndex(in: pieces) { $0.timeline.start >= range.end }
            for index in max(0, first)..<max(first + 1, end) {
                let part = range.clamped(to: pieces[index].timeline)
                kept[index] = kept[index]?.union(part) ?? part
            }
        }
        var result = self
        result.pieces = kept.sorted { $0.key < $1.key }.map { index, part in
            let piece = pieces[index]
            // What lies after the last piece asks for its end.
            return part.isEmpty ? piece : piece.trimmed(to: part)
        }
        guard let first = result.pieces.first else { return (self, .zero) }
        var content = first.content
        for piece in result.pieces { content = content.hull(with: piece.content) }
        if let earliest, content.start > earliest + Self.margin { result.earliest = nil }
        if let latest, content.end + Self.margin < latest - Self.margin { result.latest = nil }
        let moved = first.timeline.start
        for index in result.pieces.indices {
            result.pieces[index].timeline = result.pieces[index].timeline.shifted(by: -moved)
        }
        return (result, moved)
    }
}

extension TimeRange {
    /// ``union(_:)``, in which an empty range counts as a place.
    fileprivate func hull(with other: TimeRange) -> TimeRange {
        TimeRange(from: min(start, other.start), to: max(end, other.end))
    }
}

extension CompositionClip {
    init(_ placed: PlacedClip, file: Int?) {
        let isMixed = placed.clip.isMedia && placed.clip.timing.frames == .blend
        var backdrop = placed.clip.backdrop
        if case .color(let color, _) = placed.clip.content { backdrop = .color(color) }
        self.init(
            id: placed.clip.id, file: file, mode: placed.clip.mode, backdrop: backdrop,
            time: placed.time.map { ClipTime($0, within: placed.source) }, frames: isMixed ? .blend : nil,
            mixedUntil: isMixed ? placed.source.end : nil)
    }

    /// What a clip shows of its file at `time`, of the time that `content` counts.
    public func picture(_ content: Piece, at time: Time) -> ClipTime.Moment? {
        guard let own = self.time else {
            return ClipTime.Moment(time: content.picturedContent(at: time), speed: content.speed)
        }
        guard var moment = own.picture(at: content.content(at: time)) else { return nil }
        moment.speed = moment.speed * content.speed
        return moment
    }
}

extension Rational {
    /// A speed at which less content is shown than time goes by.
    public var isSlow: Bool { self > Rational(-1) && self < .one }
}
