import Values

/// What keys filters: it must be there, and its sound must not depend on what it keys.
extension TimelineBuilder {
    /// What can be said of an entry without the others.
    mutating func checkKeys(_ effect: Effect, _ object: String) {
        guard !effect.keys.isEmpty, let id = effect.plugin?.effectID, let descriptor = catalog.effect(id),
            !descriptor.isKeyed
        else { return }
        report(object, "has a ‘key’, but ‘\(id)’ is not keyed by another sound; leave it out", effect.origin(of: "key"))
    }

    mutating func checkKeys() {
        let uses = draft.keyedUses(catalog)
        guard !uses.isEmpty else { return }
        for use in uses {
            for id in use.effect.keys { checkKey(id, use) }
        }
        let sources = Dictionary(grouping: uses, by: \.owner).mapValues { $0.flatMap { draft.keys(of: $0) } }
        for use in uses where !use.effect.keys.isEmpty || !isOnMainTrack(use.owner) {
            for (key, name) in zip(draft.keys(of: use), names(of: use)) {
                if case .layer(let layer) = key, case .effect(let index) = use.place, layer < index {
                    report(
                        draft.name(of: use.place),
                        "is keyed by \(name), a layer that comes before it in the effect list, so that it acts on that as well; put "
                            + "the layer after it", origin(of: use))
                    break
                }
                guard depends(key, on: use.owner, sources) else { continue }
                let reason =
                    key == use.owner
                    ? "which is the sound that it acts on; a key must be another sound"
                    : "whose sound depends on what it acts on; nothing can key what keys it"
                report(draft.name(of: use.place), "is keyed by \(name), \(reason)", origin(of: use))
                break
            }
        }
    }

    private mutating func checkKey(_ id: String, _ use: Draft.KeyedUse) {
        let owners = draft.soundOwners(called: id)
        let object = draft.name(of: use.place)
        if owners.isEmpty {
            report(
                object,
                "its ‘key’ is ‘\(id)’, but no clip, audio clip or layer has that id\(suggestion(for: id, in: draft.soundIDs))",
                origin(of: use))
        } else if owners.count > 1 {
            // Two in one list are reported as such.
            let names = owners.map { draft.name(of: $0.place) }
            guard Set(owners.map(\.list)).count > 1 else { return }
            report(
                object,
                "its ‘key’ is ‘\(id)’, which is the id of \(names.joined(separator: " and of ")); give one of them another id",
                origin(of: use))
        }
    }

    private func origin(of use: Draft.KeyedUse) -> Origin? {
        use.effect.origin(of: "key") ?? draft.origin(of: use.place)
    }

    private func isOnMainTrack(_ owner: SoundOwner) -> Bool {
        switch owner {
        case .clip, .layer, .main: true
        case .audio: false
        }
    }

    /// As ``Draft/keys(of:)`` has them.
    private func names(of use: Draft.KeyedUse) -> [String] {
        guard !use.effect.keys.isEmpty else { return ["the main track's sound"] }
        return use.effect.keys.flatMap { id in
            Array(repeating: "‘\(id)’", count: draft.soundOwners(called: id).count)
        }
    }

    /// Whether the sound of `key` is, or is made with, that of `owner`.
    private func depends(_ key: SoundOwner, on owner: SoundOwner, _ sources: [SoundOwner: [SoundOwner]]) -> Bool {
        var (seen, waiting) = (Set([key]), [key])
        while let next = waiting.popLast() {
            if next == owner { return true }
            // What acts on the mix acts on each clip in it.
            if owner == .main, case .clip = next { return true }
            var more = sources[next] ?? []
            if next == .main {
                more += draft.clips.indices.map(SoundOwner.clip)
                more += draft.effects.indices.filter { draft.effects[$0].layer != nil }.map(
                    SoundOwner.layer)
            }
            for source in more where seen.insert(source).inserted { waiting.append(source) }
        }
        return false
    }
}

/// Keys of which nothing is heard.
extension TimelineBuilder {
    mutating func warnOfSilentKeys(_ timeline: Timeline) {
        for use in draft.keyedUses(catalog) {
            let acts = timeline.acts(use.place).pieces
            guard !acts.isEmpty else { continue }
            let heard = draft.keys(of: use).flatMap { timeline.heardPieces(of: $0) }
            let isHeard = acts.contains { act in heard.contains { !$0.pieces(in: act.timeline).isEmpty } }
            guard !isHeard else { continue }
            let message =
                use.effect.keys.isEmpty
                ? "is keyed by the main track's sound, and nothing is heard of that while it acts, so it does nothing; what is to "
                    + "key it must be the sound of a clip (add_clip) or of a layer, at a volume above 0, or named by its ‘key’"
                : "is keyed by \(use.effect.keys.map { "‘\($0)’" }.joined(separator: ", ")), of which nothing is heard while it acts, "
                    + "so it does nothing"
            warn(draft.name(of: use.place), message, origin(of: use))
        }
    }
}

extension Timeline {
    /// Output time → the own time of an entry that acts on sound.
    fileprivate func acts(_ place: DraftPlace) -> TimeMap {
        switch place {
        case .clipEffect(let index, let clip): soundClock(ofEffect: index, ofClip: clip)
        case .audioEffect(let index, let clip): local(ofEffect: index, ofAudio: clip)
        case .effect(let index): local(ofEffect: index)
        case .layerEffect(let index, let layer): local(ofEffect: index, ofLayer: layer)
        case .clip, .audio, .transition, .inside: TimeMap([])
        }
    }

    /// Where in output time something may be heard of it.
    fileprivate func heardPieces(of owner: SoundOwner) -> [TimeMap] {
        switch owner {
        case .clip(let index):
            let placed = clips[index]
            guard placed.clip.isMedia, placed.info?.audio != nil, placed.clip.sound.isHeard else {
                return []
            }
            return [sound(ofClip: index)]
        case .audio(let index): return audio[index].clip.sound.isHeard ? [local(ofAudio: index)] : []
        case .layer(let index):
            guard let placed = layers[index], placed.clip.isMedia, placed.info?.audio != nil,
                placed.clip.sound.isHeard
            else { return [] }
            return [local(ofEffect: index)]
        case .main: return [heardPieces] + layers.keys.sorted().flatMap { heardPieces(of: .layer($0)) }
        }
    }

    /// Where in output time the main track has a clip with sound.
    private var heardPieces: TimeMap {
        var ranges: [TimeRange] = []
        for placed in clips where placed.clip.isMedia && placed.info?.audio != nil && placed.clip.sound.isHeard {
            // Clips in a transition overlap.
            let range = TimeRange(
                from: max(placed.timeline.start, ranges.last?.end ?? .zero), to: placed.timeline.end)
            if !range.isEmpty { ranges.append(range) }
        }
        return maps[0].then(TimeMap(ranges.map { Piece(timeline: $0, contentStart: .zero) }))
    }
}

extension SoundOwner {
    /// Where what has an id lies; for the mix, which has none, the first entry of the effect list.
    fileprivate var place: DraftPlace {
        switch self {
        case .clip(let index): .clip(index)
        case .audio(let index): .audio(index)
        case .layer(let index): .effect(index)
        case .main: .effect(0)
        }
    }

    fileprivate var list: Int {
        switch self {
        case .clip: 0
        case .audio: 1
        case .layer: 2
        case .main: 3
        }
    }
}
