import PluginABI
import TestSupport
import Testing
import Values

@testable import PluginHosting

/// The library of effects, and pictures to try them on.
enum EffectLab {
    /// Their folders.
    static let names = [
        "beauty", "blur", "flash", "glitch", "kaleidoscope", "mirror", "old-film", "pixelate", "shake", "sharpen",
        "soul-out", "strobe", "transform",
    ]

    /// Those of the transitions.
    static let transitions = ["burn", "circle-close", "circle-open", "cube", "luma-matte", "whip-pan", "zoom"]

    /// An effect by its folder's name.
    static func effect(_ name: String) throws -> LoadedEffect {
        let library =
            switch name {
            case "chroma-key", "rgb-split", "vignette", "libavfilter": name.replacing("-", with: "_")
            case "libavfilter-pure", "xfade": "libavfilter"
            default: transitions.contains(name) ? "transitions" : "effects"
            }
        let path = try #require(PluginFixture.shipped(library), "libcutroom_plugin_\(library).so is not built")
        return try PluginRegistry(searchPaths: []).load(
            path: path, effectID: "org.cutroom." + name.replacing("-", with: "_"))
    }

    /// One frame of an effect; the input itself where it passes through.
    /// - Parameters:
    ///   - next: the incoming picture of a transition, which takes a second.
    ///   - color: of the frames; nil: that of an SDR canvas.
    ///   - chromaLocation: of frames in 4:2:0; 1 is that of the canvas.
    static func run(
        _ name: String, _ input: FrameMemory, to next: FrameMemory? = nil, _ values: [String: ParameterInput] = [:],
        at time: Time = .zero, alpha: PluginFrame.Alpha = .none, color: PluginColor? = nil, chromaLocation: UInt32 = 1
    ) throws -> FrameMemory {
        let frame = input.frame
        let effect = try effect(name)
        var setup = PluginSetup(format: frame.format, width: frame.width, height: frame.height, frameRate: .init(25))
        setup.values = values.filter { key, _ in
            effect.descriptor.parameters.first { $0.id == key }?.isAnimatable == false
        }
        let output = FrameMemory(frame.format, frame.width, frame.height, padding: frame.format == .rgbaFloat ? 16 : 13)
        if let color { setup.color = color }
        let lend = { (memory: FrameMemory) in
            memory.lent(alpha, color, chromaLocation, hasLength: next != nil)
        }
        let (inputs, target) = ([input, next].compactMap(\.self).map(lend), lend(output))
        var call = FrameCall(inputs: inputs.map(FrameWindow.init), output: target)
        call.values = values
        call.time = time
        if next != nil { call.duration = Time(flicks: Time.flicksPerSecond) }
        let before = input.samples
        let outcome = try effect.makeInstance(setup).process(call)
        #expect(output.paddingIsUntouched && input.samples == before)
        return outcome == .passedThrough ? input : output
    }

    /// Shapes, slopes and noise, from whole numbers alone.
    static func picture(_ format: PluginFormat, _ width: Int, _ height: Int) -> FrameMemory {
        if format == .rgbaFloat { return floats(picture(.rgba8, width, height)) }
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

    /// A picture of bytes with 0…1 for 0…255.
    static func floats(_ bytes: FrameMemory) -> FrameMemory {
        let memory = FrameMemory(.rgbaFloat, bytes.frame.width, bytes.frame.height, padding: 16)
        for y in 0..<bytes.frame.height {
            let row = UnsafeMutableRawPointer(memory.frame.planes[0] + y * memory.frame.strides[0])
            for i in 0..<4 * bytes.frame.width {
                row.storeBytes(of: Float(bytes[0, i, y]) / 255, toByteOffset: 4 * i, as: Float.self)
            }
        }
        return memory
    }

    /// The picture with every colour turned around, and upside down.
    static func negative(_ picture: FrameMemory) -> FrameMemory {
        let frame = picture.frame
        let memory = FrameMemory(frame.format, frame.width, frame.height, padding: frame.format == .rgbaFloat ? 16 : 13)
        let heights = frame.format.planes(width: frame.width, height: frame.height).map(\.rows)
        guard frame.format == .rgbaFloat else {
            memory.fill { plane, byte, y in
                let sample = picture[plane, byte, heights[plane] - 1 - y]
                return frame.format == .rgba8 && byte % 4 == 3 ? sample : 255 - sample
            }
            return memory
        }
        for y in 0..<frame.height {
            let from = UnsafeRawPointer(frame.planes[0] + (frame.height - 1 - y) * frame.strides[0])
            let to = UnsafeMutableRawPointer(memory.frame.planes[0] + y * memory.frame.strides[0])
            for i in 0..<4 * frame.width {
                let sample = from.load(fromByteOffset: 4 * i, as: Float.self)
                to.storeBytes(of: i % 4 == 3 ? sample : 1 - sample, toByteOffset: 4 * i, as: Float.self)
            }
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

extension FrameMemory {
    /// The frame as it is lent, perhaps with the length of one at 25 a second.
    fileprivate func lent(
        _ alpha: PluginFrame.Alpha, _ color: PluginColor?, _ chromaLocation: UInt32, hasLength: Bool
    ) -> PluginFrame {
        var frame = frame
        frame.alpha = alpha
        if frame.format == .yuv420p8 { frame.chromaLocation = chromaLocation }
        if hasLength { frame.duration = Time(frame: 1, rate: Rational(25)) }
        if let color { frame.color = color }
        return frame
    }
}
