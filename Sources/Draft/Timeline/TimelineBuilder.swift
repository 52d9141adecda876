/// Decides where everything lies and collects every broken rule on the way, so that "validates" and "has a timeline" are
/// the same thing.
struct TimelineBuilder {
    let draft: Draft
    let catalog: Catalog
    private(set) var problems: [Problem] = []

    /// More pieces than this are a mistake (a repeat of repeats), not an edit.
    static let maximumPieces = 200_000

    init(_ draft: Draft, _ catalog: Catalog) {
        self.draft = draft
        self.catalog = catalog
    }

    mutating func build() -> Timeline? {
        checkCanvas()
        checkIDs()
        let clips = placeClips()
        let audio = placeAudio()
        guard let clips, !clips.isEmpty else {
            if draft.clips.isEmpty { problems.append(Problem("draft", "has no clips; add one with add_clip or add_image")) }
            for (index, effect) in draft.effects.enumerated() {
                if case .picture(let picture) = effect.kind { check(picture, name(effect, index), effect.origin) }
            }
            return nil
        }
        let whole = TimeMap.identity(clips[clips.count - 1].timeline.end)
        guard let stack = stackEffects(on: whole) else { return nil }
        guard let rendered = renderedRange(duration: stack.total.duration) else { return nil }
        return Timeline(
            clips: clips, audio: audio, total: stack.total, steps: stack.steps, effectRanges: stack.ranges,
            rendered: rendered, frameRate: draft.frameRate(catalog), size: draft.size(catalog))
    }

    mutating func report(_ object: String, _ message: String, _ origin: Origin?) {
        problems.append(Problem(object, message, origin: origin))
    }

    func name(_ effect: Effect, _ index: Int) -> String {
        "effect \(index + 1) (\(effect.id.map { "\($0), " } ?? "")\(effect.kindName))"
    }

    private func name(_ clip: Clip, _ index: Int) -> String { "clip \(index + 1)\(clip.id.map { " (\($0))" } ?? "")" }

    // MARK: The main track

    /// nil where some clip's length is not known, because then no later place is.
    private mutating func placeClips() -> [PlacedClip]? {
        var placed: [PlacedClip] = []
        var isComplete = true
        for (index, clip) in draft.clips.enumerated() {
            let object = name(clip, index)
            for (number, effect) in clip.effects.enumerated() { check(effect, ofClip: object, number) }
            check(clip.volume, "volume", 0...100, object, clip.origin)
            guard Clip.speedRange.contains(clip.speed) else {
                report(object, "the speed is \(clip.speed), but must lie between 0.01 and 100", clip.origin)
                isComplete = false
                continue
            }
            guard let info = info(of: clip, object) else {
                isComplete = false
                continue
            }
            let source = clip.sourceRange(mediaDuration: info.duration)
            guard !source.isEmpty else {
                let found = "starts at \(source.start.forPeople) s, but the media is only \(info.duration.forPeople) s long"
                report(object, clip.isImage ? "is shown for no time" : "its range \(found)", clip.origin)
                isComplete = false
                continue
            }
            let duration = clip.durationAtMainTrack(mediaDuration: info.duration)
            guard duration > .zero, duration <= Time.longest else {
                report(object, "lasts \(duration.forPeople) s, but must last longer than 0 and at most 100 days", clip.origin)
                isComplete = false
                continue
            }
            if clip.fadeIn + clip.fadeOut > duration {
                let fades = "\(clip.fadeIn.forPeople) s and \(clip.fadeOut.forPeople) s"
                report(object, "its fades of \(fades) do not fit its \(duration.forPeople) s", clip.origin)
            }
            let previous = placed.last
            if index == 0, clip.transition != nil {
                report(object, "the first clip has nothing to make a transition from; leave ‘transition’ out", clip.origin)
            }
            let overlap = index == 0 ? .zero : clip.transition?.duration ?? .zero
            let start = (previous?.timeline.end ?? .zero) - overlap
            guard start >= .zero || !isComplete, start + duration <= Time.longest else {
                report(
                    object, start < .zero ? tooLong(overlap, duration, previous) : "the main track gets longer than 100 days",
                    clip.origin)
                return nil
            }
            checkTransitions(head: overlap, of: clip, object: object, duration: duration, previous: previous)
            let speed = clip.isImage ? Rational.one : clip.speed
            placed.append(PlacedClip(
                index: index, clip: clip, info: info,
                piece: Piece(timeline: TimeRange(start: start, duration: duration), contentStart: source.start, speed: speed),
                overlap: overlap))
        }
        return isComplete ? placed : nil
    }

    private func tooLong(_ overlap: Time, _ duration: Time, _ previous: PlacedClip?) -> String {
        "its transition of \(overlap.forPeople) s is longer than the previous clip, which lasts "
            + "\(previous?.timeline.duration.forPeople ?? "0") s"
    }

    /// The transitions at a clip's head and tail together must not exceed its duration; equal is allowed.
    private mutating func checkTransitions(
        head: Time, of clip: Clip, object: String, duration: Time, previous: PlacedClip?
    ) {
        if head > duration {
            report(
                object, "its transition of \(head.forPeople) s is longer than the clip itself, which lasts \(duration.forPeople) s",
                clip.origin)
        }
        guard let previous, head > .zero, previous.overlap + head > previous.timeline.duration else { return }
        let parts = previous.overlap > .zero
            ? "\(previous.overlap.forPeople) s at its head and \(head.forPeople) s at its tail" : "\(head.forPeople) s at its tail"
        report(
            name(previous.clip, previous.index),
            "its transitions (\(parts)) do not fit its duration of \(previous.timeline.duration.forPeople) s", clip.origin)
    }

    private mutating func info(of clip: Clip, _ object: String) -> MediaInfo? {
        guard let info = readable(clip.path, object, clip.origin) else { return nil }
        switch (clip.isImage, info.kind) {
        case (true, .image): return info
        case (false, .media) where info.video != nil: return info
        case (false, .media): report(object, "‘\(clip.path)’ has no picture; use add_audio for sound", clip.origin)
        case (true, .media): report(object, "‘\(clip.path)’ is not a still image; use add_clip", clip.origin)
        case (false, .image): report(object, "‘\(clip.path)’ is a still image; use add_image with a duration", clip.origin)
        case (_, .cube): report(object, "‘\(clip.path)’ is a look-up table, not a picture", clip.origin)
        }
        return nil
    }

    mutating func readable(_ path: String, _ object: String, _ origin: Origin?) -> MediaInfo? {
        switch catalog.media[path] {
        case .found(let info)?: return info
        case .unreadable(let reason)?: report(object, reason, origin)
        case nil: report(object, "‘\(path)’ has not been probed", origin)
        }
        return nil
    }

    // MARK: Sound on the final timeline

    private mutating func placeAudio() -> [PlacedAudioClip] {
        var placed: [PlacedAudioClip] = []
        for (index, clip) in draft.audio.enumerated() {
            let object = "audio \(index + 1)\(clip.id.map { " (\($0))" } ?? "")"
            check(clip.volume, "volume", 0...100, object, clip.origin)
            if clip.startTime < .zero {
                report(object, "starts at \(clip.startTime.forPeople) s, but must not start before 0", clip.origin)
            }
            guard Clip.speedRange.contains(clip.speed) else {
                report(object, "the speed is \(clip.speed), but must lie between 0.01 and 100", clip.origin)
                continue
            }
            guard let info = readable(clip.path, object, clip.origin) else { continue }
            guard let sound = info.audio else {
                report(object, "‘\(clip.path)’ has no sound", clip.origin)
                continue
            }
            // The sound may end a little before or after the picture; either end is still inside the media.
            let whole = TimeRange(start: .zero, duration: max(sound.duration, info.duration))
            let range = clip.range ?? TimeRange(start: .zero, duration: sound.duration)
            guard whole.contains(range), !range.isEmpty else {
                report(
                    object, "its range \(range) does not lie inside its media, which is \(whole.duration.forPeople) s long",
                    clip.origin)
                continue
            }
            let entry = PlacedAudioClip(index: index, clip: clip, info: info, range: range)
            if clip.loops, entry.passDuration < Time(flicks: Time.flicksPerSecond / 10) {
                report(object, "loops over \(entry.passDuration.forPeople) s, but a loop must last at least 0.1 s", clip.origin)
            }
            if !clip.loops, clip.fadeIn + clip.fadeOut > entry.passDuration {
                let fades = "\(clip.fadeIn.forPeople) s and \(clip.fadeOut.forPeople) s"
                report(object, "its fades of \(fades) do not fit its \(entry.passDuration.forPeople) s", clip.origin)
            }
            placed.append(entry)
        }
        return placed
    }

    // MARK: The effect list

    private struct Stack {
        var total: TimeMap
        var steps: [TimeMap?] = []
        var ranges: [TimeRange?] = []
    }

    /// nil where an entry leaves no timeline to measure the later ones on.
    private mutating func stackEffects(on whole: TimeMap) -> Stack? {
        var stack = Stack(total: whole)
        for (index, effect) in draft.effects.enumerated() {
            let object = name(effect, index)
            let timeline = TimeRange(start: .zero, duration: stack.total.duration)
            if let range = effect.range, range.isEmpty || range.start < .zero || range.start >= timeline.end {
                report(
                    object,
                    "its range \(range) does not lie on the timeline before it, which is \(timeline.duration.forPeople) s long",
                    effect.origin)
                if case .picture(let picture) = effect.kind { check(picture, object, effect.origin) }
                stack.steps.append(nil)
                stack.ranges.append(nil)
                continue
            }
            let range = (effect.range ?? timeline).clamped(to: timeline)
            switch effect.kind {
            case .picture(let picture):
                check(picture, object, effect.origin)
                stack.steps.append(nil)
                stack.ranges.append(range)
            case .speed, .repeat:
                guard let step = step(effect, object, range, stack.total) else { return nil }
                stack.total = step.then(stack.total).coalesced()
                stack.steps.append(step)
                stack.ranges.append(nil)
            }
        }
        return stack
    }

    private mutating func step(_ effect: Effect, _ object: String, _ range: TimeRange, _ total: TimeMap) -> TimeMap? {
        let duration = total.duration
        var length = duration.seconds
        var copies = 1
        switch effect.kind {
        case .speed(let factor):
            guard Clip.speedRange.contains(factor) else {
                report(object, "the factor is \(factor), but must lie between 0.01 and 100", effect.origin)
                return nil
            }
            length += range.duration.seconds * (1 / factor.doubleValue - 1)
        case .repeat(let count):
            guard count >= 1 else {
                report(object, "the count is \(count), but must be at least 1", effect.origin)
                return nil
            }
            copies = count
            length += range.duration.seconds * Double(count - 1)
        case .picture: return nil
        }
        guard length <= Time.longest.seconds else {
            report(object, "makes the timeline longer than 100 days", effect.origin)
            return nil
        }
        guard (copies + 2).multipliedReportingOverflow(by: total.pieces.count).partialValue <= Self.maximumPieces else {
            report(object, "cuts the timeline into more than \(Self.maximumPieces) pieces", effect.origin)
            return nil
        }
        if case .speed(let factor) = effect.kind { return .speed(range, factor: factor, of: duration) }
        return .repeating(range, count: copies, of: duration)
    }

    private mutating func renderedRange(duration: Time) -> TimeRange? {
        let whole = TimeRange(start: .zero, duration: duration)
        guard let wished = draft.timeRange else { return whole }
        guard let range = wished.intersection(whole) else {
            report("draft", "its time_range \(wished) does not lie on the timeline, which is \(duration.forPeople) s long", nil)
            return nil
        }
        return range
    }
}
