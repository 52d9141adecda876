import Composition
import Draft
import Foundation
import Media
import Messaging

/// Renders the frames of one slice in order. Each frame is a pure function of its index:
/// source → clip effects → transition → effect list.
///
/// Memory is bounded by the canvas and the clips that overlap: a layer's decoder goes back to the pool as soon as the
/// slice shows its clip no more.
final class SegmentRenderer {
    let slice: Slice
    private let workshop: Workshop
    private var layers: [Int: ClipLayer] = [:]
    private var effects: [Int: any FrameEffect] = [:]
    private let transitions: TransitionRenderer

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
    }

    /// The canvas picture of frame `index` of the timeline. It belongs to the caller, who must not write to it.
    func frame(_ index: Int) throws -> Picture {
        let time = Time(frame: index, rate: slice.frameRate)
        let middle = Time(middleOfFrame: index, rate: slice.frameRate)
        guard let instruction = slice.instruction(at: index) else {
            throw JobFailure(.internal, "frame \(index) lies outside its segment")
        }
        release(except: instruction)
        var surfaces: [Surface] = []
        for layer in instruction.layers {
            let picture = try clipLayer(layer.clip).picture(
                before: layer.source.picturedContent(at: middle), isReversed: layer.source.isReversed)
            var surface = Surface(picture, isOwned: false)
            try apply(layer.effects, to: &surface, time, index)
            surfaces.append(surface)
        }
        var surface = surfaces[surfaces.count - 1]
        if let transition = instruction.transition, surfaces.count == 2 {
            let mixed = try transitions.mix(
                surfaces[0].picture, surfaces[1].picture, transition.kind, progress: transition.progress(at: time))
            surface.replace(with: mixed)
        }
        try apply(instruction.effects, to: &surface, time, index)
        return surface.picture
    }

    private func apply(_ uses: [Instruction.EffectUse], to surface: inout Surface, _ time: Time, _ index: Int) throws {
        for use in uses {
            let moment = Moment(
                time: use.time(at: time), timelineTime: time, timelineFrame: index, frameRate: slice.frameRate,
                range: use.length)
            try effect(use.effect).apply(to: &surface, at: moment)
        }
    }

    private func clipLayer(_ index: Int) throws -> ClipLayer {
        if let layer = layers[index] { return layer }
        let clip = slice.clips[index]
        let layer = try ClipLayer(clip, slice.sources[clip.source], slice, workshop)
        layers[index] = layer
        return layer
    }

    /// Closes what the slice's later frames do not show either; what comes again soon stays open.
    private func release(except current: Instruction) {
        guard layers.count > current.layers.count else { return }
        let needed = Set(
            slice.instructions.filter { $0.range.end > current.range.start }.flatMap { $0.layers.map(\.clip) })
        for (index, layer) in layers where !needed.contains(index) {
            layer.close()
            layers[index] = nil
        }
    }

    private func effect(_ index: Int) throws -> any FrameEffect {
        if let effect = effects[index] { return effect }
        let effect = try makeEffect(slice.effects[index])
        effects[index] = effect
        return effect
    }

    private func makeEffect(_ use: CompositionEffect) throws -> any FrameEffect {
        let source = use.source.map { slice.sources[$0] }
        switch use.effect {
        case .lut(let look): return try LookEffect(look, source, slice.color, workshop)
        case .sticker(let sticker): return try StickerEffect(sticker, source, slice.color, workshop)
        case .title(let title): return try TitleEffect(title, slice.size, slice.color)
        case .filter(let filter): return try FilterEffect(filter, use.plugin, slice, workshop)
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
}

/// One picture effect of a slice.
protocol FrameEffect: AnyObject {
    func apply(to surface: inout Surface, at moment: Moment) throws
}
