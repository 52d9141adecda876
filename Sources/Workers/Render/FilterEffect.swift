import CKernels
import Composition
import Draft
import Media
import Messaging

/// A plugin's effect. On an SDR canvas the plugin gets the canvas' own 4:2:0 where it can work with it, else RGBA of bytes, else
/// of floats. On an HDR canvas it gets floats: bytes would lose what the canvas is there for.
final class FilterEffect: FrameEffect {
    private let filter: ExternalFilter
    private let instance: EffectInstance
    private let format: PluginFormat
    private let color: PluginColor
    private var lastTime: Time?
    /// The input and output of a plugin that works in RGBA; reused for every frame.
    private var rgba: (input: Picture, output: Picture)?
    private var floats: (input: FloatPicture, output: FloatPicture)?

    init(_ filter: ExternalFilter, _ use: PluginUse?, _ slice: Slice, _ workshop: Workshop) throws {
        self.filter = filter
        guard let use else { throw JobFailure(.internal, "the effect ‘\(filter.effectID)’ came without its plugin") }
        let loaded = try workshop.plugins.effect(filter.effectID, in: use)
        let narrow = slice.color.isHDR ? nil : loaded.preferredFormat(among: [.yuv420p8, .rgba8])
        guard let format = narrow ?? loaded.preferredFormat(among: [.rgbaFloat]) else {
            throw JobFailure(.plugin, "the effect ‘\(filter.effectID)’ of ‘\(use.path)’ works in no picture format that Cutroom offers")
        }
        self.format = format
        color = .canvas(format, slice.color)
        var setup = PluginSetup(
            format: format, width: slice.size.width, height: slice.size.height, frameRate: slice.frameRate, color: color)
        // What cannot change with time is known now.
        setup.values = Self.values(filter, at: .zero).filter { key, _ in
            loaded.descriptor.parameters.first { $0.id == key }?.isAnimatable == false
        }
        instance = try loaded.makeInstance(setup)
    }

    func apply(to surface: inout Surface, at moment: Moment) throws {
        let input = surface.picture
        let result = try input.sibling()
        let outcome =
            switch format {
            case .yuv420p8: try instance.process(call(lend(input), lend(result), moment))
            case .rgbaFloat: try processFloats(input, result, moment)
            default: try processRGBA(input, result, moment)
            }
        lastTime = moment.timelineTime
        if outcome == .output { surface.replace(with: result) }
    }

    private func processRGBA(_ input: Picture, _ result: Picture, _ moment: Moment) throws -> EffectInstance.Outcome {
        let (width, height) = (input.width, input.height)
        let (before, after) = try rgba ?? (
            Picture(width: width, height: height, format: .rgba), Picture(width: width, height: height, format: .rgba)
        )
        rgba = (before, after)
        ck_rgba_from_yuv(before.plane(0), before.stride(0), input.kernel)
        let outcome = try instance.process(call(lend(before), lend(after), moment))
        if outcome == .output { ck_yuv_from_rgba(result.kernel, after.plane(0), after.stride(0)) }
        return outcome
    }

    private func processFloats(_ input: Picture, _ result: Picture, _ moment: Moment) throws -> EffectInstance.Outcome {
        let (width, height) = (input.width, input.height)
        let (before, after) = floats ?? (FloatPicture(width: width, height: height), FloatPicture(width: width, height: height))
        floats = (before, after)
        before.read(input)
        let outcome = try instance.process(call(before.lent(color), after.lent(color), moment))
        if outcome == .output { after.write(to: result) }
        return outcome
    }

    private func lend(_ picture: Picture) -> PluginFrame {
        let planes = picture.format == .rgba ? 1 : 3
        return PluginFrame(
            format: format, width: picture.width, height: picture.height, planes: (0..<planes).map(picture.plane),
            strides: (0..<planes).map(picture.stride), color: color)
    }

    private func call(_ input: PluginFrame, _ output: PluginFrame, _ moment: Moment) -> FrameCall {
        let step = Time(frame: 1, rate: moment.frameRate)
        var call = FrameCall(input: input, output: output)
        for frame in [\FrameCall.input, \.output] {
            call[keyPath: frame].time = moment.timelineTime
            call[keyPath: frame].duration = step
            call[keyPath: frame].index = moment.timelineFrame
        }
        call.values = Self.values(filter, at: moment.time)
        call.time = moment.time
        call.timelineTime = moment.timelineTime
        call.duration = moment.range
        call.index = moment.time.frameIndex(rate: moment.frameRate)
        call.outputFrame = moment.timelineFrame
        call.seed = Self.seed(filter.effectID, call.index)
        call.isDiscontinuity = lastTime.map { moment.timelineTime - $0 != step } ?? true
        return call
    }

    private static func values(_ filter: ExternalFilter, at time: Time) -> [String: ParameterInput] {
        filter.parameters.mapValues { value in
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
