import Values

/// A draft with everything decided: where each clip lies, what each effect does to time, which part
/// is rendered.
///
/// The chain of maps is *output* (zero where the rendered range starts) → *timeline n* (the final
/// timeline) → … → *timeline 0* (the main track) → a clip's source. Timeline k is the one that the
/// first k entries of the effect list have made. Everything that asks "what is shown at this time"
/// asks one of these maps.
public struct Timeline: Sendable {
    public let clips: [PlacedClip]
    public let audio: [PlacedAudioClip]
    /// The length of the main track: the clips' durations less the overlaps.
    public let originalDuration: Time
    /// The length after all time effects.
    public let duration: Time
    /// The part of the final timeline that is rendered.
    public let rendered: TimeRange
    public let frameRate: Rational
    public let size: Canvas.Size
    /// Output time → timeline k, for k in 0…n.
    public let maps: [TimeMap]
    /// Between the main track and the final timeline.
    public let retiming: Retiming
    /// The effect list's ranges on their own maps; nil for time effects.
    public let effectRanges: [TimeRange?]
    /// The clips of layers, each in its layer's own time, by the layers' places in the effect list.
    public let layers: [Int: PlacedClip]

    /// - Parameter isNested: another draft shows this one.
    /// - Throws: every problem of the draft, as ``Draft/validate(_:)`` reports them.
    public init(_ draft: Draft, catalog: Catalog, isNested: Bool = false) throws(Problems) {
        var builder = TimelineBuilder(draft, catalog, isNested: isNested)
        let timeline = builder.build()
        guard let timeline, builder.problems.isEmpty else { throw Problems(builder.reported) }
        self = timeline
    }

    init(
        clips: [PlacedClip], audio: [PlacedAudioClip], retiming: Retiming, maps: [TimeMap],
        effectRanges: [TimeRange?], rendered: TimeRange, frameRate: Rational, size: Canvas.Size,
        layers: [Int: PlacedClip]
    ) {
        self.clips = clips
        self.audio = audio
        self.retiming = retiming
        self.maps = maps
        self.effectRanges = effectRanges
        self.rendered = rendered
        self.frameRate = frameRate
        self.size = size
        self.layers = layers
        originalDuration = retiming.duration
        duration = retiming.map.duration
    }

    /// How many frames are rendered: every n ≥ 0 with n/rate inside the rendered range.
    public var frameCount: Int { rendered.duration.frameCount(rate: frameRate) }
}

/// A clip on the main track.
public struct PlacedClip: Sendable {
    public let index: Int
    public let clip: Clip
    /// What is known of its file; nil where the content is generated.
    public let info: MediaInfo?
    /// Main-track time → content time, which is source time, reversed where the clip is, or where
    /// ``time`` is there the clip's own time; for an image, or what is generated, the time since it
    /// appeared.
    public let piece: Piece
    /// The clip's own time → source time, where that is more than one piece: see ``Clip/Timing``.
    public let time: TimeMap?
    /// The part of the media that plays.
    public let source: TimeRange
    /// How long this clip and the one before it overlap.
    public let overlap: Time

    /// On the main track, transitions included.
    public var timeline: TimeRange { piece.timeline }
    /// Main-track time → the clip's own time, zero at its first frame.
    public var local: Piece { Piece(timeline: piece.timeline, contentStart: .zero) }
    /// Main-track time → time since the transition into this clip began; nil where it has none.
    public var transition: Piece? {
        overlap > .zero
            ? Piece(timeline: TimeRange(start: timeline.start, duration: overlap), contentStart: .zero) : nil
    }
}

/// An audio clip on the final timeline.
public struct PlacedAudioClip: Sendable {
    public let index: Int
    public let clip: AudioClip
    public let info: MediaInfo
    /// In source time.
    public let range: TimeRange

    /// How long one pass of the range takes.
    public var passDuration: Time { range.duration.scaled(by: clip.speed.reciprocal) }

    /// When pass `index` begins, in final time; computed from the index, so that rounding does not
    /// add up.
    public func start(ofPass index: Int) -> Time {
        clip.startTime + Time(flicks: range.duration.flicks * Int64(index)).scaled(by: clip.speed.reciprocal)
    }

    /// How many passes begin before the end of a timeline of `duration`.
    public func passCount(duration: Time) -> Int {
        guard clip.startTime < duration else { return 0 }
        guard clip.loops else { return 1 }
        let pass = max(1, passDuration.flicks)
        return Int(((duration - clip.startTime).flicks + pass - 1) / pass)
    }
}

// MARK: - Maps from output time

extension Timeline {
    /// Output time → source time of clip `index`.
    public func source(ofClip index: Int) -> TimeMap {
        let content = maps[0].then(TimeMap([clips[index].piece]))
        return clips[index].time.map { content.then($0) } ?? content
    }

    /// Output time → the clip's own time.
    public func local(ofClip index: Int) -> TimeMap { maps[0].then(TimeMap([clips[index].local])) }

    /// Output time → time within the transition into clip `index`; empty where it has none.
    public func transition(intoClip index: Int) -> TimeMap {
        clips[index].transition.map { maps[0].then(TimeMap([$0])) } ?? TimeMap([])
    }

    /// Output time → time within the range of entry `index` of the effect list; empty for a time
    /// effect.
    public func local(ofEffect index: Int) -> TimeMap {
        effectRanges[index].map { maps[index].then(TimeMap([Piece(timeline: $0, contentStart: .zero)])) }
            ?? TimeMap([])
    }

    /// Output time → time within the range of entry `effect` of the own effects of the layer at
    /// place `index` of the effect list.
    public func local(ofEffect effect: Int, ofLayer index: Int) -> TimeMap {
        local(ofEffect: index).then(
            TimeMap([Piece(timeline: range(ofEffect: effect, ofLayer: index), contentStart: .zero)]))
    }

    /// Output time → time within the range of entry `effect` of clip `index`'s own effects.
    public func local(ofEffect effect: Int, ofClip index: Int) -> TimeMap {
        local(ofClip: index).then(
            TimeMap([Piece(timeline: range(ofEffect: effect, ofClip: index), contentStart: .zero)]))
    }

    /// Output time → the time of audio clip `index`, as long as it is heard.
    public func local(ofAudio index: Int) -> TimeMap {
        let heard = TimeRange(start: audio[index].clip.startTime, duration: heardDuration(ofAudio: index))
        return maps[maps.count - 1].then(TimeMap([Piece(timeline: heard, contentStart: .zero)]))
    }

    /// Output time → time within the range of entry `effect` of audio clip `index`'s own effects.
    public func local(ofEffect effect: Int, ofAudio index: Int) -> TimeMap {
        local(ofAudio: index).then(
            TimeMap([Piece(timeline: range(ofEffect: effect, ofAudio: index), contentStart: .zero)]))
    }

    /// How long audio clip `index` is heard: what reaches past the timeline's end is cut off. Zero
    /// where it begins after it.
    public func heardDuration(ofAudio index: Int) -> Time {
        let placed = audio[index]
        let rest = max(.zero, duration - placed.clip.startTime)
        return placed.clip.loops ? rest : min(rest, placed.passDuration)
    }

    /// The range of entry `effect` of audio clip `index`'s own effects, in the clip's time.
    public func range(ofEffect effect: Int, ofAudio index: Int) -> TimeRange {
        audio[index].clip.effects[effect].range(in: heardDuration(ofAudio: index))
    }

    /// The range of entry `index` of the effect list on its own timeline; empty for a time effect.
    public func range(ofEffect index: Int) -> TimeRange { effectRanges[index] ?? .zero }

    /// The range of entry `effect` of clip `index`'s own effects, in the clip's time.
    public func range(ofEffect effect: Int, ofClip index: Int) -> TimeRange {
        clips[index].clip.effects[effect].range(in: clips[index].timeline.duration)
    }

    /// The range of entry `effect` of the own effects of the layer at place `index` of the effect
    /// list, in the layer's time.
    public func range(ofEffect effect: Int, ofLayer index: Int) -> TimeRange {
        guard let placed = layers[index] else { return .zero }
        return placed.clip.effects[effect].range(in: placed.timeline.duration)
    }
}

extension Effect {
    /// The range of an entry of a clip's own list, in the clip's time.
    public func range(in duration: Time) -> TimeRange {
        let whole = TimeRange(start: .zero, duration: duration)
        return (range ?? whole).clamped(to: whole)
    }
}
