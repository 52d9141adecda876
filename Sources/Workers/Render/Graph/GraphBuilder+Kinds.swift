import Composition
import Draft
import Media
import Messaging

/// The nodes of each kind of content and effect: the one place that knows which nodes a kind is made of.
extension GraphBuilder {
    /// The content of a clip, before its own effects.
    /// - Parameter content: output time → content time, by frame.
    func makeContent(_ use: Instruction.ClipUse, _ content: FrameRuns<Piece>) -> ContentNodes {
        let clip = slice.clips[use.clip]
        let fit = CanvasFit(size: slice.size, mode: clip.mode, background: slice.background, color: slice.color)
        if let generator = use.generator {
            let keeper = source(generator.effect, slice.stage)
            let placement = PluginPlacement(keeper, fit, pulse: supplies.pulse)
            return ContentNodes(output: placement, parts: [keeper])
        }
        guard let file = clip.file else {
            let backdrop = Backdrop(slice)
            return ContentNodes(output: backdrop, parts: [backdrop])
        }
        return supplies.content(of: slice.files[file], on: fit) { [clock] frame in
            guard let piece = content[frame] else { return nil }
            let time = piece.picturedContent(at: clock.middle(of: frame))
            return .before(time, piece.isReversed ? .backwards : .forwards)
        }
    }

    /// - Throws: where the effect lacks a file.
    func makeEffect(_ number: Int) throws -> EffectNodes {
        let use = slice.effects[number]
        let file = use.files.first.map { slice.files[$0] }
        let clock = clock(of: number)
        switch use.content {
        case .picture(.lut(let look)):
            let input = Switch<Surface>()
            let node = LookNode(
                look, file, slice.color, over: input, clock, supplies.looks, pulse: supplies.pulse)
            return EffectNodes(output: .surface(node), inputs: [input], parts: [node])
        case .picture(.filter):
            let input = Switch<Surface>()
            guard let reach = use.plugin?.window else { return filter(number, [.current(input)], [input]) }
            let cache = WindowCache(input, reach: reach, past: .goesOn)
            return filter(number, [.window(cache, reach)], [input], [cache])
        case .picture(.sticker(let sticker)):
            guard let file else { throw JobFailure(.internal, "a sticker came without its file") }
            return makeSticker(sticker, file, clock)
        case .picture(.title(let title)):
            let layer = TitleLayer(title, slice.size, slice.color, clock)
            return EffectNodes(output: .layer(layer), parts: [layer])
        case .picture(.overlay(let overlay)):
            let rect = overlay.rect ?? Rect(x: 0, y: 0, width: slice.size.width, height: slice.size.height)
            let keeper = source(number, slice.overlayStage(rect.size))
            let layer = PluginLayer(keeper, rect, opacity: overlay.opacity, clock, slice.color)
            return EffectNodes(output: .layer(layer), parts: [keeper])
        case .subtitles(let subtitles):
            let fonts = use.files.map { slice.files[$0] }.first { $0.info.kind == .subtitles }
            let layer = SubtitleLayer(subtitles, fonts: fonts, slice.size, slice.color, clock, pulse: supplies.pulse)
            return EffectNodes(output: .layer(layer), parts: [layer])
        case .picture(.subtitles): throw JobFailure(.internal, "subtitles came without their cues")
        case .transition, .source: throw JobFailure(.internal, "what joins or makes clips stands in an effect list")
        }
    }

    /// A plugin's transition.
    /// - Parameter caches: the two clips', where it sees windows of them.
    func makeTransition(_ number: Int, _ caches: [WindowCache]) -> EffectNodes {
        if let reach = slice.effects[number].plugin?.window, caches.count == 2 {
            return filter(number, caches.map { .window($0, reach) }, [])
        }
        let inputs = [Switch<Surface>(), Switch<Surface>()]
        return filter(number, inputs.map { .current($0) }, inputs)
    }

    private func makeSticker(_ sticker: Sticker, _ file: MediaFile, _ clock: EffectClock) -> EffectNodes {
        let source: any Node<StoredPicture>
        var isStill = true
        if file.info.kind == .media, let duration = file.info.video?.duration, duration > .zero {
            isStill = false
            source = FileSource(file, from: nil, pulse: supplies.pulse) { frame in
                clock.moment(frame).map { .at(Time(flicks: $0.time.flicks % duration.flicks)) }
            }
        } else {
            // As large as the file: kept where each frame may ask for another size.
            source = StillSource(file, isKept: !sticker.rect.isConstant)
        }
        let layer = LayerPlacement(source, isStill: isStill, sticker, clock, slice.color)
        return EffectNodes(output: .layer(layer), parts: [source, layer])
    }

    // MARK: Plugins

    private func filter(
        _ number: Int, _ inputs: [PluginFilter.Input], _ switches: [Switch<Surface>], _ parts: [any Node] = []
    ) -> EffectNodes {
        let opener = PluginOpener(number, of: slice, slice.stage, supplies.plugins)
        let keeper = keeper(of: PluginFilter(opener, inputs, pulse: supplies.pulse), number)
        return EffectNodes(output: .surface(keeper), inputs: switches, parts: parts + [keeper])
    }

    private func source(_ number: Int, _ stage: PictureStage) -> StateKeeper<PluginPicture> {
        keeper(of: PluginSource(PluginOpener(number, of: slice, stage, supplies.plugins), stage), number)
    }

    private func keeper<Output>(of maker: any FrameMaker<Output>, _ number: Int) -> StateKeeper<Output> {
        StateKeeper(maker, clock(of: number), order, number, depth: slice.effects[number].depth)
    }
}

extension CompositionEffect {
    /// How many frames before one it has to have seen; nil: all.
    fileprivate var depth: Int? {
        switch plugin?.state {
        case .sequential: nil
        case .warmUp: plugin?.warmUp ?? 0
        case .pure, nil: 0
        }
    }
}
