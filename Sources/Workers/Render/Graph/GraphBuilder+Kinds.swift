import Composition
import Draft
import Media
import Messaging
import Values

/// The nodes of each kind of content and effect: the one place that knows which nodes a kind is
/// made of.
extension GraphBuilder {
    /// The content of a clip, before its own effects.
    /// - Parameter content: output time → content time, by frame.
    mutating func makeContent(_ use: Instruction.ClipUse, _ content: FrameRuns<Piece>) -> ContentNodes {
        let clip = slice.clips[use.clip]
        let fit = CanvasFit(size: slice.size, mode: clip.mode, background: slice.background, color: slice.color)
        if let generator = use.generator {
            let keeper = source(generator.effect, slice.stage(slice.size))
            let placement = PluginPlacement(keeper, fit, pulse: supplies.pulse)
            return ContentNodes(output: placement, parts: [keeper])
        }
        guard let file = clip.file else {
            if let live = supplies.live { return ContentNodes(output: live, parts: []) }
            let backdrop = Backdrop(slice, slice.background)
            return ContentNodes(output: backdrop, parts: [backdrop])
        }
        return moving(slice.files[file], use.clip, on: fit, content)
    }

    /// The pictures of a clip's file, or of its draft, on a canvas.
    private mutating func moving(
        _ file: MediaFile, _ number: Int, on fit: CanvasFit, _ content: FrameRuns<Piece>
    ) -> ContentNodes {
        let clip = slice.clips[number]
        guard file.info.kind != .image else {
            return supplies.content(of: file, on: fit, clip.frames ?? .nearest, request(clip, content))
        }
        let pictures = source(ofClip: number) { [self] in makeSource(file, clip, content) }
        return supplies.content(from: pictures, of: file.withMatte, on: fit, clip.frames ?? .nearest)
    }

    /// The pictures of a clip's file, or of the draft that it shows.
    private func makeSource(_ file: MediaFile, _ clip: CompositionClip, _ content: FrameRuns<Piece>) -> any MovingSource
    {
        let request = request(clip, content)
        guard let number = file.draft, let draft = slice.drafts?[number], let info = file.withMatte.info.video else {
            return FileSource(
                file, from: supplies.readers, supplies.damage, spillFolder: supplies.spillFolder,
                pulse: supplies.pulse, request)
        }
        return DraftSource(draft, info, supplies, clock, request)
    }

    /// Which of a file's pictures each frame of a clip shows.
    private func request(_ clip: CompositionClip, _ content: FrameRuns<Piece>) -> (Int) -> FileSource.Request? {
        { [clock] frame in
            guard let piece = content[frame], let shown = clip.picture(piece, at: clock.middle(of: frame)) else {
                return nil
            }
            let direction: VideoReader.Direction = shown.speed < .zero ? .backwards : .forwards
            guard clip.frames == .blend, shown.speed != .zero, shown.speed.isSlow else {
                return .before(shown.time, direction)
            }
            let step = Time(frame: 1, rate: clock.frameRate).scaled(by: shown.speed)
            return .between(
                shown.time, direction,
                FileSource.Mix(
                    gaps: max(step, -step)..<CompositionClip.longestMix, end: clip.mixedUntil ?? .longest))
        }
    }

    /// The content of a layer's clip, before its own effects.
    /// - Parameters:
    ///   - content: as in ``makeContent(_:_:)``.
    ///   - limit: the size that its pictures shall not be larger than; nil: they are as large as
    ///     the file's.
    mutating func makeLayerContent(
        _ use: Instruction.ClipUse, _ content: FrameRuns<Piece>, within limit: Canvas.Size?
    ) throws -> LayerContent {
        if let generator = use.generator {
            let keeper = source(generator.effect, slice.overlayStage(slice.size))
            return LayerContent(LayerMade(keeper), [keeper], slice.size, limit, slice.color)
        }
        let clip = slice.clips[use.clip]
        guard let number = clip.file else {
            // A plugin that is left out shows nothing.
            guard case .color(let color)? = clip.backdrop else {
                return LayerContent(
                    LayerColor(nil, slice.size, within: nil), [], slice.size, limit, slice.color)
            }
            let fill = LayerColor(color, slice.size, within: limit)
            return LayerContent(fill, [fill], limit ?? slice.size, limit, slice.color)
        }
        let file = slice.files[number]
        guard let info = file.info.video else { throw file.hasNoPicture }
        let size = info.layerSize(within: limit)
        if file.info.kind == .image {
            let still = LayerStill(
                StillSource(file, isKept: false, supplies.damage), of: file, limit == nil ? nil : size,
                supplies.layerStills)
            return LayerContent(still, [still], size, limit, slice.color)
        }
        if info.hasAlpha {
            let moving = source(ofClip: use.clip) { [self] in makeSource(file, clip, content) }
            if file.draft != nil, let info = file.withMatte.info.video {
                let pictures = LayerDraft(moving.node, info, slice.color)
                let size = Canvas.Size(width: info.width, height: info.height)
                return LayerContent(pictures, [moving, pictures], size, limit, slice.color)
            }
            let video = LayerVideo(moving.node, info, size)
            return LayerContent(video, [moving, video], size, limit, slice.color)
        }
        let placed = moving(file, use.clip, on: CanvasFit(size: size, mode: .stretch, color: slice.color), content)
        let video = LayerSurface(placed.output, info.pixelAspect(width: size.width, height: size.height))
        return LayerContent(video, placed.parts, size, limit, slice.color)
    }

    /// What is behind a clip that has a place of its own.
    /// - Parameter picture: the clip's.
    func makeBackdrop(_ use: Instruction.ClipUse, _ picture: any Node<LayerPicture>) -> any Node<Surface> {
        switch slice.clips[use.clip].backdrop {
        case nil: Backdrop(slice, slice.background)
        case .color(let color): Backdrop(slice, color.over(slice.background))
        case .blur: BlurredBackdrop(picture, slice.size, slice.color)
        }
    }

    /// - Parameter stage: of the pictures that it acts on.
    /// - Throws: where the effect lacks a file.
    func makeEffect(_ number: Int, _ stage: PictureStage) throws -> EffectNodes {
        let (use, size) = (slice.effects[number], stage.size)
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
            guard let reach = use.plugin?.window else {
                return filter(number, stage, [.current(input)], [input])
            }
            let cache = WindowCache(input, reach: reach, past: .goesOn)
            return filter(number, stage, [.window(cache, reach)], [input], [cache])
        case .picture(.sticker(let sticker)):
            guard let file else { throw JobFailure(.internal, "a sticker came without its file") }
            return makeSticker(sticker, file, clock)
        case .picture(.title(let title)):
            let layer = TitleLayer(title, size, slice.color, clock)
            return EffectNodes(output: .layer(layer), parts: [layer])
        case .picture(.overlay(let overlay)):
            let rect = overlay.rect ?? Rect(x: 0, y: 0, width: size.width, height: size.height)
            let keeper = source(number, slice.overlayStage(rect.size))
            let layer = PluginLayer(keeper, rect, opacity: overlay.opacity, clock, slice.color)
            return EffectNodes(output: .layer(layer), parts: [keeper])
        case .layer(let look):
            let layer = LayerNode(look, clock, slice.size, slice.color)
            return EffectNodes(output: .layer(layer), shown: layer.content, mask: layer.mask, parts: [layer])
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
            return filter(number, slice.stage(slice.size), caches.map { .window($0, reach) }, [])
        }
        let inputs = [Switch<Surface>(), Switch<Surface>()]
        return filter(number, slice.stage(slice.size), inputs.map { .current($0) }, inputs)
    }

    private func makeSticker(_ sticker: Sticker, _ file: MediaFile, _ clock: EffectClock) -> EffectNodes {
        let source: any Node<StoredPicture>
        var isStill = true
        if file.info.kind == .media, let duration = file.info.video?.duration, duration > .zero {
            isStill = false
            source = FileSource(file, from: nil, supplies.damage, pulse: supplies.pulse) { frame in
                clock.moment(frame).map { .at(Time(flicks: $0.time.flicks % duration.flicks)) }
            }
        } else {
            // As large as the file: kept where each frame may ask for another size.
            source = StillSource(file, isKept: !sticker.rect.isConstant, supplies.damage)
        }
        let layer = LayerPlacement(source, isStill: isStill, sticker, clock, slice.color)
        return EffectNodes(output: .layer(layer), parts: [source, layer])
    }

    // MARK: Plugins

    private func filter(
        _ number: Int, _ stage: PictureStage, _ inputs: [PluginFilter.Input],
        _ switches: [Switch<Surface>],
        _ parts: [any Node] = []
    ) -> EffectNodes {
        let opener = PluginOpener(number, of: slice, stage, supplies.plugins)
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
