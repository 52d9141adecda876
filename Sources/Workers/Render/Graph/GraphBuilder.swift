import Composition
import Draft
import Messaging

/// The builder of a slice's nodes.
///
/// Each instruction of the slice is a stretch of frames with clips, perhaps a transition, and effects, one over the other. What
/// opens something (a clip's content, an effect) is made once for all instructions that use it, and a ``Switch`` says what it
/// acts on in each of them. What opens nothing (a composition, a transition of our own) is made for each instruction.
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

    /// An effect of the slice.
    struct EffectNodes {
        var output: Output
        /// What it acts on; of a transition the outgoing picture, then the incoming one.
        var inputs: [Switch<Surface>] = []
        /// Every node that opens or keeps something.
        var parts: [any Node]

        enum Output {
            case surface(any Node<Surface>)
            case layer(any Node<Layer>)
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
    }

    /// The node of the slice's pictures.
    /// - Throws: where the slice contradicts itself, or more effects act at once than can. Files and plugins are opened with their first frames.
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

    /// Notes when each effect acts, what each clip shows when, and what transitions will see of clips.
    private mutating func survey(_ instruction: Instruction, _ frames: Range<Int>) {
        for use in instruction.uses { clocks[use.effect, default: EffectClock(clock)].uses.add(use, for: frames) }
        for clip in instruction.clips { contents[clip.clip, default: FrameRuns()].add(clip.content, for: frames) }
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

    /// The picture that the first effect of the list acts on; nil where an instruction shows nothing.
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
        let content = clips[use.clip] ?? makeContent(use, contents[use.clip] ?? FrameRuns())
        clips[use.clip] = content
        for part in content.parts { lifetimes.extend(part, over: frames) }
        let node = try stack(use.effects, over: content.output, frames)
        guard let cache = watches[use.clip]?.cache else { return node }
        watches[use.clip]?.input.add(node, for: frames)
        lifetimes.extend(cache, over: frames)
        return cache
    }

    // MARK: Stacks of effects

    /// The most effects of a stack that may act on one another's picture in a frame; layers do not count. Each is
    /// called from within the call of the one that acts on its picture, and a thread's call stack is bounded.
    static let mostAtOnce = 1000

    /// Effects that act on one another's picture. Layers that follow one another are painted by one composition.
    /// - Throws: where they are more than ``mostAtOnce``.
    private mutating func stack(
        _ uses: [Instruction.EffectUse], over base: any Node<Surface>, _ frames: Range<Int>
    ) throws -> any Node<Surface> {
        var node = base
        var layers: [any Node<Layer>] = []
        var depth = 0
        for use in uses {
            let nodes = try effects[use.effect] ?? makeEffect(use.effect)
            effects[use.effect] = nodes
            if case .layer(let layer) = nodes.output {
                for part in nodes.parts { lifetimes.extend(part, over: frames) }
                layers.append(layer)
            } else {
                node = self.use(nodes, over: [composed(node, layers)], frames)
                layers.removeAll()
                depth += 1
                if depth > Self.mostAtOnce { throw tooMany(uses.count, in: frames) }
            }
        }
        return composed(node, layers)
    }

    private func tooMany(_ count: Int, in frames: Range<Int>) -> JobFailure {
        let (first, last) = (clock.outputFrame(of: frames.lowerBound), clock.outputFrame(of: frames.upperBound - 1))
        return JobFailure(
            .input,
            "\(count) effects act at once on the frames \(first) to \(last), one on the other's picture, but at most "
                + "\(Self.mostAtOnce) can, stickers, titles and overlays aside; give some of them shorter ranges.")
    }

    private func composed(_ base: any Node<Surface>, _ layers: [any Node<Layer>]) -> any Node<Surface> {
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
