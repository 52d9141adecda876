import Values

/// Where a draft's clips lie and what its effect list makes of time, as far as that is known
/// whatever else is wrong with it: so that who mends it can ask how long it is. An entry of the
/// effect list that is wrong is taken for one that changes nothing.
public struct Outline: Sendable {
    /// The clips up to the first one of which the place is not known.
    public let clips: [PlacedClip]
    /// The length of the main track; nil where not all of the clips' places are known, as for
    /// ``duration``.
    public let originalDuration: Time?
    /// The length after all time effects.
    public let duration: Time?
    /// nil where a length is not known, and where the effects play in too many pieces.
    public let retiming: Retiming?

    public init(_ draft: Draft, catalog: Catalog) {
        var builder = TimelineBuilder(draft, catalog)
        let sketch = builder.sketch()
        clips = sketch.clips
        // Without a length yet it is empty, not unknown.
        let empty: Time? = draft.clips.isEmpty ? .zero : nil
        let end = sketch.stack.flatMap { _ in sketch.end } ?? empty
        originalDuration = end
        duration = sketch.stack?.duration ?? empty
        let maps = sketch.stack == nil && draft.clips.isEmpty ? [TimeMap([])] : sketch.maps
        retiming = end.flatMap { end in maps.map { Retiming($0[0], of: end) } }
    }
}

/// Times of the main track on the final timeline, and the other way.
public struct Retiming: Sendable {
    /// Final time → main-track time.
    let map: TimeMap
    /// The main track's length.
    let duration: Time

    init(_ map: TimeMap, of duration: Time) {
        self.map = map
        self.duration = duration
    }

    /// Where main-track time `time` is first shown on the final timeline; nil outside the main
    /// track, whose end belongs to it here.
    public func applyEffects(to time: Time) -> Time? { applied(time, map.timeline(of: time)) }

    /// Where a main-track range is first shown; nil where it is not inside the main track.
    public func applyEffects(to range: TimeRange) -> TimeRange? {
        guard let start = applyEffects(to: range.start), let end = applied(range.end, map.timeline(ofEnd: range.end))
        else {
            return nil
        }
        return TimeRange(from: start, to: max(start, end))
    }

    /// A time on the main track that no piece shows (a high speed rounds up to half as many flicks
    /// away) is where its nearest neighbour is.
    private func applied(_ time: Time, _ exact: Time?) -> Time? {
        guard time >= .zero, time <= duration else { return nil }
        return exact ?? map.timeline(nearest: time)
    }

    /// Returns the main-track time that is shown at final time `time`; nil outside the timeline,
    /// whose end belongs to it here.
    public func removeEffects(from time: Time) -> Time? {
        guard !map.pieces.isEmpty, time >= .zero, time <= map.duration else { return nil }
        return map.content(at: time)
    }

    /// Returns the shortest main-track range that covers what `range` of the final timeline shows;
    /// nil where `range` is not inside the timeline.
    public func removeEffects(from range: TimeRange) -> TimeRange? {
        guard let start = removeEffects(from: range.start), removeEffects(from: range.end) != nil else { return nil }
        return map.content(of: range) ?? TimeRange(start: start, duration: .zero)
    }
}
