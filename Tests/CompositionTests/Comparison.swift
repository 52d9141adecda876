import Composition
import Draft
import Foundation
import Values

/// Compares what a composition says of one time with what the oracle says.
struct Comparison {
    /// Two microseconds.
    static let tolerance = 1411.0

    let draft: Draft
    let catalog: Catalog
    let composition: Composition
    let oracle: Oracle

    init(_ draft: Draft, _ catalog: Catalog, _ composition: Composition) {
        self.draft = draft
        self.catalog = catalog
        self.composition = composition
        oracle = Oracle(draft, catalog)
    }

    // MARK: Pictures

    /// nil where both agree in the middle of a frame. Within two microseconds of an edge either
    /// side of it is right.
    func disagreement(_ instruction: Instruction, inFrame frame: Int) -> String? {
        // What is rendered may end in the first half of its last frame.
        let time = min(
            Time(middleOfFrame: frame, rate: composition.frameRate),
            Time(flicks: Int64(oracle.renderedDuration.rounded(.up)) - 1))
        let exact = difference(instruction, time, oracle.shown(at: time.double), slack: 0)
        if exact == nil { return nil }
        for shift in [-Self.tolerance, Self.tolerance] {
            if difference(instruction, time, oracle.shown(at: time.double + shift), slack: Self.tolerance) == nil {
                return nil
            }
        }
        return exact
    }

    private func difference(_ found: Instruction, _ time: Time, _ wanted: Oracle.Shown, slack: Double) -> String? {
        let clips = wanted.clips.map(\.index)
        guard found.clips.map(\.clip) == clips else {
            return "clips \(found.clips.map(\.clip)), but \(clips) are right"
        }
        // A time effect that plays s times as fast turns one flick of rounding into s.
        let scale = max(1, wanted.speed)
        for (use, shown) in zip(found.clips, wanted.clips) {
            let speed = scale * max(1, draft.clips[shown.index].speed.doubleValue)
            let source = use.content.content(at: time).double
            guard abs(source - shown.source) <= Self.tolerance * max(1, speed / 100) + slack * speed else {
                return "clip \(shown.index) at source time \(source), but \(shown.source) is right"
            }
            if let text = difference(use, shown, time, scale, slack) { return "clip \(shown.index) \(text)" }
        }
        for (index, use) in found.clips.enumerated() {
            if let text = difference(use.effects, time, wanted.clipEffects[index], scale, slack) {
                return "in clip \(use.clip) \(text)"
            }
        }
        if let text = difference(found.effects, time, wanted.effects.map { ($0.id, $0.local) }, scale, slack) {
            return text
        }
        guard (found.transition == nil) == (wanted.transition == nil) else {
            return "transition \(found.transition != nil), but \(wanted.transition != nil) is right"
        }
        if let transition = found.transition, let right = wanted.transition {
            let length = transition.duration.double
            guard isRight(transition.style, draft.clips[right.clip].transition?.kind),
                abs(transition.progress(at: time) - right.progress) * length <= (Self.tolerance + slack) * scale
            else { return "progress \(transition.progress(at: time)), but \(right.progress) is right" }
        }
        return nil
    }

    /// What makes the content of a clip, and at which of its times.
    private func difference(
        _ use: Instruction.ClipUse, _ shown: (index: Int, source: Double, local: Double), _ time: Time, _ scale: Double,
        _ slack: Double
    ) -> String? {
        let made = use.generator.map { composition.effects[$0.effect].content }
        let wanted = draft.clips[shown.index].generator.map { CompositionEffect.Content.source($0) }
        guard made == wanted, (composition.clips[use.clip].file == nil) == (wanted != nil) else {
            return "is made by \(made as Any), but \(wanted as Any) is right"
        }
        guard let clock = use.generator?.clock.content(at: time).double else { return nil }
        return abs(clock - shown.local) > (Self.tolerance + slack) * scale
            ? "is made for \(clock), but \(shown.local) flicks are right" : nil
    }

    private func isRight(_ style: Instruction.TransitionUse.Style, _ kind: Transition.Kind?) -> Bool {
        switch (style, kind) {
        case (.effect(let number), .plugin(let plugin)?): composition.effects[number].content == .transition(plugin)
        case (.builtIn(let found), let kind?): found == kind
        default: false
        }
    }

    private func difference(
        _ found: [Instruction.EffectUse], _ time: Time, _ wanted: [(id: String, local: Double)], _ scale: Double,
        _ slack: Double
    ) -> String? {
        let ids = found.map { composition.effects[$0.effect].id ?? "" }
        guard ids == wanted.map(\.id) else { return "effects \(ids), but \(wanted.map(\.id)) are right" }
        for (use, right) in zip(found, wanted)
        where abs(use.clock.content(at: time).double - right.local) > (Self.tolerance + slack) * scale {
            return "effect \(right.id) at \(use.clock.content(at: time)), but \(right.local) flicks are right"
        }
        return nil
    }

    // MARK: Sound

    func soundDisagreement(at time: Time) -> String? {
        let found = heard(at: time)
        let exact = difference(found, oracle.heard(at: time.double, catalog), 1)
        if exact == nil { return nil }
        for shift in [-Self.tolerance, Self.tolerance] {
            if difference(found, oracle.heard(at: time.double + shift, catalog), 2) == nil { return nil }
        }
        return exact
    }

    private func heard(at time: Time) -> [Oracle.Heard] {
        composition.sound.filter { $0.map.timeline.contains(time) }.map { span in
            let local = span.gain.clock.content(at: time)
            var gain = span.gain.volume.scalar(at: local)
            if span.gain.fadeIn > .zero { gain *= Oracle.clamp(local.double / span.gain.fadeIn.double) }
            if span.gain.fadeOut > .zero {
                gain *= Oracle.clamp((span.gain.length.double - local.double) / span.gain.fadeOut.double)
            }
            for fade in span.gain.crossfades {
                let progress = fade.clock.content(at: time).double / fade.duration.double
                gain *= fade.rises ? Oracle.sine(progress) : Oracle.cosine(progress)
            }
            return Oracle.Heard(
                path: composition.files[span.file].path, source: span.map.content(at: time).double, gain: gain)
        }.sorted { ($0.path, $0.source, $0.gain) < ($1.path, $1.source, $1.gain) }
    }

    private func difference(_ found: [Oracle.Heard], _ wanted: [Oracle.Heard], _ scale: Double) -> String? {
        let text = "heard \(found), but \(wanted) is right"
        guard found.map(\.path) == wanted.map(\.path) else { return text }
        for (a, b) in zip(found, wanted)
        where abs(a.source - b.source) > Self.tolerance * 100 * scale || abs(a.gain - b.gain) > 0.001 {
            return text
        }
        return nil
    }
}
