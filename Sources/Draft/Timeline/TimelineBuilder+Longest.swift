import Values

/// What can be said for certain where something before is wrong: how long a timeline is at most
/// once that is mended. So one wrong range does not hide another.
extension TimelineBuilder {
    /// What the main track lasts at most, whatever range a clip is given that has no length; nil
    /// where a clip's file or speed says nothing.
    mutating func longestMainTrack(placed: [PlacedClip]) -> Time? {
        guard !draft.clips.isEmpty else { return nil }
        var sum = placed.last?.timeline.end ?? .zero
        for clip in draft.clips.dropFirst(placed.count) {
            let media = clip.isFound ? contentDuration(of: clip) : .zero
            guard let media, Clip.speedRange.contains(clip.speed) else { return nil }
            let isLengthKnown = !clip.isMedia || !clip.sourceRange(mediaDuration: media).isEmpty
            sum +=
                isLengthKnown
                ? clip.durationAtMainTrack(mediaDuration: media) : media.scaled(by: clip.speed.reciprocal)
            guard sum <= Time.longest else { return nil }
        }
        return sum
    }

    mutating func refuseRange(of effect: Effect, _ object: String, beyond longest: Time?) {
        guard let longest, let range = effect.range, range.start >= longest else { return }
        report(
            object,
            "its range \(range) does not lie on the timeline before it, which is at most \(longest.forPeople) s long",
            effect.origin(of: "range"))
    }

    mutating func refuseTimeRange(beyond longest: Time?) {
        guard let longest, let range = draft.timeRange, range.start >= longest else { return }
        report(
            "draft",
            "its time_range \(range) does not lie on the timeline, which is at most \(longest.forPeople) s long",
            draft.timeRangeOrigin)
    }
}

extension Effect {
    /// What a timeline of at most this length lasts at most after this entry, whatever its range
    /// is; nil where its numbers say nothing.
    func longest(after duration: Time) -> Time? {
        let longest: Time
        switch kind {
        case .picture, .sound, .layer: return duration
        case .speed(let factor):
            guard Clip.speedRange.contains(factor) else { return nil }
            longest = max(duration, duration.scaled(by: factor.reciprocal))
        case .repeat(let count):
            guard Self.countRange.contains(count) else { return nil }
            longest = duration.scaled(by: Rational(Int64(count)))
        }
        return longest <= Time.longest ? longest : nil
    }
}
