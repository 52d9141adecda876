import CKernels
import Composition
import Draft
import Media
import Messaging

/// A plugin's effect at work in a slice. It gets the canvas' own 4:2:0 where it can work with it, else RGBA.
final class PluginRun {
    private let effect: ExternalFilter
    private let reach: FrameReach
    private let instance: EffectInstance
    private let format: PluginFormat
    private let takesInPlace: Bool
    private var lastTime: Time?
    /// What a plugin that works in RGBA sees, by the canvas pictures that it was made from.
    private var converted: [(canvas: Picture, rgba: Picture)] = []
    private var rgbaOutput: Picture?

    /// - Throws: where the plugin cannot be used, or refuses its parameters.
    init(_ use: CompositionEffect, _ slice: Slice, _ workshop: Workshop) throws {
        guard case .filter(let effect) = use.effect, let plugin = use.plugin else {
            throw JobFailure(.internal, "the effect ‘\(use.effect.name)’ came without its plugin")
        }
        self.effect = effect
        reach = plugin.window ?? .none
        let loaded = try workshop.plugins.effect(effect.effectID, in: plugin)
        guard let format = loaded.preferredFormat(among: [.yuv420p8, .rgba8]) else {
            throw JobFailure(.plugin, "the effect ‘\(effect.effectID)’ of ‘\(plugin.path)’ works in no picture format that Cutroom offers")
        }
        self.format = format
        takesInPlace = loaded.effect.worksInPlace && format == .yuv420p8 && reach == .none
        var setup = PluginSetup(
            format: format, width: slice.size.width, height: slice.size.height, frameRate: slice.frameRate)
        // What cannot change with time is known now.
        setup.values = Self.values(effect, at: .zero).filter { key, _ in
            loaded.descriptor.parameters.first { $0.id == key }?.isAnimatable == false
        }
        instance = try workshop.plugins.instance(of: loaded, setup)
    }

    /// The output may lie in the memory of the input.
    var worksInPlace: Bool { takesInPlace }

    /// - Parameter picture: the canvas picture to change; nobody else sees it.
    func processInPlace(_ picture: Picture, at moment: Moment) throws {
        let frame = lend(picture, moment)
        _ = try process(FrameCall(input: frame, output: frame), moment)
    }

    /// - Parameter windows: of each input the canvas pictures that the effect asked for, nil past the ends of the input.
    /// - Returns: a new picture, the caller's own; nil where the result is the first input's current picture.
    func process(_ windows: [[Picture?]], at moment: Moment) throws -> Picture? {
        guard let current = windows.first?[reach.before] else {
            throw JobFailure(.internal, "the effect ‘\(effect.effectID)’ has no input")
        }
        let result = try current.sibling()
        let output = format == .yuv420p8 ? result : try rgbaOutput ?? Picture(width: result.width, height: result.height, format: .rgba)
        if format != .yuv420p8 {
            rgbaOutput = output
            let needed = windows.joined().compactMap(\.self)
            converted.removeAll { old in !needed.contains { $0 === old.canvas } }
        }
        let inputs = try windows.map { window in
            let frames = try window.enumerated().map { index, picture in
                try picture.map { try lend(seen($0), moment, by: index - reach.before) }
            }
            return FrameWindow(frames: frames, before: reach.before)
        }
        let outcome = try process(FrameCall(inputs: inputs, output: lend(output, moment)), moment)
        guard outcome == .output else { return nil }
        if format != .yuv420p8 { ck_yuv_from_rgba(result.kernel, output.plane(0), output.stride(0)) }
        return result
    }

    /// The picture in the plugin's format.
    private func seen(_ canvas: Picture) throws -> Picture {
        if format == .yuv420p8 { return canvas }
        if let known = converted.first(where: { $0.canvas === canvas }) { return known.rgba }
        let rgba = try Picture(width: canvas.width, height: canvas.height, format: .rgba)
        ck_rgba_from_yuv(rgba.plane(0), rgba.stride(0), canvas.kernel)
        converted.append((canvas, rgba))
        return rgba
    }

    private func lend(_ picture: Picture, _ moment: Moment, by offset: Int = 0) -> PluginFrame {
        let planes = picture.format == .rgba ? 1 : 3
        var frame = PluginFrame(
            format: format, width: picture.width, height: picture.height, planes: (0..<planes).map(picture.plane),
            strides: (0..<planes).map(picture.stride))
        frame.index = moment.timelineFrame + offset
        frame.time = Time(frame: frame.index, rate: moment.frameRate)
        frame.duration = Time(frame: 1, rate: moment.frameRate)
        return frame
    }

    private func process(_ frames: FrameCall, _ moment: Moment) throws -> EffectInstance.Outcome {
        let step = Time(frame: 1, rate: moment.frameRate)
        var call = frames
        call.values = Self.values(effect, at: moment.time)
        call.time = moment.time
        call.timelineTime = moment.timelineTime
        call.duration = moment.range
        call.index = moment.time.frameIndex(rate: moment.frameRate)
        call.outputFrame = moment.timelineFrame
        call.seed = Self.seed(effect.effectID, call.index)
        call.isDiscontinuity = lastTime.map { moment.timelineTime - $0 != step } ?? true
        let outcome = try instance.process(call)
        lastTime = moment.timelineTime
        return outcome
    }

    private static func values(_ effect: ExternalFilter, at time: Time) -> [String: ParameterInput] {
        effect.parameters.mapValues { value in
            switch value {
            case .numbers(let animated): .numbers(animated.value(at: time))
            case .text(let text): .text(text)
            }
        }
    }

    /// The same for the same effect and frame in every run: FNV-1a over the id, then SplitMix64 over the index.
    private static func seed(_ id: String, _ index: Int) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in id.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        var z = hash &+ UInt64(bitPattern: Int64(index)) &* 0x9e37_79b9_7f4a_7c15
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
