import Values

/// Which content a timeline shows when: pieces in timeline order that never overlap.
///
/// Maps compose (``then(_:)``): output → final timeline → timeline before each effect → main track
/// → source. A map may leave times without content (one clip's map covers that clip's stretch
/// only); the maps of time effects are contiguous from zero.
public struct TimeMap: Hashable, Sendable {
    public private(set) var pieces: [Piece]

    /// - Precondition: pieces are in timeline order without overlap; empty ones are dropped.
    public init(_ pieces: [Piece]) {
        self.pieces = pieces.filter { !$0.timeline.isEmpty }
    }

    /// Shows content as it is from zero to `duration`.
    public static func identity(_ duration: Time) -> TimeMap {
        TimeMap([Piece(timeline: TimeRange(start: .zero, duration: duration), contentStart: .zero)])
    }

    /// A timeline of `duration` after a *speed* effect: `range` of it plays `factor` times as fast.
    public static func speed(_ range: TimeRange, factor: Rational, of duration: Time) -> TimeMap {
        let range = range.clamped(to: TimeRange(start: .zero, duration: duration))
        let fast = TimeRange(start: range.start, duration: range.duration.scaled(by: factor.reciprocal))
        return TimeMap([
            Piece(timeline: TimeRange(start: .zero, duration: range.start), contentStart: .zero),
            Piece(timeline: fast, contentStart: range.start, speed: factor),
            Piece(timeline: TimeRange(start: fast.end, duration: duration - range.end), contentStart: range.end),
        ])
    }

    /// A timeline of `duration` after a *repeat* effect: `range` of it plays `count` times in all.
    public static func repeating(_ range: TimeRange, count: Int, of duration: Time) -> TimeMap {
        let range = range.clamped(to: TimeRange(start: .zero, duration: duration))
        guard !range.isEmpty, count > 1 else { return .identity(duration) }
        var pieces = [Piece(timeline: TimeRange(start: .zero, duration: range.end), contentStart: .zero)]
        for pass in 1..<count {
            let start = range.end + Time(flicks: range.duration.flicks * Int64(pass - 1))
            pieces.append(Piece(timeline: TimeRange(start: start, duration: range.duration), contentStart: range.start))
        }
        let end = range.end + Time(flicks: range.duration.flicks * Int64(count - 1))
        pieces.append(Piece(timeline: TimeRange(start: end, duration: duration - range.end), contentStart: range.end))
        return TimeMap(pieces)
    }

    /// A timeline that begins at `range.start` of the content and is as long as `range`.
    public static func slice(_ range: TimeRange) -> TimeMap {
        TimeMap([Piece(timeline: TimeRange(start: .zero, duration: range.duration), contentStart: range.start)])
    }

    /// The end of the last piece.
    public var duration: Time { pieces.last?.timeline.end ?? .zero }

    /// The piece that is playing at `time`; nil where there is none.
    public func piece(at time: Time) -> Piece? {
        let index = firstIndex(in: pieces) { $0.timeline.end > time }
        return index < pieces.count && pieces[index].timeline.contains(time) ? pieces[index] : nil
    }

    /// The content at timeline time `time`. Total on a map with pieces: before, after and between
    /// pieces the nearest edge answers.
    public func content(at time: Time) -> Time {
        let index = firstIndex(in: pieces) { $0.timeline.end > time }
        guard index < pieces.count else { return pieces.last.map { $0.content(at: $0.timeline.end) } ?? time }
        return pieces[index].content(at: max(time, pieces[index].timeline.start))
    }

    /// The first timeline time at which content time `time` is shown; nil where it never is. The
    /// end of the content answers with the end of the timeline.
    public func timeline(of time: Time) -> Time? {
        if let piece = pieces.first(where: { $0.content.contains(time) }) {
            return min(piece.timeline(of: time), piece.timeline.end)
        }
        return pieces.last.flatMap { $0.content.end == time ? $0.timeline.end : nil }
    }

    /// The edge of a piece whose content is nearest to `time`, the first of several: the answer for
    /// a time that rounding left between two pieces. nil without pieces.
    func timeline(nearest time: Time) -> Time? {
        var best: (distance: Time, time: Time)?
        for piece in pieces {
            for (content, edge) in [
                (piece.content.start, piece.timeline.start), (piece.content.end, piece.timeline.end),
            ] {
                let distance = max(content - time, time - content)
                if best.map({ distance < $0.distance }) ?? true { best = (distance, edge) }
            }
        }
        return best?.time
    }

    /// The pieces that have time in common with `range`.
    public func pieces(in range: TimeRange) -> ArraySlice<Piece> {
        let first = firstIndex(in: pieces) { $0.timeline.end > range.start }
        let end = firstIndex(in: pieces) { $0.timeline.start >= range.end }
        return pieces[first..<max(first, end)]
    }

    /// Where the end of a half-open content range falls: the first timeline time *up to which*
    /// content has played to `time`; nil where it never does.
    func timeline(ofEnd time: Time) -> Time? {
        if let piece = pieces.first(where: { $0.content.start < time && time <= $0.content.end }) {
            return min(piece.timeline(of: time), piece.timeline.end)
        }
        return timeline(of: time)
    }

    /// The shortest content range that covers what `range` of the timeline shows; nil where it
    /// shows nothing.
    public func content(of range: TimeRange) -> TimeRange? {
        var result: TimeRange?
        for piece in pieces(in: range) {
            guard let part = piece.timeline.intersection(range) else { continue }
            let to = part.end == piece.timeline.end ? piece.content.end : piece.content(at: part.end)
            let shown = TimeRange(from: piece.content(at: part.start), to: to)
            result = result?.union(shown) ?? shown
        }
        return result
    }

    /// This map followed by `inner`: where this one shows content time x, the result shows what
    /// `inner` shows at x. A stretch for which `inner` has no piece is left out. Only `inner` may
    /// have reversed pieces: clips play backwards, timelines do not.
    public func then(_ inner: TimeMap) -> TimeMap { TimeMap(links(to: inner).map(\.piece)) }

    /// A piece of a composed map, and which piece of the inner map it goes through.
    public struct Link: Hashable, Sendable {
        public var piece: Piece
        public var inner: Int
    }

    /// How many pieces ``then(_:)`` has at most, without making them.
    func linkCount(to inner: TimeMap) -> Int {
        pieces.reduce(0) { $0 + max(1, inner.pieces(in: $1.content).count) }
    }

    /// ``then(_:)``, but it says for each piece which one of `inner` it shows.
    public func links(to inner: TimeMap) -> [Link] {
        var result: [Link] = []
        for outer in pieces {
            var content = outer.content
            // A very slow piece may show less than a flick: it stands on that flick, the last one
            // at the end.
            if content.isEmpty {
                if content.start == inner.duration { content.start.flicks -= 1 }
                content.duration = Time(flicks: 1)
            }
            for index in firstIndex(in: inner.pieces, where: { $0.timeline.end > content.start })..<inner.pieces.count {
                let next = inner.pieces[index]
                guard let common = content.intersection(next.timeline) else { break }
                // An edge that both share is taken over, not computed: neighbours stay contiguous
                // to the flick.
                let from = common.start == content.start ? outer.timeline.start : outer.timeline(of: common.start)
                let to = common.end == content.end ? outer.timeline.end : outer.timeline(of: common.end)
                guard from < to else { continue }
                let piece = Piece(
                    timeline: TimeRange(from: from, to: to), contentStart: next.content(at: common.start),
                    speed: outer.speed * next.speed)
                result.append(Link(piece: piece, inner: index))
            }
        }
        return result
    }

    /// Returns the map from zero to `end` without gaps: where the rounding of several maps left
    /// some flicks without content, the piece before them is extended.
    func closed(to end: Time) -> TimeMap {
        var result = pieces
        for index in result.indices {
            let start = index == 0 ? .zero : result[index].timeline.start
            let next = index + 1 < result.count ? result[index + 1].timeline.start : end
            result[index].contentStart = result[index].content(at: start)
            result[index].timeline = TimeRange(from: start, to: max(start, next))
        }
        return TimeMap(result)
    }

    /// Neighbours that play on without a jump at one speed become one piece.
    public func coalesced() -> TimeMap {
        var result: [Piece] = []
        for piece in pieces {
            if let last = result.last, last.timeline.end == piece.timeline.start, last.speed == piece.speed,
                last.content(at: piece.timeline.start) == piece.contentStart
            {
                result[result.count - 1].timeline.duration += piece.timeline.duration
            } else {
                result.append(piece)
            }
        }
        return TimeMap(result)
    }
}
