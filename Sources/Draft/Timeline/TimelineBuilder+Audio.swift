import Values

/// Sound on the final timeline.
extension TimelineBuilder {
    mutating func placeAudio() -> [PlacedAudioClip] {
        var placed: [PlacedAudioClip] = []
        for (index, clip) in draft.audio.enumerated() {
            if let entry = check(clip, index, draft.name(of: .audio(index))) { placed.append(entry) }
        }
        return placed
    }

    /// What can be said of an audio clip without the timeline.
    /// - Returns: nil where it cannot be heard.
    mutating func check(_ clip: AudioClip, _ index: Int, _ object: String) -> PlacedAudioClip? {
        checkSound(of: clip, object)
        for number in clip.effects.indices { checkEffect(number, of: clip, object) }
        if clip.startTime < .zero {
            report(
                object, "starts at \(clip.startTime.forPeople) s, but must not start before 0", clip.origin(of: "at"))
        }
        let isSpeedValid = Clip.speedRange.contains(clip.speed)
        if !isSpeedValid {
            report(object, "the speed is \(clip.speed), but must lie between 0.01 and 100", clip.origin(of: "speed"))
        }
        if !clip.keepsPitch, isSpeedValid, !AudioClip.speedRangeWithPitch.contains(clip.speed) {
            report(
                object, "the speed is \(clip.speed), but without ‘keep_pitch’ it must lie between 0.125 and 6",
                clip.origin(of: "speed", "keep_pitch"))
        }
        guard let info = readable(clip.path, clip.audioTrack, object, clip.origin) else { return nil }
        guard let sound = info.audio else {
            report(object, "‘\(clip.path)’ has no sound\(info.lack(of: .sound))", clip.origin)
            return nil
        }
        let whole = AudioClip.whole(info)
        let range = clip.range ?? TimeRange(start: .zero, duration: sound.duration)
        guard whole.contains(range), !range.isEmpty else {
            report(
                object, AudioClip.misplacement(of: range, in: whole, of: "its media"), clip.origin(of: "range"))
            return nil
        }
        guard isSpeedValid else { return nil }
        let entry = PlacedAudioClip(index: index, clip: clip, info: info, range: range)
        check(entry, object)
        return entry
    }

    private mutating func check(_ placed: PlacedAudioClip, _ object: String) {
        let (clip, pass) = (placed.clip, placed.passDuration)
        guard pass > .zero, pass <= Time.longest else {
            report(
                object, "lasts \(pass.forPeople) s, but must last longer than 0 and at most 100 days",
                clip.origin(of: "range", "speed"))
            return
        }
        if clip.loops, pass < Time(flicks: Time.flicksPerSecond / 10) {
            report(
                object, "loops over \(pass.forPeople) s, but a loop must last at least 0.1 s",
                clip.origin(of: "loop", "range", "speed"))
        }
        for (index, effect) in clip.effects.enumerated() {
            guard let range = effect.range else { continue }
            let object = "\(object), \(effect.name(index))"
            if range.isEmpty || range.start < .zero || !clip.loops && range.start >= pass {
                let length = clip.loops ? "begins at 0" : "lasts \(pass.forPeople) s"
                report(object, "its range \(range) does not lie in the clip, which \(length)", effect.origin)
            } else if !clip.loops {
                warnOfEnd(range, pass, "the clip", object, effect.origin)
            }
        }
        if !clip.loops, clip.sound.fades > pass {
            report(
                object, clip.sound.misfit(in: pass),
                clip.origin(of: "fade_in", "fade_out", "range", "speed", "loop"))
        }
    }

    mutating func checkPasses(_ audio: [PlacedAudioClip], duration: Time) {
        for placed in audio {
            let count = placed.passCount(duration: duration)
            guard count > Self.maximumPieces else { continue }
            report(
                draft.name(of: .audio(placed.index)),
                "loops \(count) times until the draft ends, but at most \(Self.maximumPieces) are possible",
                placed.clip.origin)
        }
    }
}
