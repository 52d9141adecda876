import CKernels
import Composition
import Draft
import Media
import Messaging
import PluginHosting
import Values

/// A plugin's effect at work in a slice. On an SDR canvas it gets the canvas' own 4:2:0 where it
/// can work with it, else RGBA of bytes, else of floats. On an HDR canvas it gets floats: bytes
/// would lose what the canvas is there for.
final class PluginRun {
    private let effect: PluginEffect
    private let seedName: String?
    private let reach: FrameReach
    private let makeInstance: () throws -> EffectInstance
    private var instance: EffectInstance
    let format: PluginFormat
    let color: PluginColor
    private let takesInPlace: Bool
    /// Pictures come and go with straight alpha.
    private let hasAlpha: Bool
    private let canvas: ColorSystem
    private let hasState: Bool
    /// It has made a frame.
    private var hasBegun = false
    private let view: PluginView
    private var rgbaOutput: PluginPicture?

    /// - Throws: where the plugin cannot be used, or refuses its parameters.
    convenience init(_ use: CompositionEffect, _ stage: PictureStage, _ shelf: LoadedPlugins) throws {
        guard let effect = use.content.plugin, let plugin = use.plugin else {
            throw JobFailure(.internal, "a plugin's effect came without its plugin")
        }
        try self.init(effect, plugin, seedName: use.seedName, stage, shelf)
    }

    /// - Parameter seedName: see ``Composition/CompositionEffect/seedName``.
    init(
        _ effect: PluginEffect, _ plugin: PluginUse, seedName: String? = nil, _ stage: PictureStage,
        _ shelf: LoadedPlugins
    ) throws {
        self.effect = effect
        self.seedName = seedName
        reach = plugin.window ?? .none
        hasState = plugin.state != .pure
        let loaded = try shelf.effect(effect.effectID, in: plugin)
        // 4:2:0 has no alpha and no odd sizes.
        let offered: [PluginFormat] = stage.isOverlay ? [.rgba8] : [.yuv420p8, .rgba8]
        guard let format = loaded.pictureFormat(among: offered, isHDR: stage.color.isHDR) else {
            throw JobFailure(
                .plugin,
                "the effect ‘\(effect.effectID)’ of ‘\(plugin.path)’ works in no picture format that Cutroom offers")
        }
        self.format = format
        view = PluginView(format)
        color = .canvas(format, stage.color)
        (hasAlpha, canvas) = (stage.isOverlay, stage.color)
        takesInPlace = loaded.effect.worksInPlace && format == .yuv420p8 && reach == .none
        var setup = PluginSetup(
            format: format, width: stage.size.width, height: stage.size.height, frameRate: stage.frameRate, color: color
        )
        setup.isGuarded = shelf.isParanoid
        // Values that cannot change with time are known now.
        setup.values = effect.setupValues(loaded.descriptor)
        makeInstance = { [setup] in try shelf.instance(of: loaded, setup) }
        instance = try makeInstance()
    }

    /// Lets a source make a picture.
    func make(_ picture: PluginPicture, at moment: Moment) throws {
        var output = stamped(picture.lent(color), moment)
        if format != .yuv420p8 { output.alpha = .straight }
        _ = try process(FrameCall(inputs: [], output: output), moment)
    }

    /// The output may lie in the memory of the input.
    var worksInPlace: Bool { takesInPlace }

    /// - Parameter picture: the canvas picture to change; nothing else uses it.
    func processInPlace(_ picture: Picture, at moment: Moment) throws {
        let frame = stamped(PluginPicture.canvas(picture).lent(color), moment)
        _ = try process(FrameCall(input: frame, output: frame), moment)
    }

    /// - Parameter windows: of each input the canvas pictures that the effect asked for, nil past
    ///   the ends of the input.
    /// - Returns: a new picture, the caller's own; nil where the result is the first input's
    ///   current picture.
    func process(_ windows: [[Picture?]], at moment: Moment) throws -> Picture? {
        guard let current = windows.first?[reach.before] else {
            throw JobFailure(.internal, "the effect ‘\(effect.effectID)’ has no input")
        }
        let result =
            try hasAlpha
            ? Picture(width: current.width, height: current.height, format: canvas.formatWithAlpha)
            : current.sibling()
        let output =
            try format == .yuv420p8 ? .canvas(result) : rgbaOutput ?? PluginPicture(format, like: result)
        if format != .yuv420p8 { rgbaOutput = output }
        let shown = try view.show(windows)
        let inputs = shown.map { window in
            let frames = window.enumerated().map { index, picture in
                picture.map { stamped($0.lent(color), moment, by: index - reach.before) }
            }
            return FrameWindow(frames: frames, before: reach.before)
        }
        let outcome = try process(FrameCall(inputs: inputs, output: stamped(output.lent(color), moment)), moment)
        guard outcome == .output else { return nil }
        try output.write(to: result, CK_CHROMA_INVERSE)
        // Backwards: where two inputs are the same, the first one counts.
        for (window, pictures) in zip(windows, shown).reversed() {
            guard let original = window[reach.before], let given = pictures[reach.before] else { continue }
            output.keepUnchanged(of: original, given, in: result)
        }
        return result
    }

    /// The frame with its place on the timeline.
    private func stamped(_ lent: PluginFrame, _ moment: Moment, by offset: Int = 0) -> PluginFrame {
        var frame = lent
        if hasAlpha { frame.alpha = .straight }
        frame.index = moment.timelineFrame + offset
        frame.time = Time(frame: frame.index, rate: moment.frameRate)
        frame.duration = Time(frame: 1, rate: moment.frameRate)
        return frame
    }

    private func process(_ frames: FrameCall, _ moment: Moment) throws -> EffectInstance.Outcome {
        if hasState, hasBegun, !moment.follows, try !instance.reset() { instance = try makeInstance() }
        hasBegun = true
        var call = frames
        call.values = effect.values(at: moment.time, instance.descriptor)
        call.time = moment.time
        call.timelineTime = moment.timelineTime
        call.duration = moment.range
        call.index = moment.time.frameIndex(rate: moment.frameRate)
        call.outputPlace = .frame(moment.outputFrame)
        call.seed = effect.seed(call.index, name: seedName)
        call.isDiscontinuity = !moment.follows
        return try instance.process(call)
    }
}
