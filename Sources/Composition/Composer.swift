import Draft

extension Composition {
    /// Turns a draft into instructions.
    /// - Throws: every problem of the draft.
    public init(_ draft: Draft, catalog: Catalog) throws(Problems) {
        let timeline = try Timeline(draft, catalog: catalog)
        var composer = Composer(draft, catalog, timeline)
        self = composer.compose()
    }
}

/// Walks the timeline's maps once and cuts output time wherever any of them changes.
private struct Composer {
    let draft: Draft
    let catalog: Catalog
    let timeline: Timeline
    var sources: [Source] = []
    var sourceIndex: [String: Int] = [:]
    var effects: [CompositionEffect] = []

    init(_ draft: Draft, _ catalog: Catalog, _ timeline: Timeline) {
        self.draft = draft
        self.catalog = catalog
        self.timeline = timeline
    }

    mutating func compose() -> Composition {
        let clips = timeline.clips.map { placed in
            CompositionClip(id: placed.clip.id, source: source(placed.clip.path) ?? 0, mode: placed.clip.mode)
        }
        var tracks = Tracks(clipCount: clips.count)
        for placed in timeline.clips {
            tracks.sources.append(timeline.source(ofClip: placed.index))
            tracks.transitions.append(timeline.transition(intoClip: placed.index))
            for (number, effect) in placed.clip.effects.enumerated() {
                let use = add(effect)
                tracks.clipEffects[placed.index].append((use, timeline.local(ofEffect: number, ofClip: placed.index)))
            }
        }
        for (number, effect) in draft.effects.enumerated() where !effect.isTimeEffect {
            tracks.effects.append((add(effect), timeline.local(ofEffect: number)))
        }
        let frameCount = timeline.frameCount
        let end = Time(frame: frameCount, rate: timeline.frameRate)
        let instructions = cuts(tracks, end: end).compactMap { instruction(tracks, in: $0) }
        let sound = clipSound(tracks, end: end) + musicSound(end: end)
        return Composition(
            size: timeline.size, frameRate: timeline.frameRate, background: draft.canvas.background, frameCount: frameCount,
            sources: sources, clips: clips, effects: effects, instructions: instructions, sound: sound)
    }

    /// Every map from output time that an instruction is made of.
    struct Tracks {
        var sources: [TimeMap] = []
        var transitions: [TimeMap] = []
        var clipEffects: [[(effect: Int, clock: TimeMap)]]
        var effects: [(effect: Int, clock: TimeMap)] = []

        init(clipCount: Int) { clipEffects = Array(repeating: [], count: clipCount) }

        var all: [TimeMap] { sources + transitions + clipEffects.flatMap { $0.map(\.clock) } + effects.map(\.clock) }
    }

    // MARK: Indexes

    private mutating func source(_ path: String) -> Int? {
        if let index = sourceIndex[path] { return index }
        guard let info = catalog.info(path) else { return nil }
        sources.append(Source(path: path, info: info))
        sourceIndex[path] = sources.count - 1
        return sources.count - 1
    }

    private mutating func add(_ effect: Effect) -> Int {
        guard case .picture(let picture) = effect.kind else { return 0 }
        let plugin = effect.filter.flatMap { catalog.effect($0.effectID) }
        effects.append(CompositionEffect(
            id: effect.id, effect: picture, source: effect.path.flatMap { source($0) },
            plugin: plugin.map { PluginUse(path: $0.path, digest: $0.digest, state: $0.state) }))
        return effects.count - 1
    }

    // MARK: Instructions

    /// Edges closer than this are one: rounding of odd speeds must not make slivers. One microsecond.
    private static let sliver = Time(flicks: 706)

    private func cuts(_ tracks: Tracks, end: Time) -> [TimeRange] {
        var edges: Set<Time> = [.zero, end]
        for map in tracks.all {
            for piece in map.pieces {
                edges.insert(piece.timeline.start)
                edges.insert(piece.timeline.end)
            }
        }
        var kept: [Time] = [.zero]
        for edge in edges.sorted() where edge > .zero && edge < end {
            if edge - kept[kept.count - 1] > Self.sliver, end - edge > Self.sliver { kept.append(edge) }
        }
        kept.append(end)
        return zip(kept, kept.dropFirst()).map { TimeRange(from: $0, to: $1) }
    }

    private func instruction(_ tracks: Tracks, in range: TimeRange) -> Instruction? {
        // The middle decides: at an edge a neighbour's rounding could.
        let middle = range.start + Time(flicks: range.duration.flicks / 2)
        var shown = clips(around: middle, tracks)
        // The last frame may reach a little past the last piece; the clip that was shown goes on.
        if shown.isEmpty, let last = tracks.sources.indices.max(by: { end(tracks.sources[$0]) < end(tracks.sources[$1]) }),
            let piece = tracks.sources[last].pieces.last
        { shown = [(last, piece)] }
        guard !shown.isEmpty else { return nil }
        let layers = shown.map { clip, piece in
            let effects = tracks.clipEffects[clip].compactMap { use in
                use.clock.piece(at: middle).map { Instruction.EffectUse(effect: use.effect, clock: $0) }
            }
            return Instruction.Layer(clip: clip, source: piece, effects: effects)
        }
        var transition: Instruction.TransitionUse?
        if layers.count == 2, let kind = timeline.clips[layers[1].clip].clip.transition,
            let clock = tracks.transitions[layers[1].clip].piece(at: middle)
        {
            transition = Instruction.TransitionUse(kind: kind.kind, duration: kind.duration, clock: clock)
        }
        let effects = tracks.effects.compactMap { use in
            use.clock.piece(at: middle).map { Instruction.EffectUse(effect: use.effect, clock: $0) }
        }
        return Instruction(
            range: range, layers: transition == nil ? Array(layers.suffix(1)) : layers, transition: transition, effects: effects)
    }

    private func end(_ map: TimeMap) -> Time { map.pieces.last?.timeline.end ?? .zero }

    /// The clips that output time `time` shows, in track order: one, or two in a transition.
    private func clips(around time: Time, _ tracks: Tracks) -> [(Int, Piece)] {
        guard let outer = timeline.layers[0].piece(at: time) else { return [] }
        let original = outer.content(at: time)
        // Clips are sorted by start, so the candidates end at the first one that starts later.
        var (low, high) = (0, timeline.clips.count)
        while low < high {
            let middle = (low + high) / 2
            if timeline.clips[middle].timeline.start > original { high = middle } else { low = middle + 1 }
        }
        return (max(0, low - 2)..<min(low + 1, timeline.clips.count)).compactMap { index in
            tracks.sources[index].piece(at: time).map { (index, $0) }
        }
    }

    // MARK: Sound

    private func clipSound(_ tracks: Tracks, end: Time) -> [SoundSpan] {
        var spans: [SoundSpan] = []
        for placed in timeline.clips where placed.info.audio != nil && !placed.clip.isImage {
            guard let source = sourceIndex[placed.clip.path] else { continue }
            let clocks = timeline.local(ofClip: placed.index)
            let next = placed.index + 1
            for piece in tracks.sources[placed.index].coalesced().pieces {
                guard piece.timeline.start < end else { continue }
                let middle = piece.timeline.start + Time(flicks: piece.timeline.duration.flicks / 2)
                guard let clock = clocks.piece(at: middle) else { continue }
                var crossfades: [SoundSpan.Crossfade] = []
                for (index, rises) in [(placed.index, true), (next, false)] where index < timeline.clips.count {
                    for fade in tracks.transitions[index].pieces where fade.timeline.intersection(piece.timeline) != nil {
                        crossfades.append(.init(clock: fade, duration: timeline.clips[index].overlap, rises: rises))
                    }
                }
                spans.append(SoundSpan(
                    source: source, map: piece, keepsPitch: true,
                    gain: .init(
                        volume: placed.clip.volume, clock: clock, length: placed.timeline.duration, fadeIn: placed.clip.fadeIn,
                        fadeOut: placed.clip.fadeOut, crossfades: crossfades)))
            }
        }
        return spans
    }

    private mutating func musicSound(end: Time) -> [SoundSpan] {
        var spans: [SoundSpan] = []
        let final = timeline.layers[timeline.layers.count - 1]
        for placed in timeline.audio where placed.clip.startTime < timeline.duration {
            guard let source = source(placed.clip.path) else { continue }
            let clip = placed.clip
            let pass = placed.passDuration
            let heard = clip.loops ? timeline.duration - clip.startTime : pass
            let clockMap = final.then(TimeMap([Piece(
                timeline: TimeRange(start: clip.startTime, duration: heard), contentStart: .zero)]))
            var start = clip.startTime
            while start < clip.startTime + heard, start < timeline.duration {
                let playing = Piece(
                    timeline: TimeRange(start: start, duration: pass), contentStart: placed.range.start, speed: clip.speed)
                for piece in final.then(TimeMap([playing])).pieces where piece.timeline.start < end {
                    guard let clock = clockMap.pieces.first else { continue }
                    spans.append(SoundSpan(
                        source: source, map: piece, keepsPitch: clip.keepsPitch,
                        gain: .init(
                            volume: clip.volume, clock: clock, length: heard, fadeIn: clip.fadeIn, fadeOut: clip.fadeOut,
                            crossfades: [])))
                }
                start += pass
            }
        }
        return spans
    }
}
