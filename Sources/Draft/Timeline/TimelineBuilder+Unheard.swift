/// What only shows on the whole timeline and is hardly meant.
extension TimelineBuilder {
    mutating func warn(of timeline: Timeline) {
        for placed in timeline.audio where placed.clip.startTime >= timeline.duration {
            warn(
                draft.name(of: .audio(placed.index)),
                "starts at \(placed.clip.startTime.forPeople) s, after the end at \(timeline.duration.forPeople) s, and is not heard",
                placed.clip.origin(of: "at"))
        }
        warnOfLateKeys(timeline)
        warnOfSilentKeys(timeline)
    }

    /// Keys that all come after the object's end: their times were hardly meant in its own time.
    private mutating func warnOfLateKeys(_ timeline: Timeline) {
        for use in draft.uses {
            let length = timeline.length(of: use.place)
            for (property, value) in use.values {
                guard case .keyframes(let keys) = value, keys.count > 1, let first = keys.first, length > .zero,
                    first.time >= length
                else { continue }
                warn(
                    draft.name(of: use.place),
                    "the keys of ‘\(property)’ begin at \(first.time.forPeople) s, after its end at \(length.forPeople) s, so it "
                        + "never changes; their times count from its own start",
                    draft.origin(of: property, at: use.place))
            }
        }
    }

    /// Filters that are keyed by a main track of which nothing is heard while they act.
    private mutating func warnOfSilentKeys(_ timeline: Timeline) {
        let keyed = draft.audio.indices.flatMap { clip in
            draft.audio[clip].effects.indices.map { (number: $0, clip: clip) }
        }.filter { place in
            draft.audio[place.clip].effects[place.number].plugin
                .flatMap { catalog.effect($0.effectID) }?.isKeyed == true
        }
        guard !keyed.isEmpty else { return }
        let heard = timeline.heardPieces
        for place in keyed {
            let acts = timeline.local(ofEffect: place.number, ofAudio: place.clip).pieces
            guard !acts.isEmpty, !acts.contains(where: { !heard.pieces(in: $0.timeline).isEmpty }) else { continue }
            warn(
                draft.name(of: .audioEffect(place.number, audio: place.clip)),
                "is keyed by the main track's sound, and nothing is heard of that while it acts, so it does nothing; what is to "
                    + "key it must be the sound of a clip (add_clip), at a volume above 0",
                draft.origin(of: .audioEffect(place.number, audio: place.clip)))
        }
    }
}

extension Timeline {
    /// How long the object is in its own time.
    fileprivate func length(of place: DraftPlace) -> Time {
        switch place {
        case .clip(let index): clips[index].timeline.duration
        case .transition(let clip): clips[clip].overlap
        case .clipEffect(let index, let clip): range(ofEffect: index, ofClip: clip).duration
        case .audio(let index): heardDuration(ofAudio: index)
        case .audioEffect(let index, let clip): range(ofEffect: index, ofAudio: clip).duration
        case .effect(let index): range(ofEffect: index).duration
        case .layerEffect(let index, let layer): range(ofEffect: index, ofLayer: layer).duration
        }
    }

    /// Where in output time the main track has a clip with sound.
    fileprivate var heardPieces: TimeMap {
        var ranges: [TimeRange] = []
        for placed in clips where placed.clip.isMedia && placed.info?.audio != nil && placed.clip.volume.isHeard {
            // Clips in a transition overlap.
            let range = TimeRange(
                from: max(placed.timeline.start, ranges.last?.end ?? .zero), to: placed.timeline.end)
            if !range.isEmpty { ranges.append(range) }
        }
        return maps[0].then(TimeMap(ranges.map { Piece(timeline: $0, contentStart: .zero) }))
    }
}
