import Composition
import Draft
import Foundation
import Media
import Messaging

/// Renders the frames of one slice in order. Each frame is a pure function of its index:
/// source → clip effects → transition → effect list. An effect that looks around gets the frames that it asked for as what acts
/// before it makes them.
///
/// Memory is bounded by the canvas, the clips that overlap and the effects that act: a clip’s decoder goes back to the pool as
/// soon as the slice shows its clip no more, and so does what a source or an effect holds.
final class SegmentRenderer {
    let slice: Slice
    /// The output frame that is the slice's frame 0.
    private let firstFrame: Int
    private let workshop: Workshop
    private var pictures: [Int: ClipPictures] = [:]
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
    private var neighbours: TransitionNeighbours
    private let order: OwnOrder
    /// Of each effect: the frame that it made last.
    private var standing: [Int: Int] = [:]
    /// Effects that are making what they missed.
    private var catchingUp: Set<Int> = []

    /// - Parameter firstFrame: the output frame that is the slice's frame 0, for messages.
    init(_ slice: Slice, firstFrame: Int, _ workshop: Workshop) {
        self.slice = slice
        self.firstFrame = firstFrame
        self.workshop = workshop
        transitions = TransitionRenderer()
        neighbours = TransitionNeighbours(slice)
        order = slice.ownOrder
    }

    /// Gives the decoders back. Call it when done, failure included.
    func close() {
        for clip in pictures.values { clip.close() }
        pictures.removeAll()
        effects.removeAll()
        pluginTransitions.removeAll()
        generators.removeAll()
        inputs.removeAll()
        neighbours.forget { _ in true }
        standing.removeAll()
    }

    /// The canvas picture of frame `index` of the slice. It belongs to the caller, who must not write to it.
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
        case .clip(let clip): return instruction.clips.first { $0.clip == clip }?.effects
        }
    }

    /// What the stack's effects make of a frame.
    /// - Parameter end: only the effects before this one act; nil: all.
    private func surface(_ stack: Stack, _ frame: Int, before end: Int? = nil) throws -> Surface {
        let uses = uses(stack, frame) ?? []
        let end = end ?? uses.count
        var surface: Surface
        var next = 0
        let windowed = uses[..<end].lastIndex { window(of: $0.effect) != nil }
        // The last one first: it asks those before it for the same frames, which then stand where they have to.
        for use in uses[(windowed ?? 0)..<end].reversed() {
            try catchUp(use.effect, to: frame) { number in
                guard let position = self.uses(stack, number)?.firstIndex(where: { $0.effect == use.effect }) else {
                    return
                }
                _ = try self.surface(stack, number, before: position + 1)
            }
        }
        // The pictures that an effect with a window has seen are at hand: what lies before it is not made again.
        if let last = windowed, let reach = window(of: uses[last].effect) {
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
            guard let shown = instruction.clips.first(where: { $0.clip == clip }) else {
                throw JobFailure(.internal, "frame \(frame) does not show clip \(clip)")
            }
            return try content(of: shown, frame)
        }
        if case .effect(let number)? = instruction.transition?.style {
            try catchUp(number, to: frame) { _ = try base(.timeline, $0) }
        }
        neighbours.forget(before: frame)
        let surfaces = try instruction.clips.map { try surface(ofClip: $0.clip, frame) }
        guard let transition = instruction.transition, surfaces.count == 2 else { return surfaces[surfaces.count - 1] }
        return try mix(surfaces, of: instruction.clips.map(\.clip), transition, frame)
    }

    /// What a clip's own effects make of a frame. What a transition with a window sees of the clip is made in order, and once.
    private func surface(ofClip clip: Int, _ frame: Int) throws -> Surface {
        if let known = neighbours[clip, frame] { return Surface(known, isOwned: false) }
        for earlier in neighbours.missing(before: frame, of: clip) where uses(.clip(clip), earlier) != nil {
            neighbours[clip, earlier] = try surface(.clip(clip), earlier).picture
        }
        let surface = try surface(.clip(clip), frame)
        guard neighbours.areNeeded(of: clip, frame) else { return surface }
        neighbours[clip, frame] = surface.picture
        return Surface(surface.picture, isOwned: false)
    }

    /// The pictures around a clip's own, as far as the clip is shown without a break.
    private func window(ofClip clip: Int, _ frame: Int, _ reach: FrameReach) throws -> [Picture?] {
        var (first, last) = (frame, frame)
        while first > frame - reach.before, uses(.clip(clip), first - 1) != nil { first -= 1 }
        while last < frame + reach.after, uses(.clip(clip), last + 1) != nil { last += 1 }
        return try (frame - reach.before...frame + reach.after).map { number in
            (first...last).contains(number) ? try surface(ofClip: clip, number).picture : nil
        }
    }

    // MARK: State

    /// Lets an effect with state see what comes before `frame` in its own time and it has not made last: all of it, or what
    /// warms it up. Where frames come in order nothing is missing.
    /// - Parameter make: makes one frame.
    private func catchUp(_ effect: Int, to frame: Int, _ make: (Int) throws -> Void) throws {
        guard slice.effects[effect].hasState, !catchingUp.contains(effect), let plugin = slice.effects[effect].plugin
        else { return }
        let missing = order.frames(
            before: frame, for: effect, since: standing[effect],
            atMost: plugin.state == .sequential ? nil : plugin.warmUp ?? 0)
        guard !missing.isEmpty else { return }
        catchingUp.insert(effect)
        defer { catchingUp.remove(effect) }
        for number in missing { try make(number) }
    }

    private func content(of shown: Instruction.ClipUse, _ frame: Int) throws -> Surface {
        if let use = shown.generator {
            try catchUp(use.effect, to: frame) { number in
                guard let shown = slice.instruction(at: number)?.clips.first(where: { $0.clip == shown.clip }) else {
                    return
                }
                _ = try content(of: shown, number)
            }
            let picture = try generator(use.effect).picture(at: moment(use, frame), over: slice.background)
            try workshop.pulse(advances: true)
            return Surface(picture, isOwned: true)
        }
        guard let file = slice.clips[shown.clip].file else { return Surface(try background.get(), isOwned: false) }
        let middle = Time(middleOfFrame: frame, rate: slice.frameRate)
        let picture = try clipPictures(shown.clip, file).picture(
            before: shown.content.picturedContent(at: middle), isReversed: shown.content.isReversed)
        return Surface(picture, isOwned: false)
    }

    /// - Parameter surfaces: the outgoing, then the incoming clip's.
    private func mix(
        _ surfaces: [Surface], of clips: [Int], _ transition: Instruction.TransitionUse, _ frame: Int
    ) throws -> Surface {
        let pictures = surfaces.map(\.picture)
        switch transition.style {
        case .builtIn(let kind):
            let time = Time(frame: frame, rate: slice.frameRate)
            let mixed = try transitions.mix(
                pictures[0], pictures[1], kind, progress: transition.progress(at: time))
            return Surface(mixed, isOwned: true)
        case .effect(let number):
            guard let use = transition.effect else { throw JobFailure(.internal, "a transition without its effect") }
            if pluginTransitions[number] == nil {
                try checkFiles(of: slice.effects[number])
                pluginTransitions[number] = try PluginRun(slice.effects[number], slice.stage, workshop)
            }
            let windows = try window(of: number).map { reach in
                try clips.map { try window(ofClip: $0, frame, reach) }
            }
            let mixed = try pluginTransitions[number]?.process(
                windows ?? pictures.map { [$0] }, at: moment(use, frame))
            // What a transition passes on may be a photo that later frames show too.
            return mixed.map { Surface($0, isOwned: true) } ?? surfaces[0]
        }
    }

    private func apply(
        _ use: Instruction.EffectUse, to surface: inout Surface, _ frame: Int, _ window: [Picture?] = []
    ) throws {
        try effect(use.effect).apply(to: &surface, at: moment(use, frame, window))
        try workshop.pulse(advances: true)
    }

    /// For the one call that makes the frame.
    private func moment(_ use: Instruction.EffectUse, _ frame: Int, _ window: [Picture?] = []) -> Moment {
        let last = standing.updateValue(frame, forKey: use.effect)
        return Moment(
            time: use.time(at: Time(frame: frame, rate: slice.frameRate)), timelineFrame: (slice.origin ?? 0) + frame,
            outputFrame: firstFrame + frame, frameRate: slice.frameRate, range: use.length, follows: last != nil && last == order.predecessor(of: frame, for: use.effect),
            window: window)
    }

    // MARK: What is open

    private func clipPictures(_ index: Int, _ file: Int) throws -> ClipPictures {
        if let known = pictures[index] { return known }
        let opened = try ClipPictures(slice.clips[index], slice.files[file], slice, workshop)
        pictures[index] = opened
        return opened
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
        let shown = Set(rest.lazy.flatMap(\.clips).map(\.clip))
        for (index, clip) in pictures where !shown.contains(index) {
            clip.close()
            pictures[index] = nil
        }
        let made = Set(rest.lazy.flatMap(\.clips).compactMap { $0.generator?.effect })
        generators = generators.filter { made.contains($0.key) }
        let used = Set(rest.lazy.flatMap { $0.clips.flatMap(\.effects) + $0.effects }.map(\.effect))
        effects = effects.filter { used.contains($0.key) }
        inputs = inputs.filter { used.contains($0.key) }
        neighbours.forget { !shown.contains($0) }
        // What is opened again has seen nothing.
        standing = standing.filter {
            effects[$0.key] != nil || generators[$0.key] != nil || pluginTransitions[$0.key] != nil
        }
    }

    private func effect(_ index: Int) throws -> any FrameEffect {
        if let effect = effects[index] { return effect }
        let effect = try makeEffect(slice.effects[index])
        effects[index] = effect
        return effect
    }

    private func checkFiles(of use: CompositionEffect) throws {
        for file in use.files { try workshop.checkUnchanged(slice.files[file]) }
    }

    private func makeEffect(_ use: CompositionEffect) throws -> any FrameEffect {
        try checkFiles(of: use)
        let file = use.files.first.map { slice.files[$0] }
        guard case .picture(let picture) = use.content else { throw JobFailure(.internal, "a transition in the effect list") }
        switch picture {
        case .lut(let look): return try LookEffect(look, file, slice.color, workshop)
        case .sticker(let sticker): return StickerEffect(sticker, file, slice.color, workshop)
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
    /// What an effect may know of the frame's place: counted from the output's beginning where one of the slice depends on that, else from the
    /// slice's. So nothing that is made depends on more than the slice says.
    var timelineFrame: Int
    /// The frame of the output, for messages.
    var outputFrame: Int
    var frameRate: Rational
    /// Length of the effect's range.
    var range: Time
    /// In the effect's own time it is the next one after the frame that the effect made last.
    var follows: Bool
    /// The pictures around the effect's own, in order, for an effect that asked for them; nil where it does not act.
    var window: [Picture?]

    var timelineTime: Time { Time(frame: timelineFrame, rate: frameRate) }
}

/// One picture effect of a slice.
protocol FrameEffect: AnyObject {
    func apply(to surface: inout Surface, at moment: Moment) throws
}
