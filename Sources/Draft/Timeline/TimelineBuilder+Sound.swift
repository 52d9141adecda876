import Values

/// Warnings about sound.
extension TimelineBuilder {
    /// A clip's sound begins before its picture, or ends after it, and there is less of it than was
    /// asked for.
    mutating func warnOfOverhangs(_ timeline: Timeline) {
        for placed in timeline.clips where placed.clip.soundLead > .zero || placed.clip.soundTail > .zero {
            let object = draft.name(of: .clip(placed.index))
            guard placed.info?.audio != nil else {
                let names = [("sound_lead", placed.clip.soundLead), ("sound_tail", placed.clip.soundTail)]
                let name = names.first { $0.1 > .zero }?.0 ?? ""
                warn(
                    object, "has ‘\(name)’, but ‘\(placed.clip.path)’ has no sound", placed.clip.origin(of: name))
                continue
            }
            let (media, room) = (placed.overhangInMedia, placed.room(until: timeline.originalDuration))
            warnOfLack("sound_lead", placed.clip.soundLead, media.lead, room.lead, object, placed.clip)
            warnOfLack("sound_tail", placed.clip.soundTail, media.tail, room.tail, object, placed.clip)
        }
    }

    private mutating func warnOfLack(
        _ name: String, _ wished: Time, _ media: Time, _ room: Time, _ object: String, _ clip: Clip
    ) {
        let used = min(media, room)
        guard wished > used + Self.slack else { return }
        let isBefore = name == "sound_lead"
        let reason =
            media <= room
            ? "its media has no more sound \((isBefore != clip.isReversed) ? "before" : "after") its range"
            : "the main track has no more \(isBefore ? "before" : "after") it"
        warn(
            object, "its ‘\(name)’ is \(wished.forPeople) s, but \(reason); \(used.forPeople) s are used",
            clip.origin(of: name))
    }

    mutating func warnOfLoudness(_ timeline: Timeline) {
        let wish = draft.loudness
        guard let target = wish.target else {
            if wish.truePeak != nil {
                warn("draft", "has a ‘true_peak’, which is for a ‘loudness’ beside it; set that too", wish.origin)
            }
            return
        }
        let name = "‘loudness’ of \(Value.text(of: target.integrated)) LUFS"
        if timeline.rendered.duration < Loudness.shortest {
            warn(
                "draft",
                "asks for a \(name), but is \(timeline.rendered.duration.forPeople) s long, and what is shorter than 0.4 s has no "
                    + "loudness; its sound stays as it is", wish.origin)
        } else if !draft.isHeard(catalog) {
            warn("draft", "asks for a \(name), but nothing is heard in it", wish.origin)
        }
    }
}
