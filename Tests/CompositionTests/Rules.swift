import Draft
import Values

/// Whether a draft is legal, written once more from the design's text, so that validation is not
/// its own judge. It knows the rules that ``RandomDraft`` can break.
struct Rules {
    let draft: Draft
    let catalog: Catalog

    var isLegal: Bool {
        let ids = [draft.clips.map(\.id), draft.audio.map(\.id), draft.effects.map(\.id)]
        guard !draft.clips.isEmpty, draft.clips[0].transition == nil,
            ids.allSatisfy({ Set($0.compactMap { $0 }).count == $0.compactMap { $0 }.count }),
            draft.clips.allSatisfy(isLegal), draft.audio.allSatisfy(isLegal)
        else { return false }
        let lengths = draft.clips.map { length(of: $0) }
        let heads = draft.clips.map { $0.transition?.duration.double ?? 0 } + [0]
        for index in lengths.indices where heads[index] + heads[index + 1] > lengths[index] + 0.5 { return false }
        for (index, clip) in draft.clips.enumerated() {
            guard clip.fadeIn.double + clip.fadeOut.double <= lengths[index] + 0.5,
                clip.effects.allSatisfy({
                    !$0.isTimeEffect && isKnown($0) && ($0.range?.start.double ?? 0) < lengths[index]
                })
            else { return false }
        }
        var end = zip(lengths, heads).reduce(0) { $0 + $1.0 - $1.1 }
        for effect in draft.effects {
            let start = effect.range?.start.double ?? 0
            guard start < end else { return false }
            let inside = min(effect.range?.end.double ?? end, end) - start
            switch effect.kind {
            case .speed(let factor):
                guard Rational(1, 100) <= factor, factor <= Rational(100) else { return false }
                end += inside * (1 / factor.doubleValue - 1)
            case .repeat(let count):
                guard 1 <= count, count <= 10_000 else { return false }
                end += inside * Double(count - 1)
            case .picture, .sound, .layer: guard isKnown(effect) else { return false }
            }
        }
        return (draft.timeRange?.start.double ?? 0) < end && draft.audio.allSatisfy { passes(of: $0, end) <= 100_000 }
    }

    private func length(of clip: Clip) -> Double {
        let media = catalog.info(clip.path)?.duration.double ?? 0
        switch clip.content {
        case .image(let duration), .generated(_, let duration), .color(_, let duration): return duration.double
        case .media(let range), .draft(_, let range):
            return (min(range?.end.double ?? media, media) - (range?.start.double ?? 0)) / clip.speed.doubleValue
        }
    }

    private func isLegal(_ clip: Clip) -> Bool {
        if clip.generator == nil {
            guard let info = catalog.info(clip.path), info.video != nil, clip.isImage == (info.kind == .image) else {
                return false
            }
        }
        return Rational(1, 100) <= clip.speed && clip.speed <= Rational(100) && length(of: clip) > 0
    }

    /// How often a looping clip begins before the draft ends.
    private func passes(of clip: AudioClip, _ end: Double) -> Double {
        guard clip.loops, let sound = catalog.info(clip.path)?.audio else { return 0 }
        let pass = (clip.range?.duration ?? sound.duration).double / clip.speed.doubleValue
        return ((end - clip.startTime.double) / pass).rounded(.up)
    }

    private func isLegal(_ clip: AudioClip) -> Bool {
        guard let info = catalog.info(clip.path), let sound = info.audio else { return false }
        let media = max(sound.duration.double, info.duration.double)
        let range = clip.range ?? TimeRange(start: .zero, duration: sound.duration)
        let pass = range.duration.double / clip.speed.doubleValue
        guard range.end.double <= media, Rational(1, 100) <= clip.speed, clip.speed <= Rational(100) else {
            return false
        }
        if !clip.keepsPitch, clip.speed < Rational(1, 8) || clip.speed > Rational(6) { return false }
        for range in clip.effects.compactMap(\.range) {
            if range.isEmpty || range.start < .zero || !clip.loops && range.start.double >= pass.rounded() {
                return false
            }
        }
        if clip.loops { return pass >= 70_560_000 }
        return clip.fadeIn.double + clip.fadeOut.double <= pass + 0.5
    }

    private func isKnown(_ effect: Effect) -> Bool { effect.plugin.map { catalog.effect($0.effectID) != nil } ?? true }
}
