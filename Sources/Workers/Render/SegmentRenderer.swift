import Composition
import Draft
import Foundation
import Media
import Messaging

/// Renders the frames of one slice in order. Each frame is a pure function of its index:
/// source → clip effects → transition → effect list. An effect that looks around gets the frames that it asked for as what acts
/// before it makes them.
///
/// Memory is bounded by the canvas, the clips that overlap and the effects that act: a layer's decoder goes back to the pool as
/// soon as the slice shows its clip no more, and so does what a source or an effect holds.
final class SegmentRenderer {
    let slice: Slice
    private let workshop: Workshop
    private var layers: [Int: ClipLayer] = [:]
    private var effects: [Int: any FrameEffect] = [:]
    private let transitions: TransitionRenderer
    private var pluginTransitions: [Int: PluginRun] = [:]
    private var generators: [Int: SourceRun] = [:]
    /// Where the instruction begins before which nothing is open that is not used again.
    private var releasedBefore: Time?
    private lazy var background = Result { () throws(MediaError) in
        try Picture.background(slice.background, width: slice.size.width, height: slice.size.height, slice.color)
    }
    /// Of each effect with a window, by its number: the pictures it sees, by frame.
    private var inputs: [Int: [Int: Picture]] = [:]

    init(_ slice: Slice, _ workshop: Workshop) {
        self.slice = slice
        self.workshop = workshop
        transitions = TransitionRenderer()
    }

    /// Gives the decoders back. Call it when done, failure included.
    func close() {
        for layer in layers.values { layer.close() }
        layers.removeAll()
        effects.removeAll()
        pluginTransitions.removeAll()
        generators.removeAll()
        inputs.removeAll()
    }

    /// The canvas picture of frame `index` of the timeline. It belongs to the caller, who must not write to it.
    func frame(_ index: Int) throws -> Picture {
        guard let instruction = slice.instruction(at: index) else {
            throw JobFailure(.internal, "frame \(index) lies outside its segment")
        }
        release(before: instruction)
        return try surface(.timeline, index).picture
    }

    // MARK: Stacks of effects

    /// Effects that act one on the other's picture.
    private enum Stack: Hashable {
        /// The effect list, on what clips and transitions make.
        case timeline
        /// A clip's own effects, on its picture.
        case clip(Int)
    }

    /// The stack's effects in a frame; nil where it is not shown.
    private func uses(_ stack: Stack, _ frame: Int) -> [Instruction.EffectUse]? {
        guard let instruction = slice.instruction(at: frame) else { return nil }
        switch stack {
        case .timeline: return instruction.effects
        case .clip(let clip): return instruction.layers.first { $0.clip == clip }?.effects
        }
    }

    /// What the stack's effects make of a frame.
    /// - Parameter end: only the effects before this one act; nil: all.
    private func surface(_ stack: Stack, _ frame: Int, before end: Int? = nil) throws -> Surface {
        let uses = uses(stack, frame) ?? []
        let end = end ?? uses.count
        var surface: Surface
        var next = 0
        // The pictures that an effect with a window has seen are at hand: what lies before it is not made again.
        if let last = uses[..<end].lastIndex(where: { window(of: $0.effect) != nil }),
            let reach = window(of: uses[last].effect)
        {
            let effect = uses[last].effect
            // A gap is an end: what lies behind it comes later, and effects with state want their frames in order.
            var isOver = false
            let pictures = try (frame - reach.before...frame + reach.after).map { number -> Picture? in
                guard !isOver else { return nil }
                let picture = try input(of: effect, stack, number)
                isOver = picture == nil && number > frame
                return picture
            }
            inputs[effect] = inputs[effect]?.filter { $0.key >= frame - reach.before }
            guard let current = pictures[reach.before] else {
                throw JobFailure(.internal, "frame \(frame) is not in its own window")
            }
            surface = Surface(current, isOwned: false)
            try apply(uses[last], to: &surface, frame, pictures)
            next = last + 1
        } else {
            surface = try base(stack, frame)
        }
        for use in uses[next..<end] { try apply(use, to: &surface, frame) }
        return surface
    }

    private func window(of effect: Int) -> FrameReach? { slice.effects[effect].plugin?.window }

    /// What an effect with a window sees of a frame; nil where it does not act there.
    private func input(of effect: Int, _ stack: Stack, _ frame: Int) throws -> Picture? {
        if let known = inputs[effect]?[frame] { return known }
        guard let position = uses(stack, frame)?.firstIndex(where: { $0.effect == effect }) else { return nil }
        let picture = try surface(stack, frame, before: position).picture
        inputs[effect, default: [:]][frame] = picture
        return picture
    }

    /// What the first of the stack's effects acts on.
    private func base(_ stack: Stack, _ frame: Int) throws -> Surface {
        guard let instruction = slice.instruction(at: frame) else {
            throw JobFailure(.internal, "frame \(frame) lies outside its segment")
        }
        if case .clip(let clip) = stack {
            guard let layer = instruction.layers.first(where: { $0.clip == clip }) else {
                throw JobFailure(.internal, "frame \(frame) does not show clip \(clip)")
            }
            return try content(of: layer, frame)
        }
        let surfaces = try instruction.layers.map { try surface(.clip($0.clip), frame) }
        guard let transition = instruction.transition, surfaces.count == 2 else { return surfaces[surfaces.count - 1] }
        return Surface(try mix(surfaces[0].picture, surfaces[1].picture, transition, frame), isOwned: true)
    }

    private func content(of layer: Instruction.Layer, _ frame: Int) throws -> Surface {
        if let use = layer.generator {
            let picture = try generator(use.effect).picture(at: moment(use, frame), over: slice.background)
            try workshop.pulse(advances: true)
            return Surface(picture, isOwned: true)
        }
        guard let source = slice.clips[layer.clip].source else { return Surface(try background.get(), isOwned: false) }
        let middle = Time(middleOfFrame: frame, rate: slice.frameRate)
        let picture = try clipLayer(layer.clip, source).picture(
            before: layer.source.picturedContent(at: middle), isReversed: layer.source.isReversed)
        return Surface(picture, isOwned: false)
    }

    private func mix(
        _ old: Picture, _ new: Picture, _ transition: Instruction.TransitionUse, _ frame: Int
    ) throws -> Picture {
        switch transition.style {
        case .builtIn(let kind):
            let time = Time(frame: frame, rate: slice.frameRate)
            return try transitions.mix(old, new, kind, progress: transition.progress(at: time))
        case .effect(let number):
            guard let use = transition.effect else { throw JobFailure(.internal, "a transition without its effect") }
            if pluginTransitions[number] == nil {
                try checkFiles(of: slice.effects[number])
                pluginTransitions[number] = try PluginRun(slice.effects[number], slice, workshop)
            }
            return try pluginTransitions[number]?.process([[old], [new]], at: moment(use, frame)) ?? old
        }
    }

    private func apply(
        _ use: Instruction.EffectUse, to surface: inout Surface, _ frame: Int, _ window: [Picture?] = []
    ) throws {
        try effect(use.effect).apply(to: &surface, at: moment(use, frame, window))
        try workshop.pulse(advances: true)
    }

    private func moment(_ use: Instruction.EffectUse, _ frame: Int, _ window: [Picture?] = []) -> Moment {
        let time = Time(frame: frame, rate: slice.frameRate)
        return Moment(
            time: use.time(at: time), timelineTime: time, timelineFrame: frame, frameRate: slice.frameRate,
            range: use.length,
            window: window)
    }

    // MARK: What is open

    private func clipLayer(_ index: Int, _ source: Int) throws -> ClipLayer {
        if let layer = layers[index] { return layer }
        let layer = try ClipLayer(slice.clips[index], slice.sources[source], slice, workshop)
        layers[index] = layer
        return layer
    }

    private func generator(_ index: Int) throws -> SourceRun {
        if let run = generators[index] { return run }
        try checkFiles(of: slice.effects[index])
        let run = try SourceRun(slice.effects[index], slice, workshop)
        generators[index] = run
        return run
    }

    /// Closes what the slice's later frames do not show either; what comes again stays open.
    private func release(before current: Instruction) {
        guard releasedBefore != current.range.start else { return }
        releasedBefore = current.range.start
        let rest = slice.instructions.drop { $0.range.end <= current.range.start }
        let shown = Set(rest.lazy.flatMap(\.layers).map(\.clip))
        for (index, layer) in layers where !shown.contains(index) {
            layer.close()
            layers[index] = nil
        }
        let made = Set(rest.lazy.flatMap(\.layers).compactMap { $0.generator?.effect })
        generators = generators.filter { made.contains($0.key) }
        let used = Set(rest.lazy.flatMap { $0.layers.flatMap(\.effects) + $0.effects }.map(\.effect))
        effects = effects.filter { used.contains($0.key) }
        inputs = inputs.filter { used.contains($0.key) }
    }

    private func effect(_ index: Int) throws -> any FrameEffect {
        if let effect = effects[index] { return effect }
        let effect = try makeEffect(slice.effects[index])
        effects[index] = effect
        return effect
    }

    private func checkFiles(of use: CompositionEffect) throws {
        for source in use.sources { try workshop.checkUnchanged(slice.sources[source]) }
    }

    private func makeEffect(_ use: CompositionEffect) throws -> any FrameEffect {
        try checkFiles(of: use)
        let source = use.sources.first.map { slice.sources[$0] }
        switch use.effect {
        case .lut(let look): return try LookEffect(look, source, slice.color, workshop)
        case .sticker(let sticker): return StickerEffect(sticker, source, slice.color, workshop)
        case .title(let title): return try TitleEffect(title, slice.size, slice.color)
        case .filter: return try FilterEffect(use, slice, workshop)
        case .overlay(let overlay): return try OverlayEffect(overlay, use, slice, workshop)
        }
    }
}

/// The moment of an effect's frame.
struct Moment {
    /// Since the effect's range began.
    var time: Time
    /// Since the output began.
    var timelineTime: Time
    var timelineFrame: Int
    var frameRate: Rational
    /// Length of the effect's range.
    var range: Time
    /// The pictures around the effect's own, in order, for an effect that asked for them; nil where it does not act.
    var window: [Picture?]
}

/// One picture effect of a slice.
protocol FrameEffect: AnyObject {
    func apply(to surface: inout Surface, at moment: Moment) throws
}
