import Composition
import Draft
import Values

/// What a cheap renderer makes of one frame, straight from the draft by the ``Oracle``: names, and
/// numbers. Two frames look alike where both are the same. It knows no instructions, slices or
/// cuts.
struct CheapPicture {
    /// Files, texts, kinds, in order.
    var names: [String] = []
    /// The names' hash, for the whole picture.
    fileprivate(set) var hash = 0
    /// The clips that are photos: one after another is a cut, whatever is to be seen.
    var stills: [String] = []
    /// The own times of built-in effects that move, in flicks: where they differ and the values do
    /// not, either is right.
    var clocks: [Double] = []
    /// Times in flicks.
    var times: [Double] = []
    /// Values of parameters.
    var values: [Double] = []
    /// How far what acts here looks back and ahead; nothing for most.
    var reach: [String: (before: Int, after: Int)] = [:]

    /// - Parameter tolerance: flicks, for times; a value moves with them.
    func looksLike(_ other: CheapPicture, within tolerance: Double) -> Bool {
        hash == other.hash && names == other.names && times.count == other.times.count
            && values.count == other.values.count
            && zip(times, other.times).allSatisfy { abs($0 - $1) <= tolerance }
            && zip(values, other.values).allSatisfy { abs($0 - $1) < 1e-4 }
    }
}

/// All frames of a draft, cheaply rendered.
struct CheapMovie {
    let frames: [CheapPicture]
    private let renderer: CheapRenderer
    private let rate: Rational

    init(_ draft: Draft, _ catalog: Catalog, _ count: Int, _ rate: Rational) {
        let renderer = CheapRenderer(oracle: Oracle(draft, catalog), catalog: catalog)
        frames = (0..<count).map { renderer.frame($0, rate) }
        (self.renderer, self.rate) = (renderer, rate)
    }

    /// A frame, and what it is ``Comparison/tolerance`` earlier and later: at an edge either side
    /// is right.
    func candidates(_ frame: Int) -> [CheapPicture] {
        [0, -Comparison.tolerance, Comparison.tolerance].map { renderer.frame(frame, rate, shift: $0) }
    }
}

private struct CheapRenderer {
    let oracle: Oracle
    let catalog: Catalog
    var draft: Draft { oracle.draft }

    /// - Parameter shift: how many flicks after its middle the frame is looked at.
    func frame(_ frame: Int, _ rate: Rational, shift: Double = 0) -> CheapPicture {
        let middle = Time(middleOfFrame: frame, rate: rate).double + shift
        let time = max(0, min(middle, oracle.renderedDuration - 1))
        let lag = time - Time(frame: frame, rate: rate).double
        var picture = picture(oracle.shown(at: time), frame, lag)
        picture.hash = picture.names.hashValue
        return picture
    }

    /// - Parameter lag: by how many flicks the frame begins before what is shown.
    func picture(_ shown: Oracle.Shown, _ frame: Int, _ lag: Double) -> CheapPicture {
        var picture = CheapPicture()
        /// An effect's own time where the frame begins: zero where the effect begins within the
        /// frame.
        func start(_ local: Double, _ speed: Double) -> Double { max(0, local - lag * speed) }
        for (number, (index, _, local)) in shown.clips.enumerated() {
            let clip = draft.clips[index]
            if let generator = clip.generator {
                add(generator, "source", start(local, shown.speed), oracle.length(ofClip: index), frame, to: &picture)
            } else {
                picture.names.append("\(clip.path) \(clip.mode)")
                if !clip.isMedia { picture.stills.append(clip.id ?? "") }
                if clip.isMedia { picture.times.append(shown.pictured[number]) }
            }
            for (id, time) in shown.clipEffects[number] {
                guard let effect = clip.effects.first(where: { $0.id == id }) else { continue }
                add(
                    effect, start(time, shown.speed), oracle.length(of: effect, ofClip: index), frame, to: &picture)
            }
        }
        if let (index, progress) = shown.transition, let transition = draft.clips[index].transition {
            let time = start(progress * transition.duration.double, shown.speed)
            picture.names.append("transition \(transition.kind.name)")
            picture.times.append(time)
            if let plugin = transition.plugin {
                add(plugin, "join", time, transition.duration.double, frame, to: &picture)
            }
        }
        for (id, time, speed) in shown.effects {
            guard let index = draft.effects.firstIndex(where: { $0.id == id }) else { continue }
            add(draft.effects[index], start(time, speed), oracle.length(ofEffect: index), frame, to: &picture)
        }
        return picture
    }

    private func add(_ effect: Effect, _ time: Double, _ length: Double, _ frame: Int, to picture: inout CheapPicture) {
        guard case .picture(let content) = effect.kind else { return }
        switch content {
        case .lut(let look):
            picture.names.append(look.path)
            add(look.intensity, time, to: &picture)
        case .sticker(let sticker):
            picture.names.append(sticker.path)
            add(sticker.opacity, time, to: &picture)
            add(sticker.rect, time, to: &picture)
        case .title(let title):
            picture.names.append(
                "\(title.text) \(title.size) \(title.x) \(title.y) \(title.outlineWidth) \(title.width as Any)")
            add(title.opacity, time, to: &picture)
        case .subtitles(let subtitles): picture.names.append(subtitles.path)
        case .filter(let plugin): add(plugin, effect.id ?? "", time, length, frame, to: &picture)
        case .overlay(let overlay):
            picture.names.append("\(overlay.rect as Any)")
            add(overlay.opacity, time, to: &picture)
            add(overlay.source, effect.id ?? "", time, length, frame, to: &picture)
        }
    }

    /// A plugin sees its own time and the length of its range, and some see the timeline's.
    private func add(
        _ plugin: PluginEffect, _ id: String, _ time: Double, _ length: Double, _ frame: Int,
        to picture: inout CheapPicture
    ) {
        guard let descriptor = catalog.effect(plugin.effectID) else { return }
        picture.names.append(plugin.effectID)
        picture.times.append(time)
        picture.times.append(length)
        if !descriptor.ignoresTimeline { picture.names.append("in frame \(frame)") }
        for (key, value) in plugin.parameters.sorted(by: { $0.key < $1.key }) {
            if case .numbers(let animated) = value {
                picture.names.append(key)
                add(animated, time, to: &picture)
            }
        }
        let lead = descriptor.state == .warmUp ? descriptor.warmUp : 0
        if descriptor.kind != .source, lead + descriptor.reachBefore + descriptor.reachAfter > 0 {
            picture.reach["\(plugin.effectID) \(id)"] = (lead + descriptor.reachBefore, descriptor.reachAfter)
        }
    }

    private func add(_ animated: Animated, _ time: Double, to picture: inout CheapPicture) {
        if !animated.isConstant { picture.clocks.append(time) }
        picture.values += animated.value(at: Time(flicks: Int64(time.rounded())))
    }
}
