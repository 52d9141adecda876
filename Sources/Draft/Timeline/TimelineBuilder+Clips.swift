import Values

/// The main track: where each clip lies.
extension TimelineBuilder {
    /// The clips up to the first one of which the length is not known, because no later place is
    /// known then.
    mutating func placeClips() -> [PlacedClip] {
        var placed: [PlacedClip] = []
        var previous: PlacedClip?
        for (index, clip) in draft.clips.enumerated() {
            let object = draft.name(of: .clip(index))
            let length = check(clip, object)
            if let length { warnOfPlace(clip, length, object) }
            if index == 0, clip.transition != nil {
                report(
                    object, "the first clip has nothing to make a transition from; leave ‘transition’ out",
                    clip.origin(of: "transition"))
            }
            guard let length else {
                previous = nil
                continue
            }
            let overlap = index == 0 ? .zero : clip.transition?.duration ?? .zero
            checkTransitions(overlap, into: clip, previous)
            let start = max(.zero, (previous?.timeline.end ?? .zero) - max(.zero, overlap))
            guard start + length.duration <= Time.longest else {
                report(object, "makes the main track longer than 100 days", clip.origin)
                previous = nil
                continue
            }
            let entry = PlacedClip(
                index: index, clip: clip, info: length.info, piece: length.content.starting(at: start),
                time: length.time, source: length.source, overlap: overlap)
            previous = entry
            if placed.count == index { placed.append(entry) }
        }
        return placed
    }

    /// What is known of a clip without the others.
    struct Length {
        var info: MediaInfo?
        /// What plays, in source time.
        var source: TimeRange
        /// The clip's own time → content time: see ``PlacedClip/piece``.
        var content: Piece
        var time: TimeMap?

        /// On the main track.
        var duration: Time { content.timeline.duration }
    }

    /// What can be said of a clip without the others.
    /// - Returns: nil where it has no length.
    mutating func check(_ clip: Clip, _ object: String) -> Length? {
        for number in clip.effects.indices { checkEffect(number, of: clip, object) }
        checkSound(of: clip, object)
        if let plugin = clip.transition?.plugin {
            check(plugin, as: [.transition], object + ", transition", clip.origin(of: "transition"))
        }
        if let source = clip.generator { check(source, as: [.source], object, clip.origin) }
        if let placement = clip.placement { checkPlacement(placement, object) { clip.origin(of: $0) } }
        let length = length(of: clip, object)
        if let length { checkInside(clip, object, length.duration) }
        return length
    }

    private mutating func length(of clip: Clip, _ object: String) -> Length? {
        let isSpeedValid = checkTiming(of: clip, object)
        let info = clip.isFound ? info(of: clip, object) : nil
        guard info != nil || !clip.isFound, isSpeedValid else { return nil }
        let mediaDuration = info?.duration ?? .zero
        let source = clip.sourceRange(mediaDuration: mediaDuration)
        guard !source.isEmpty else {
            let whole = clip.nested == nil ? "the media" : "its draft"
            let found = Clip.emptiness(of: source, whole, lasting: mediaDuration)
            report(object, clip.isMedia ? found : "is shown for no time", clip.origin(of: "range"))
            return nil
        }
        switch clip.content {
        case .media(let wished?): warnOfEnd(wished, mediaDuration, "its media", object, clip.origin(of: "range"))
        case .draft(_, let wished?): warnOfEnd(wished, mediaDuration, "its draft", object, clip.origin(of: "range"))
        default: break
        }
        return played(clip, source, info, object)
    }

    private mutating func info(of clip: Clip, _ object: String) -> MediaInfo? {
        if let nested = clip.nested { return info(of: nested, of: clip, object) }
        guard let info = readable(clip.path, clip.audioTrack, object, clip.origin) else { return nil }
        guard let reason = info.unfitness(asImage: clip.isImage, inLayer: false) else { return info }
        report(object, "‘\(clip.path)’ \(reason)", clip.origin)
        return nil
    }

    /// The transitions at a clip's head and tail together must not exceed its duration; equal is
    /// allowed.
    private mutating func checkTransitions(_ head: Time, into clip: Clip, _ previous: PlacedClip?) {
        guard let previous, head > .zero, previous.overlap + head > previous.timeline.duration else { return }
        let tail = "\(head.forPeople) s at its tail"
        let parts = previous.overlap > .zero ? "\(previous.overlap.forPeople) s at its head and \(tail)" : tail
        report(
            draft.name(of: .clip(previous.index)),
            "its transitions (\(parts)) do not fit its duration of \(previous.timeline.duration.forPeople) s",
            Origin.later(
                clip.origin(of: "transition"),
                draft.clips[previous.index].origin(
                    of: "range", "speed", "duration", "loop", "ping_pong", "freeze", "transition")))
    }

    /// What lies in the clip's own time.
    private mutating func checkInside(_ clip: Clip, _ object: String, _ duration: Time) {
        if let transition = clip.transition, transition.duration <= .zero {
            report(
                object, "its transition lasts \(transition.duration.forPeople) s, but must last longer than 0",
                clip.origin(of: "transition"))
        } else if let head = clip.transition?.duration, head > duration {
            report(
                object,
                "its transition of \(head.forPeople) s is longer than the clip itself, which lasts \(duration.forPeople) s",
                clip.origin(of: "transition", "range", "speed", "duration"))
        }
        if clip.sound.fades > duration + clip.soundLead + clip.soundTail {
            report(
                object, clip.sound.misfit(in: duration),
                clip.origin(of: "fade_in", "fade_out", "range", "speed", "duration"))
        }
        for (number, effect) in clip.effects.enumerated() {
            guard let range = effect.range else { continue }
            let object = "\(object), \(effect.name(number))"
            if range.isEmpty || range.start < .zero || range.start >= duration {
                report(
                    object, "its range \(range) does not lie in the clip, which lasts \(duration.forPeople) s",
                    effect.origin)
            } else {
                warnOfEnd(range, duration, "the clip", object, effect.origin)
            }
        }
    }

    mutating func readable(_ file: DraftFile, _ object: String, _ origin: Origin?) -> MediaInfo? {
        switch catalog[file] {
        case .found(let info)?: return info
        case .unreadable(let reason)?: report(object, reason, origin)
        case nil: report(object, "‘\(file.path)’ has not been probed", origin)
        }
        return nil
    }

    /// With the chosen sound track.
    mutating func readable(_ path: String, _ track: TrackChoice?, _ object: String, _ origin: Origin?) -> MediaInfo? {
        guard let info = readable(DraftFile(path), object, origin) else { return nil }
        if let chosen = info.choosing(track) { return chosen }
        if let track { report(object, info.refusal(of: track, path: path), origin) }
        return nil
    }
}
