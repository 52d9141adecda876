import Foundation
import TestSupport
import Testing
import Values

@testable import PluginHosting

/// The library of sources, and sounds to try them on.
enum SourceLab {
    /// Their folders.
    static let names = ["gradient", "spectrum", "waveform"]

    static func effect(_ name: String) throws -> LoadedEffect {
        let path = try #require(PluginFixture.shipped("sources"), "libcutroom_plugin_sources.so is not built")
        return try PluginRegistry(searchPaths: []).load(path: path, effectID: "org.cutroom." + name)
    }

    static func instance(
        _ name: String, _ values: [String: ParameterInput] = [:], _ format: PluginFormat = .rgba8, width: Int = 96,
        height: Int = 48,
        color: ColorSystem = .sdr
    ) throws -> EffectInstance {
        let effect = try effect(name)
        var setup = PluginSetup(
            format: format, width: width, height: height, frameRate: .init(25), color: .canvas(format, color))
        setup.values = values.filter { key, _ in
            effect.descriptor.parameters.first { $0.id == key }?.isAnimatable == false
        }
        return try effect.makeInstance(setup)
    }

    /// One frame, with straight alpha.
    static func frame(
        of instance: EffectInstance, _ values: [String: ParameterInput] = [:], at seconds: Double = 0,
        _ format: PluginFormat = .rgba8,
        width: Int = 96, height: Int = 48, color: ColorSystem = .sdr
    ) throws -> FrameMemory {
        let memory = FrameMemory(format, width, height, padding: format == .rgbaFloat ? 16 : 13)
        var frame = memory.frame
        frame.alpha = .straight
        frame.color = .canvas(format, color)
        var call = FrameCall(inputs: [], output: frame)
        call.values = values
        call.time = Time(seconds: seconds) ?? .zero
        #expect(try instance.process(call) == .output)
        #expect(memory.paddingIsUntouched)
        return memory
    }

    static func frame(
        _ name: String, _ values: [String: ParameterInput] = [:], at seconds: Double = 0, width: Int = 96,
        height: Int = 48
    ) throws -> FrameMemory {
        let instance = try instance(name, values, width: width, height: height)
        return try frame(of: instance, values, at: seconds, width: width, height: height)
    }

    /// How much of each column is covered, in pixels.
    static func columns(_ frame: FrameMemory) -> [Double] {
        (0..<frame.frame.width).map { x in
            (0..<frame.frame.height).reduce(0) { $0 + Double(frame[0, 4 * x + 3, $1]) / 255 }
        }
    }

    /// A sound by a formula of ffmpeg's, in a file of its own.
    static func sound(
        _ formula: String, seconds: Double, rate: Int = 48_000, as name: String, _ more: [String] = [],
        in folder: TemporaryFolder
    ) throws
        -> String
    {
        let path = folder.file(name)
        try FFmpeg.make(["-f", "lavfi", "-i", "aevalsrc='\(formula)':s=\(rate):d=\(seconds)"] + more, at: path)
        return path
    }
}
