import Draft
import Values

/// Every piece of output time that an instruction is made of, each list in the order of time.
///
/// A transition overlaps neighbours only, because a clip is at least as long as the transitions at
/// its two ends. So the clips with even indexes and those with odd ones are two tracks without
/// overlap: one composition of maps finds all pieces of a track, in order, and a walk needs one
/// cursor for each track. Nothing here grows with the square of the draft.
struct Tracks {
    /// A stretch of output time that shows a clip.
    struct Strip {
        var clip: Int
        /// Output time → content time, for pictures.
        var content: Piece
        /// The same for exactly the time of the strip, for sound.
        var heard: Piece
        /// Output time → the clip's own time.
        var local: Piece
        /// What makes the clip's content, where it has no file.
        var generator: Instruction.EffectUse?
        var place: Instruction.EffectUse?
        var effects: [Instruction.EffectUse]
    }

    /// What the composition has of a layer besides its look: numbers of its clip, of what makes
    /// that, and of its own effects, nil for audio filters.
    struct LayerParts {
        var clip: Int
        var generator: Int?
        var effects: [Int?]
        /// The number of the mask's clip.
        var mask: Int?
        /// The layer's time → the mask's.
        var maskPiece: Piece?
    }

    /// A stretch of output time within the transition into a clip.
    struct Overlap {
        var clip: Int
        var style: Instruction.TransitionUse.Style
        var duration: Time
        /// Output time → time since the transition began.
        var clock: Piece
    }

    let timeline: Timeline
    /// Clips with even indexes, and those with odd ones.
    private(set) var strips: [[Strip]] = [[], []]
    private(set) var overlaps: [Overlap] = []
    /// Entries of the effect list, each with its place in the list.
    private(set) var effects: [(order: Int, use: Instruction.EffectUse)] = []

    /// - Parameters:
    ///   - generators: the composition's number of what makes each clip; nil for clips with a file.
    ///   - clipEffects: the composition's numbers of each clip's own effects; nil for audio
    ///     filters.
    ///   - places: the composition's number of each clip's place on the canvas; nil for clips that
    ///     have none.
    ///   - transitions: that of the plugin's effect that makes the transition into each clip; nil
    ///     for other clips.
    ///   - listed: those of the effect list; nil for time effects and audio filters.
    ///   - layers: the parts of layers, by their places in the effect list.
    ///   - all: the composition's effects.
    init(
        _ timeline: Timeline, generators: [Int?], clipEffects: [[Int?]], places: [Int?], transitions: [Int?],
        listed: [Int?], layers: [Int: LayerParts], of all: [CompositionEffect]
    ) {
        self.timeline = timeline
        /// How long a plugin is told that its range is.
        func length(_ number: Int, _ range: TimeRange) -> Time { all[number].plugin == nil ? .zero : range.duration }
        /// A clip's own effects during one of its strips.
        func uses(_ placed: PlacedClip, _ numbers: [Int?], _ local: Piece) -> [Instruction.EffectUse] {
            zip(placed.clip.effects, numbers).flatMap { effect, number -> [Instruction.EffectUse] in
                guard let number else { return [] }
                let range = effect.range(in: placed.timeline.duration)
                let clock = TimeMap([local]).then(TimeMap([Piece(timeline: range, contentStart: .zero)]))
                return clock.pieces.map {
                    Instruction.EffectUse(effect: number, clock: $0, length: length(number, range))
                }
            }
        }
        let main = timeline.maps[0]
        for parity in 0...1 {
            let clips = timeline.clips.filter { $0.index % 2 == parity }
            strips[parity] = main.links(to: TimeMap(clips.map(\.local))).map { link in
                let placed = clips[link.inner]
                let (local, outer) = (link.piece, placed.piece)
                let heard = Piece(
                    timeline: local.timeline,
                    contentStart: outer.content(at: placed.timeline.start + local.contentStart),
                    speed: local.speed * outer.speed)
                let generator = generators[placed.index].map {
                    Instruction.EffectUse(effect: $0, clock: local, length: placed.timeline.duration)
                }
                return Strip(
                    clip: placed.index,
                    content: Self.content(of: outer, shown: local, from: placed.timeline.start) ?? heard, heard: heard,
                    local: local, generator: generator,
                    place: places[placed.index].map {
                        Instruction.EffectUse(effect: $0, clock: local, length: .zero)
                    }, effects: uses(placed, clipEffects[placed.index], local))
            }
        }
        if timeline.clips.isEmpty {
            // Without clips the background is one, as long as the main track.
            strips[0] = main.pieces.map { Strip(clip: 0, content: $0, heard: $0, local: $0, effects: []) }
        }
        let joined = timeline.clips.filter { $0.transition != nil }
        overlaps = main.links(to: TimeMap(joined.compactMap(\.transition))).compactMap { link in
            let placed = joined[link.inner]
            guard let transition = placed.clip.transition else { return nil }
            return Overlap(
                clip: placed.index, style: transitions[placed.index].map { .effect($0) } ?? .builtIn(transition.kind),
                duration: transition.duration, clock: link.piece)
        }
        for (order, number) in listed.enumerated() {
            guard let number, let range = timeline.effectRanges[order] else { continue }
            if let placed = timeline.layers[order], let parts = layers[order] {
                effects += timeline.local(ofEffect: order).pieces.map { clock in
                    let generator = parts.generator.map {
                        Instruction.EffectUse(effect: $0, clock: clock, length: placed.timeline.duration)
                    }
                    let clip = Instruction.ClipUse(
                        clip: parts.clip, content: Self.content(of: placed.piece, shown: clock), generator: generator,
                        effects: uses(placed, parts.effects, clock))
                    let mask = parts.mask.flatMap { number in
                        parts.maskPiece.map {
                            Instruction.ClipUse(
                                clip: number, content: Self.content(of: $0, shown: clock), effects: [])
                        }
                    }
                    return (
                        order,
                        Instruction.EffectUse(effect: number, clock: clock, length: .zero, clip: clip, mask: mask)
                    )
                }
                continue
            }
            let length = length(number, range)
            effects += timeline.local(ofEffect: order).pieces.map {
                (order, Instruction.EffectUse(effect: number, clock: $0, length: length))
            }
        }
        effects.sort { ($0.use.clock.timeline.start, $0.order) < ($1.use.clock.timeline.start, $1.order) }
    }
}

extension Tracks {
    /// Output time → content time of a layer's clip.
    private static func content(of clip: Piece, shown local: Piece) -> Piece {
        content(of: clip, shown: local, from: .zero)
            ?? Piece(
                timeline: local.timeline, contentStart: clip.content(at: local.contentStart),
                speed: local.speed * clip.speed)
    }

    /// Output time → content time of a strip, where the timeline runs at its own speed: the clip's
    /// own line, to the flick, wherever the strip begins. So what lies before the strip changes no
    /// picture in it. The piece may begin some flicks before the strip, where the content is a
    /// whole number of them.
    /// - Returns: nil where the timeline runs at another speed.
    private static func content(of clip: Piece, shown local: Piece, from start: Time) -> Piece? {
        guard local.speed == .one else { return nil }
        let main = TimeRange(start: start + local.contentStart, duration: local.timeline.duration)
        var piece = clip.trimmed(to: main)
        piece.timeline = piece.timeline.shifted(by: local.timeline.start - main.start)
        return piece
    }
}

// MARK: - Instructions

extension Tracks {
    /// Edges closer than this are one: rounding of odd speeds must not make slivers. One
    /// microsecond.
    private static let sliver = Time(flicks: 706)

    /// What is shown between one edge of any piece and the next. Contiguous from zero to `end`.
    func instructions(end: Time) -> [Instruction] {
        var walk = Walk(self)
        var result: [Instruction] = []
        for range in cuts(end: end) {
            if let next = walk.instruction(in: range) {
                result.append(next)
            } else if !result.isEmpty {
                // Rounding left a moment without a clip: what was shown goes on.
                result[result.count - 1].range.duration += range.duration
            }
        }
        guard let first = result.first, let last = result.last else { return [] }
        result[0].range = TimeRange(from: .zero, to: first.range.end)
        // The last frame is whole, though the rendered range may end within it.
        result[result.count - 1].range = TimeRange(from: result.count == 1 ? .zero : last.range.start, to: end)
        return result
    }

    /// Contiguous from zero to the end of what is rendered.
    private func cuts(end: Time) -> [TimeRange] {
        let pieces =
            strips.joined().flatMap { [$0.local] + $0.effects.map(\.clock) } + overlaps.map(\.clock)
            + effects.flatMap { [$0.use.clock] + ($0.use.clip?.effects.map(\.clock) ?? []) }
        var edges: Set<Time> = []
        for piece in pieces {
            edges.insert(onMiddle(piece.timeline.start))
            edges.insert(onMiddle(piece.timeline.end))
        }
        let last = min(end, timeline.rendered.duration)
        var kept: [Time] = [.zero]
        for edge in edges.sorted() where edge - kept[kept.count - 1] > Self.sliver && last - edge > Self.sliver {
            kept.append(edge)
        }
        kept.append(last)
        return zip(kept, kept.dropFirst()).map { TimeRange(from: $0, to: $1) }
    }

    /// An edge as it is used: where rounding put it just after a frame's middle, that middle, so
    /// that the frame shows what begins there.
    private func onMiddle(_ edge: Time) -> Time {
        let rate = timeline.frameRate
        let middle = Time(middleOfFrame: edge.frameIndex(rate: rate), rate: rate)
        return edge > middle && edge - middle <= Time.frameTolerance ? middle : edge
    }
}

/// A walk through the tracks in the order of time.
private struct Walk {
    let tracks: Tracks
    private var strips = [0, 0]
    private var overlap = 0
    private var nextEffect = 0
    /// In the order of the effect list.
    private var active: [(order: Int, use: Instruction.EffectUse)] = []

    init(_ tracks: Tracks) { self.tracks = tracks }

    /// What is shown in `range`; nil for nothing. To be asked in the order of time.
    mutating func instruction(in range: TimeRange) -> Instruction? {
        // The middle decides: at an edge a neighbour's rounding could.
        let middle = range.start + Time(flicks: range.duration.flicks / 2)
        let effects = advanceEffects(to: middle)
        var shown = (0...1).compactMap { strip($0, at: middle) }
        guard !shown.isEmpty else { return nil }
        shown.sort { $0.clip < $1.clip }
        let transition = shown.count == 2 ? self.transition(into: shown[1].clip, at: middle) : nil
        let clips = (transition == nil ? shown.suffix(1) : shown[...]).map { strip in
            Instruction.ClipUse(
                clip: strip.clip, content: strip.content, generator: strip.generator, place: strip.place,
                effects: strip.effects.filter { $0.clock.timeline.contains(middle) })
        }
        return Instruction(range: range, clips: clips, transition: transition, effects: effects)
    }

    private mutating func strip(_ parity: Int, at time: Time) -> Tracks.Strip? {
        let track = tracks.strips[parity]
        while strips[parity] < track.count, track[strips[parity]].local.timeline.end <= time { strips[parity] += 1 }
        guard strips[parity] < track.count, track[strips[parity]].local.timeline.contains(time) else { return nil }
        return track[strips[parity]]
    }

    private mutating func transition(into clip: Int, at time: Time) -> Instruction.TransitionUse? {
        while overlap < tracks.overlaps.count, tracks.overlaps[overlap].clock.timeline.end <= time { overlap += 1 }
        guard overlap < tracks.overlaps.count, tracks.overlaps[overlap].clip == clip,
            tracks.overlaps[overlap].clock.timeline.contains(time)
        else { return nil }
        let found = tracks.overlaps[overlap]
        return Instruction.TransitionUse(style: found.style, duration: found.duration, clock: found.clock)
    }

    private mutating func advanceEffects(to time: Time) -> [Instruction.EffectUse] {
        active.removeAll { $0.use.clock.timeline.end <= time }
        while nextEffect < tracks.effects.count, tracks.effects[nextEffect].use.clock.timeline.start <= time {
            let next = tracks.effects[nextEffect]
            nextEffect += 1
            guard next.use.clock.timeline.end > time else { continue }
            active.insert(next, at: active.firstIndex { $0.order > next.order } ?? active.count)
        }
        return active.map { $0.use.shown(at: time) }
    }
}

extension Instruction.EffectUse {
    /// The same with those of a layer's own effects that act at a time.
    fileprivate func shown(at time: Time) -> Instruction.EffectUse {
        var use = self
        use.shown = shown.map { clips in
            clips.map { clip in
                var clip = clip
                clip.effects.removeAll { !$0.clock.timeline.contains(time) }
                return clip
            }
        }
        return use
    }
}
