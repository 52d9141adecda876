import Composition
import Draft
import Messaging

/// The builder of a slice's nodes.
///
/// Each instruction of the slice is a stretch of frames with clips, perhaps a transition, and
/// effects, one over the other. What opens something (a clip's content, an effect) is made once for
/// all instructions that use it, and a ``Switch`` says what it acts on in each of them. What opens
/// nothing (a composition, a transition of our own) is made for each instruction.
struct GraphBuilder {
    let slice: Slice
    let supplies: PictureSupplies
    let clock: SliceClock
    let order: OwnOrder
    private(set) var lifetimes = NodeLifetimes()
    private var clocks: [Int: EffectClock] = [:]
    private var contents: [Int: FrameRuns<Piece>] = [:]
    private var clips: [Int: ContentNodes] = [:]
    private var effects: [Int: EffectNodes] = [:]
    private var watches: [Int: ClipWatch] = [:]
    private var layerClips: [Int: LayerContent] = [:]
    /// What another graph of the slice may take over; nil: there is none.
    var shared: SharedNodes?
    /// What was taken over from another graph.
    private let taken: SharedNodes?
    /// See ``mostAtOnce``.
    private let most: Int

    /// An effect of the slice.
    struct EffectNodes {
        var output: Output
        /// What it acts on; of a transition the outgoing picture, then the incoming one.
        var inputs: [Switch<Surface>] = []
        /// The clip that a layer shows, as its own effects leave it.
        var shown: Switch<LayerPicture>?
        /// A layer's mask.
        var mask: Switch<LayerPicture>?
        /// Every node that opens or keeps something.
        var parts: [any Node]

        enum Output {
            case surface(any Node<Surface>)
            case layer(any Node<PaintedLayer>)
        }
    }

    /// A clip that transitions with windows look at.
    private struct ClipWatch {
        var frames: [Range<Int>] = []
        var reach = FrameReach.none
        let input = Switch<Surface>()
        lazy var cache = WindowCache(input, reach: reach, past: .ends, watched: frames)
    }

    /// - Parameter firstFrame: the output frame that is the slice's frame 0, for messages.
    init(_ slice: Slice, firstFrame: Int, _ supplies: PictureSupplies) {
        self.slice = slice
        self.supplies = supplies
        clock = SliceClock(slice, firstFrame: firstFrame)
        order = slice.ownOrder
        (taken, most) = (nil, Self.mostAtOnce)
    }

    /// For a draft that another one shows.
    /// - Parameters:
    ///   - isShared: another graph of the same slice is to take over what it can.
    ///   - taken: what such a graph takes over.
    init(
        nested slice: Slice, _ clock: SliceClock, _ supplies: PictureSupplies, isShared: Bool = false,
        taking taken: SharedNodes? = nil
    ) {
        self.slice = slice
        var supplies = supplies
        supplies.live = nil
        self.supplies = supplies
        self.clock = clock
        order = slice.ownOrder
        shared = isShared ? SharedNodes() : nil
        (self.taken, most) = (taken, Self.mostAtOnceNested)
    }

    /// The node of the slice's pictures.
    /// - Throws: where the slice contradicts itself, or more effects act at once than can. Files
    ///   and plugins are opened with their first frames.
    mutating func build() throws -> Switch<Surface> {
        let instructions = slice.instructions.map { ($0, $0.range.frames(rate: slice.frameRate)) }
            .filter { !$1.isEmpty }
        for (instruction, frames) in instructions { survey(instruction, frames) }
        let root = Switch<Surface>()
        for (instruction, frames) in instructions {
            guard let base = try base(of: instruction, frames) else { continue }
            root.add(try stack(instruction.effects, over: base, frames), for: frames)
        }
        return root
    }

    /// The times at which an effect acts.
    func clock(of effect: Int) -> EffectClock { clocks[effect] ?? EffectClock(clock) }

    /// Notes when each effect acts, what each clip shows when, and what transitions will see of
    /// clips.
    private mutating func survey(_ instruction: Instruction, _ frames: Range<Int>) {
        for use in instruction.uses { clocks[use.effect, default: EffectClock(clock)].uses.add(use, for: frames) }
        for clip in instruction.allClips { contents[clip.clip, default: FrameRuns()].add(clip.content, for: frames) }
        guard let reach = instruction.transition?.effect.flatMap({ slice.effects[$0.effect].plugin?.window }) else {
            return
        }
        for clip in instruction.clips.map(\.clip) {
            var watch = watches[clip] ?? ClipWatch()
            watch.frames.append(frames.lowerBound - reach.before..<frames.upperBound + reach.after)
            watch.reach.before = max(watch.reach.before, reach.before)
            watches[clip] = watch
        }
    }

    // MARK: Clips and transitions

    /// The picture that the first effect of the list acts on; nil where an instruction shows
    /// nothing.
    private mutating func base(of instruction: Instruction, _ frames: Range<Int>) throws -> (any Node<Surface>)? {
        var shown: [any Node<Surface>] = []
        for use in instruction.clips { shown.append(try clip(use, frames)) }
        guard let transition = instruction.transition, shown.count == 2 else { return shown.last }
        switch transition.style {
        case .builtIn(let kind): return BuiltInTransition(kind, transition, from: shown[0], to: shown[1], clock)
        case .effect(let number):
            let caches = instruction.clips.compactMap { watches[$0.clip]?.cache }
            let nodes = effects[number] ?? makeTransition(number, caches)
            effects[number] = nodes
            return use(nodes, over: shown, frames)
        }
    }

    /// The content of a clip through the clip's own effects.
    private mutating func clip(_ use: Instruction.ClipUse, _ frames: Range<Int>) throws -> any Node<Surface> {
        let node = try stack(use.effects, over: try content(use, frames), frames)
        guard let cache = watches[use.clip]?.cache else { return node }
        watches[use.clip]?.input.add(node, for: frames)
        lifetimes.extend(cache, over: frames)
        return cache
    }

    /// The picture of a clip on the canvas.
    private mutating func content(_ use: Instruction.ClipUse, _ frames: Range<Int>) throws -> any Node<Surface> {
        if let place = use.place { return try placedClip(use, place, frames) }
        let content = clips[use.clip] ?? makeContent(use, contents[use.clip] ?? FrameRuns())
        clips[use.clip] = content
        for part in content.parts { lifetimes.extend(part, over: frames) }
        return content.output
    }

    /// A clip of the main track that has a place of its own, over what is behind it.
    private mutating func placedClip(
        _ use: Instruction.ClipUse, _ place: Instruction.EffectUse, _ frames: Range<Int>
    ) throws -> any Node<Surface> {
        if let known = taken?.layers[place.effect], slice.clips[use.clip].backdrop != .blur {
            var background = slice.background
            if case .color(let color)? = slice.clips[use.clip].backdrop { background = color.over(background) }
            let backdrop = Backdrop(slice, background)
            lifetimes.extend(backdrop, over: frames)
            return composed(backdrop, [known])
        }
        let nodes = try effects[place.effect] ?? makeEffect(place.effect, slice.stage(slice.size))
        effects[place.effect] = nodes
        guard case .layer(let layer) = nodes.output, let shown = nodes.shown else { throw Self.noPlace }
        let picture = try layerContent(use, within: nil, frames)
        shown.add(picture.output, for: frames)
        for part in nodes.parts { lifetimes.extend(part, over: frames) }
        let backdrop = makeBackdrop(use, picture.output)
        lifetimes.extend(backdrop, over: frames)
        return composed(backdrop, [shared?.layer(place.effect, layer) ?? layer])
    }

    /// The picture that a layer places: its clip's, through its own effects.
    private mutating func shownPicture(_ use: Instruction.ClipUse, _ frames: Range<Int>) throws -> any Node<
        LayerPicture
    > {
        guard !use.effects.isEmpty else { return try layerContent(use, within: nil, frames).output }
        let content = try layerContent(use, within: slice.size, frames)
        let colors = content.colors
        let after = LayerAfterEffects(colors)
        after.effects.add(
            try stack(use.effects, over: colors, frames, on: slice.overlayStage(content.size)),
            for: frames)
        lifetimes.extend(colors, over: frames)
        return after
    }

    private mutating func layerContent(_ use: Instruction.ClipUse, within limit: Canvas.Size?, _ frames: Range<Int>)
        throws -> LayerContent
    {
        let known = layerClips[use.clip].flatMap { $0.limit == limit ? $0 : nil }
        let content = try known ?? makeLayerContent(use, contents[use.clip] ?? FrameRuns(), within: limit)
        layerClips[use.clip] = content
        for part in content.parts { lifetimes.extend(part, over: frames) }
        return content
    }

    /// The pictures of a clip that moves: those that another graph of the slice has, or new ones.
    mutating func source(ofClip number: Int, _ make: () throws -> any MovingSource) rethrows -> any MovingSource {
        if let known = taken?.sources[number] { return known }
        let source = try make()
        shared?.sources[number] = source
        return source
    }

    static let noPlace = JobFailure(.internal, "a clip came without its place")

    // MARK: Stacks of effects

    /// The most effects of a stack that may act on one another's picture in a frame; layers do not
    /// count. Each is called from within the call of the one that acts on its picture, and a
    /// thread's call stack is bounded.
    static let mostAtOnce = 1000
    /// The same in a draft that another one shows: all such stacks together are as high as one of
    /// those.
    static let mostAtOnceNested = 50

    /// Effects that act on one another's pictures. Layers that follow one another are painted by
    /// one composition.
    /// - Parameter stage: of the pictures; nil: the canvas'.
    /// - Throws: where they are more than ``mostAtOnce``.
    private mutating func stack(
        _ uses: [Instruction.EffectUse], over base: any Node<Surface>, _ frames: Range<Int>,
        on stage: PictureStage? = nil
    ) throws -> any Node<Surface> {
        var node = base
        var layers: [any Node<PaintedLayer>] = []
        var depth = 0
        for use in uses {
            if let known = taken?.layers[use.effect] {
                layers.append(known)
                continue
            }
            let nodes =
                try effects[use.effect] ?? makeEffect(use.effect, stage ?? slice.stage(slice.size))
            effects[use.effect] = nodes
            if let clip = use.clip, let shown = nodes.shown { shown.add(try shownPicture(clip, frames), for: frames) }
            if let mask = use.mask { nodes.mask?.add(try layerContent(mask, within: nil, frames).output, for: frames) }
            if case .layer(let layer) = nodes.output {
                for part in nodes.parts { lifetimes.extend(part, over: frames) }
                layers.append(shared?.layer(use.effect, layer) ?? layer)
            } else {
                node = self.use(nodes, over: [composed(node, layers)], frames)
                layers.removeAll()
                depth += 1
                if depth > most { throw tooMany(uses.count, in: frames) }
            }
        }
        return composed(node, layers)
    }

    private func tooMany(_ count: Int, in frames: Range<Int>) -> JobFailure {
        let (first, last) = (clock.outputFrame(of: frames.lowerBound), clock.outputFrame(of: frames.upperBound - 1))
        return JobFailure(
            .input,
            "\(count) effects act at once on the frames \(first) to \(last), one on the other's picture, but at most "
                + "\(most) can, stickers, titles and overlays aside; give some of them shorter ranges.")
    }

    private func composed(_ base: any Node<Surface>, _ layers: [any Node<PaintedLayer>]) -> any Node<Surface> {
        layers.isEmpty ? base : CompositionNode(base, layers, pulse: supplies.pulse)
    }

    /// Lets an effect act on these inputs in these frames.
    private mutating func use(
        _ nodes: EffectNodes, over inputs: [any Node<Surface>], _ frames: Range<Int>
    ) -> any Node<Surface> {
        for (place, input) in zip(nodes.inputs, inputs) { place.add(input, for: frames) }
        for part in nodes.parts { lifetimes.extend(part, over: frames) }
        guard case .surface(let node) = nodes.output else { return inputs[0] }
        return node
    }
}
