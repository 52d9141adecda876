import Draft
import PluginABI
import TestSupport
import Testing

@testable import Workers

/// The library of effects, and pictures to try them on.
enum EffectLab {
    /// Their folders.
    static let names = [
        "beauty", "blur", "flash", "glitch", "kaleidoscope", "mirror", "old-film", "pixelate", "shake", "sharpen",
        "soul-out", "strobe", "transform",
    ]

    /// An effect by its folder's name.
    static func effect(_ name: String) throws -> LoadedEffect {
        let library = name == "chroma-key" ? "chroma_key" : "effects"
        let path = try #require(PluginFixture.shipped(library), "libcutroom_plugin_\(library).so is not built")
        return try PluginRegistry(searchPaths: []).load(
            path: path, effectID: "org.cutroom." + name.replacing("-", with: "_"))
    }

    /// One frame of an effect; the input itself where it passes through.
    static func run(
        _ name: String, _ input: FrameMemory, _ values: [String: ParameterInput] = [:], at time: Time = .zero,
        alpha: PluginFrame.Alpha = .none
    ) throws -> FrameMemory {
        let frame = input.frame
        let effect = try effect(name)
        var setup = PluginSetup(format: frame.format, width: frame.width, height: frame.height, frameRate: .init(25))
        setup.values = values.filter { key, _ in
            effect.descriptor.parameters.first { $0.id == key }?.isAnimatable == false
        }
        let output = FrameMemory(frame.format, frame.width, frame.height)
        var (lent, target) = (input.frame, output.frame)
        (lent.alpha, target.alpha) = (alpha, alpha)
        var call = FrameCall(input: lent, output: target)
        call.values = values
        call.time = time
        let before = input.samples
        let outcome = try effect.makeInstance(setup).process(call)
        #expect(output.paddingIsUntouched && input.samples == before)
        return outcome == .passedThrough ? input : output
    }

    /// Shapes, slopes and noise, from whole numbers alone.
    static func picture(_ format: PluginFormat, _ width: Int, _ height: Int) -> FrameMemory {
        let memory = FrameMemory(format, width, height)
        let bytes = format == .rgba8 ? 4 : 1
        memory.fill { plane, byte, y in
            let (x, channel) = (byte / bytes, byte % bytes + plane)
            if format == .rgba8, byte % 4 == 3 { return 255 }
            let scale = plane > 0 ? 2 : 1
            let (px, py) = (x * scale, y * scale)
            let (dx, dy) = (px - width / 3, py - height / 2)
            let base = dx * dx + dy * dy < width * height / 16 ? 150 + 20 * channel : 60
            let noise = (px &* 7919 &+ py &* 104_729 &+ channel &* 31) % 17
            let slope = (px * (3 + channel) + py * (5 - channel)) * 90 / (4 * (width + height))
            return UInt8(clamping: base + slope + noise)
        }
        return memory
    }

    /// One value in each plane, or one colour with full alpha.
    static func flat(_ format: PluginFormat, _ width: Int, _ height: Int, _ values: [UInt8]) -> FrameMemory {
        let memory = FrameMemory(format, width, height)
        memory.fill { plane, byte, _ in format == .rgba8 ? (values + [255])[byte % 4] : values[plane] }
        return memory
    }
}
