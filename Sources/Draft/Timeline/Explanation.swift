import Values

/// Why a frame looks as it does: the clips that it shows, and the effects that act on them, with
/// their values. A pure value.
///
/// A frame shows the content at its middle. Effects and keyframes count from its start, as in a
/// render.
public struct Explanation: Hashable, Sendable {
    public struct Shown: Hashable, Sendable {
        /// See ``Overview/Item/id``.
        public var item: String
        public var label: String
        public var file: String?
        /// The time in the file, for the middle of the frame; nil where nothing runs in it.
        public var sourceTime: Time?
        public var speed: Double
        public var origin: Origin?
        /// The values that may change with time, at the start of the frame.
        public var values: [String: [Double]]
    }

    public struct Acting: Hashable, Sendable {
        public var item: String
        /// The effect's: `title`, `org.cutroom.vignette`.
        public var name: String
        /// Its own time at the start of the frame, not below zero.
        public var time: Time
        public var origin: Origin?
        public var values: [String: [Double]]
    }

    /// Of the main track, the outgoing one of a transition first; then of layers, from below.
    public var clips: [Shown]
    /// In the order in which they act: the clips' own, a transition, the effect list.
    public var effects: [Acting]

    /// - Parameters:
    ///   - frame: of the final timeline, from zero to before its end.
    ///   - rate: frames per second.
    ///   - draft: without a ``Draft/timeRange``.
    ///   - timeline: the draft's.
    public init(frame: Int, rate: Rational, of draft: Draft, _ timeline: Timeline) {
        let (start, time) = (Time(frame: frame, rate: rate), Time(middleOfFrame: frame, rate: rate))
        func own(_ piece: Piece) -> Time { max(.zero, piece.content(at: start)) }
        (clips, effects) = ([], [])
        let uses = Dictionary(uniqueKeysWithValues: draft.ownUses.map { ($0.place, $0) })
        func values(_ place: DraftPlace, _ local: Time) -> [String: [Double]] {
            (uses[place]?.values ?? []).reduce(into: [:]) { $0[$1.key] = $1.value.value(at: local) }
        }
        func addEffects(_ list: [Effect], _ piece: (Int) -> Piece?, _ item: String, _ place: (Int) -> DraftPlace) {
            for (index, effect) in list.enumerated() {
                guard let piece = piece(index) else { continue }
                let local = own(piece)
                effects.append(
                    Acting(
                        item: item, name: effect.kindName, time: local, origin: effect.origin,
                        values: values(place(index), local)))
            }
        }
        for (index, placed) in timeline.clips.enumerated() {
            guard let piece = timeline.local(ofClip: index).piece(at: time) else { continue }
            let item = "clip-\(index + 1)"
            let source = timeline.source(ofClip: index).piece(at: time)
            clips.append(
                Shown(
                    item: item, label: draft.name(of: .clip(index)), file: placed.clip.file?.path,
                    sourceTime: placed.clip.isMedia ? source?.content(at: time) : nil,
                    speed: source?.speed.doubleValue ?? 1, origin: placed.clip.origin,
                    values: values(.clip(index), own(piece))))
            addEffects(
                placed.clip.effects, { timeline.local(ofEffect: $0, ofClip: index).piece(at: time) }, item,
                { .clipEffect($0, clip: index) })
            guard let kind = placed.clip.transition?.kind,
                let mix = timeline.transition(intoClip: index).piece(at: time)
            else { continue }
            effects.append(
                Acting(
                    item: "transition-\(index + 1)", name: kind.name, time: own(mix), origin: placed.clip.origin,
                    values: values(.transition(index), own(mix))))
        }
        for (index, effect) in draft.effects.enumerated() {
            guard let piece = timeline.local(ofEffect: index).piece(at: time) else { continue }
            let (local, item) = (own(piece), "effect-\(index + 1)")
            if let layer = effect.layer, let placed = timeline.layers[index] {
                clips.append(
                    Shown(
                        item: item, label: effect.name(index), file: layer.clip.file?.path,
                        sourceTime: layer.clip.isMedia ? placed.source(at: piece.content(at: time)) : nil,
                        speed: layer.clip.speed.doubleValue, origin: effect.origin,
                        values: values(.effect(index), local)))
                addEffects(
                    layer.clip.effects, { timeline.local(ofEffect: $0, ofLayer: index).piece(at: time) }, item,
                    { .layerEffect($0, layer: index) })
            } else {
                effects.append(
                    Acting(
                        item: item, name: effect.kindName, time: local, origin: effect.origin,
                        values: values(.effect(index), local)))
            }
        }
    }
}

extension PlacedClip {
    /// The source time at the clip's own time.
    fileprivate func source(at local: Time) -> Time {
        let content = piece.content(at: piece.timeline.start + local)
        return time?.content(at: content) ?? content
    }
}
