import Values

/// The main track of a draft without clips: its background, as long as what lies over it.
extension TimelineBuilder {
    /// How long the main track is; nil where that is not known.
    /// - Parameters:
    ///   - clips: those of which the places are known.
    ///   - audio: those that can be heard.
    mutating func mainDuration(_ clips: [PlacedClip], _ audio: [PlacedAudioClip]) -> Time? {
        guard draft.clips.isEmpty else {
            if let wished = draft.backgroundDuration {
                report(
                    "draft",
                    "has the duration \(wished.forPeople) s, but its clips decide how long it is; leave ‘duration’ out, or say with "
                        + "‘time_range’ which part is rendered", draft.backgroundDurationOrigin)
            }
            return clips.count == draft.clips.count ? clips.last?.timeline.end : nil
        }
        if let wished = draft.backgroundDuration {
            guard wished > .zero, wished <= Time.longest else {
                report(
                    "draft",
                    "its duration is \(wished.forPeople) s, but must be longer than 0 and at most 100 days",
                    draft.backgroundDurationOrigin)
                return nil
            }
            return wished
        }
        // The lengths of what cannot be read are not known; that it cannot be read is said of it.
        guard audio.count == draft.audio.count else { return nil }
        let end = latestEnd(audio)
        guard end > .zero else {
            reportNoEnd()
            return nil
        }
        guard end <= Time.longest else {
            report("draft", "what lies in it ends after more than 100 days", draft.origin)
            return nil
        }
        return end
    }

    /// The shortest main track on which everything has room that has an end of its own.
    private mutating func latestEnd(_ audio: [PlacedAudioClip]) -> Time {
        let heard = audio.filter { !$0.clip.loops }.map { $0.clip.startTime + $0.passDuration }
        // From the final timeline, on which audio clips lie, back to the main track.
        var end = heard.max() ?? .zero
        for effect in draft.effects.reversed() {
            end = min(max(effect.duration(before: end), layerEnd(effect)), Time.longest + Time.longest)
        }
        return end
    }

    /// Where a layer ends that has an end of its own; zero for other entries.
    private mutating func layerEnd(_ effect: Effect) -> Time {
        guard let layer = effect.layer, !layer.isOpenEnded, Clip.speedRange.contains(layer.clip.speed) else {
            return .zero
        }
        let media = contentDuration(of: layer.clip) ?? .zero
        return layer.start + layer.clip.durationAtMainTrack(mediaDuration: media)
    }

    private mutating func reportNoEnd() {
        let advice =
            draft.audio.isEmpty && draft.effects.isEmpty
            ? "add one with add_clip or add_image, or sound with add_audio"
            : "and nothing in it has an end; add one with add_clip or add_image, give an effect or title a ‘range’, or set ‘duration’"
        report(
            "draft", "has no clips\(draft.audio.isEmpty && draft.effects.isEmpty ? "; " : ", ")\(advice)", draft.origin)
    }
}

extension Effect {
    /// How long the timeline before this entry has to be for the one after it to last until `end`,
    /// and for the entry to lie on it.
    fileprivate func duration(before end: Time) -> Time {
        switch (kind, range) {
        case (.speed(let factor), nil) where Clip.speedRange.contains(factor): return end.scaled(by: factor)
        case (.repeat(let count), nil) where Self.countRange.contains(count):
            return end.scaled(by: Rational(1, Int64(count)))
        case (.speed(let factor), let range?) where Clip.speedRange.contains(factor):
            return max(range.end, end - range.duration.scaled(by: factor.reciprocal) + range.duration)
        case (.repeat(let count), let range?) where Self.countRange.contains(count):
            return max(range.end, end - range.duration.scaled(by: Rational(Int64(count - 1))))
        case (_, let range?): return max(range.end, end)
        case (_, nil): return end
        }
    }
}
