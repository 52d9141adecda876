import Values

/// Warnings that need the whole timeline.
extension TimelineBuilder {
    mutating func warn(of timeline: Timeline) {
        for placed in timeline.audio where placed.clip.startTime >= timeline.duration {
            warn(
                draft.name(of: .audio(placed.index)),
                "starts at \(placed.clip.startTime.forPeople) s, after the end at \(timeline.duration.forPeople) s, and is not heard",
                placed.clip.origin(of: "at"))
        }
        warnOfUnseenCues(timeline)
        warnOfLateKeys(timeline)
        warnOfUnusedEasings()
        warnOfUnrendered(timeline)
        warnOfSilentKeys(timeline)
        warnOfOverhangs(timeline)
        warnOfLoudness(timeline)
    }

    /// Subtitles of which no cue is shown while they last.
    private mutating func warnOfUnseenCues(_ timeline: Timeline) {
        for (index, entry) in draft.effects.enumerated() {
            guard case .picture(.subtitles(let subtitles)) = entry.kind,
                let cues = catalog.info(subtitles.path)?.subtitles?.cues, let first = cues.map(\.start).min(),
                let last = cues.map(\.end).max()
            else { continue }
            let length = timeline.range(ofEffect: index).duration
            let (start, end) = (first + subtitles.shift, last + subtitles.shift)
            guard start >= length || end <= .zero else { continue }
            let when =
                start >= length
                ? "begin at \(start.forPeople) s, after its end at \(length.forPeople) s"
                : "end at \(end.forPeople) s, before its beginning"
            warn(
                draft.name(of: .effect(index)),
                "all of its cues \(when), so nothing is shown; they count from its own start, and ‘at’ moves them",
                entry.origin(of: "at", "range", "file"))
        }
    }

    /// Warns of keys that come after the object's end. If all of them do, their times are probably
    /// in the draft's time, not the object's.
    private mutating func warnOfLateKeys(_ timeline: Timeline) {
        for use in draft.ownUses {
            let length = timeline.length(of: use.place)
            warnOfUnreachedKeys(use, length)
            for (property, times) in use.keyTimes {
                guard times.count > 1, let first = times.first, length > .zero, first >= length else { continue }
                warn(
                    draft.name(of: use.place),
                    "the keys of ‘\(property)’ begin at \(first.forPeople) s, after its end at \(length.forPeople) s, so it "
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
