import Values

/// A draft's things as they lie on the final timeline, for a drawing of it. A pure value.
public struct Overview: Hashable, Sendable {
    /// Things of one kind, which lie in lanes: those of one lane do not overlap.
    public struct Track: Hashable, Sendable {
        public var name: String
        public var items: [Item]
    }

    public struct Item: Hashable, Sendable {
        public enum Kind: String, Hashable, Sendable {
            case clip, layer, audio, effect, title, sticker, subtitles, transition
        }

        /// Unique in the draft: `clip-1`, `effect-2`.
        public var id: String
        public var kind: Kind
        public var label: String
        /// Where it is first shown on the final timeline, to where it is last shown.
        public var range: TimeRange
        public var lane = 0
        public var file: String?
        public var origin: Origin?
        /// The part of the media that plays.
        public var source: TimeRange?
        public var speed = 1.0
        public var hasPicture = false
        public var hasSound = false
        /// The place of the same in the draft.
        public var place: DraftPlace
    }

    /// The main track, layers, effects and sound, in this order.
    public var tracks: [Track]

    /// - Parameters:
    ///   - draft: without a ``Draft/timeRange``.
    ///   - timeline: the draft's.
    public init(_ draft: Draft, _ timeline: Timeline, _ catalog: Catalog) {
        let builder = OverviewBuilder(draft: draft, timeline: timeline, catalog: catalog)
        let effects = draft.effects.indices.compactMap(builder.effect)
        func inLanes(_ items: [Item]) -> [Item] {
            var ends: [Time] = []
            return items.map { item in
                var item = item
                item.lane = ends.firstIndex { $0 <= item.range.start } ?? ends.count
                if item.lane == ends.count { ends.append(item.range.end) } else { ends[item.lane] = item.range.end }
                return item
            }
        }
        tracks = [
            Track(name: "main", items: draft.clips.indices.flatMap(builder.clip)),
            Track(name: "layers", items: inLanes(effects.filter { $0.kind != .effect })),
            Track(name: "effects", items: inLanes(effects.filter { $0.kind == .effect })),
            Track(name: "audio", items: inLanes(draft.audio.indices.compactMap(builder.audio))),
        ]
    }
}

private struct OverviewBuilder {
    let draft: Draft
    let timeline: Timeline
    let catalog: Catalog

    /// A clip of the main track, and the transition into it.
    func clip(_ index: Int) -> [Overview.Item] {
        let placed = timeline.clips[index]
        guard let range = timeline.retiming.applyEffects(to: placed.timeline) else { return [] }
        let item = item("clip-\(index + 1)", .clip, of: placed.clip, range, placed.source, at: .clip(index))
        guard placed.overlap > .zero, let transition = placed.clip.transition,
            let mixed = timeline.retiming.applyEffects(
                to: TimeRange(start: placed.timeline.start, duration: placed.overlap))
        else { return [item] }
        return [
            Overview.Item(
                id: "transition-\(index + 1)", kind: .transition, label: transition.kind.name, range: mixed,
                origin: placed.clip.origin, place: .transition(index)), item,
        ]
    }

    private func item(
        _ id: String, _ kind: Overview.Item.Kind, of clip: Clip, _ range: TimeRange, _ source: TimeRange?,
        at place: DraftPlace
    ) -> Overview.Item {
        let info = clip.file.flatMap { catalog.info($0.path) }
        var item = Overview.Item(id: id, kind: kind, label: clip.label, range: range, origin: clip.origin, place: place)
        item.file = clip.path.isEmpty ? nil : clip.path
        item.source = source
        item.speed = clip.speed.doubleValue * (clip.isReversed ? -1 : 1)
        item.hasPicture = info.map { $0.video != nil || $0.kind == .image } ?? true
        item.hasSound = info?.audio != nil
        return item
    }

    func effect(_ index: Int) -> Overview.Item? {
        let effect = draft.effects[index]
        guard let range = range(ofEffect: index) else { return nil }
        let id = "effect-\(index + 1)"
        if let layer = effect.layer {
            var item = item(
                id, .layer, of: layer.clip, range, timeline.layers[index]?.source, at: .effect(index))
            item.origin = effect.origin ?? item.origin
            return item
        }
        let (kind, label, file): (Overview.Item.Kind, String, String?) =
            switch effect.kind {
            case .picture(.title(let title)): (.title, String(title.text.prefix(80)), nil)
            case .picture(.sticker(let sticker)): (.sticker, fileName(sticker.path), sticker.path)
            case .picture(.subtitles(let subtitles)): (.subtitles, fileName(subtitles.path), subtitles.path)
            case .picture(.lut(let look)): (.effect, fileName(look.path), look.path)
            case .speed(let factor): (.effect, "speed \(factor)", nil)
            case .repeat(let count): (.effect, "repeat \(count)", nil)
            case .picture, .sound, .layer: (.effect, effect.kindName, nil)
            }
        return Overview.Item(
            id: id, kind: kind, label: label, range: range, file: file, origin: effect.origin, place: .effect(index))
    }

    /// From where an entry of the effect list first acts to where it last does.
    private func range(ofEffect index: Int) -> TimeRange? {
        let effect = draft.effects[index]
        var map = timeline.local(ofEffect: index)
        if effect.isTimeEffect {
            let whole = TimeRange(start: .zero, duration: timeline.maps[index].pieces.map(\.content.end).max() ?? .zero)
            let range = effect.range.map { $0.clamped(to: whole) } ?? whole
            map = timeline.maps[index].then(TimeMap([Piece(timeline: range, contentStart: .zero)]))
        }
        guard let first = map.pieces.first, let last = map.pieces.last else { return nil }
        return TimeRange(from: first.timeline.start, to: last.timeline.end)
    }

    func audio(_ index: Int) -> Overview.Item? {
        let placed = timeline.audio[index]
        let heard = timeline.heardDuration(ofAudio: index)
        guard heard > .zero else { return nil }
        var item = Overview.Item(
            id: "audio-\(index + 1)", kind: .audio, label: placed.clip.id ?? fileName(placed.clip.path),
            range: TimeRange(start: placed.clip.startTime, duration: heard), file: placed.clip.path,
            origin: placed.clip.origin, place: .audio(index))
        item.source = placed.range
        item.speed = placed.clip.speed.doubleValue
        item.hasSound = true
        return item
    }
}

private func fileName(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

extension Clip {
    /// What a drawing calls it.
    fileprivate var label: String {
        if let id { return id }
        if let generator { return generator.effectID }
        if color != nil { return "color" }
        if nested != nil { return "draft" }
        return fileName(path)
    }
}
