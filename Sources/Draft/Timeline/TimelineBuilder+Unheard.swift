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
        warnOfOverhangs(timeline)
        warnOfLoudness(timeline)
    }

    /// Keys that all come after the object's end: their times were hardly meant in its own time.
    private mutating func warnOfLateKeys(_ timeline: Timeline) {
        for use in draft.ownUses {
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
        case .inside: .zero
        }
    }
}
