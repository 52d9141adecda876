import Draft
import Foundation
import TestSupport
import Testing
import Values

@testable import PluginHosting

/// The plugins that come with Cutroom, as they were built.
@Suite(.waits) struct ShippedPluginTests {
    /// The form of `effect.json`.
    private struct Metadata: Decodable {
        struct Parameter: Decodable {
            var id: String, kind: ParameterDescriptor.Kind, label: String, unit: String, help: String
            var minimum: Double, maximum: Double, animatable: Bool, hidden: Bool?,
                expected: Bool?
            var `default`: [Double]
            var default_text: String?
            var choices: [String]?
        }
        var id: String, kind: EffectDescriptor.Kind, name: String, version: String, vendor: String, license: String,
            help: String
        var state: EffectDescriptor.State
        var reach_before: Int?, reach_after: Int?, keyed: Bool?, ignores_timeline: Bool?
        var formats: [String]
        var parameters: [Parameter]
    }

    /// A Swift library that is built for the thread sanitiser wants functions of its run-time that
    /// the test program lacks.
    private static let plugins =
        [("vignette", "vignette"), ("chroma_key", "chroma-key")]
        + ["libavfilter", "libavfilter-pure", "xfade"].map { ("libavfilter", "libavfilter/" + $0) }
        + EffectLab.names.map { ("effects", "effects/" + $0) }
        + EffectLab.transitions.map { ("transitions", "transitions/" + $0) }
        + (Sanitizer.isThread ? [] : [("rgb_split", "rgb-split")])
    private static let sounds =
        SoundLab.names.map { ("sound", "sound/" + $0) } + [("libavfilter", "libavfilter/libavfilter-audio")]
    private static let sources = SourceLab.names.map { ("sources", "sources/" + $0) }
    private static let analysers = ["faces", "camera-motion"].map { ("vision", "vision/" + $0) }
    private static let libraries = Set((plugins + sounds + sources + analysers).map(\.0)).sorted()

    @Test(arguments: plugins + sounds + sources + analysers) func metadataIsTheDescriptors(
        library: String, folder: String
    ) throws {
        let path = try #require(PluginFixture.shipped(library), "libcutroom_plugin_\(library).so is not built")
        let data = try Data(contentsOf: URL(fileURLWithPath: Project.root + "/Plugins/\(folder)/effect.json"))
        let metadata = try JSONDecoder().decode(Metadata.self, from: data)
        let registry = PluginRegistry(searchPaths: [path])
        #expect(registry.descriptors().problems.isEmpty)
        let effect = try registry.load(path: path, effectID: metadata.id)
        #expect(
            effect.descriptor
                == EffectDescriptor(
                    id: metadata.id, kind: metadata.kind, name: metadata.name, version: metadata.version,
                    vendor: metadata.vendor,
                    license: metadata.license, help: metadata.help, state: metadata.state, warmUp: 0,
                    reachBefore: metadata.reach_before ?? 0, reachAfter: metadata.reach_after ?? 0,
                    determinism: effect.descriptor.determinism, isKeyed: metadata.keyed ?? false,
                    ignoresTimeline: metadata.ignores_timeline ?? false,
                    parameters: metadata.parameters.map {
                        ParameterDescriptor(
                            id: $0.id, kind: $0.kind, label: $0.label, unit: $0.unit, help: $0.help,
                            isAnimatable: $0.animatable, isHidden: $0.hidden ?? false, isExpected: $0.expected ?? false,
                            minimum: $0.minimum, maximum: $0.maximum, initial: $0.default,
                            initialText: $0.default_text ?? "",
                            choices: $0.choices ?? [])
                    },
                    formats: metadata.formats, path: effect.descriptor.path, digest: effect.descriptor.digest))
        #expect(effect.effect.formats.map(\.name) == metadata.formats)
    }

    @Test(arguments: libraries) func onlyTheEntryIsExported(library: String) throws {
        let path = try #require(PluginFixture.shipped(library))
        let symbols = try Command.run(["nm", "-D", "--defined-only", "--format=posix", path]).text
            .split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
        // Some linkers put marks of their own into every library, and so does a sanitiser.
        let marks = ["__bss_start", "_edata", "_end"]
        #expect(symbols.filter { !marks.contains($0) && !$0.hasPrefix("__odr_asan") } == ["cutroom_plugin_entry"])
    }

    /// A library that leans on what its host happens to have loaded fails in another one.
    @Test(arguments: libraries) func everySymbolIsItsOwnOrALinkedLibrarys(library: String) throws {
        let path = try #require(PluginFixture.shipped(library))
        let result = try Command.run(["ldd", "-r", path])
        let undefined = (result.text + result.stderr).split(separator: "\n").filter { $0.contains("undefined symbol") }
        // A sanitiser's run-time is the program's.
        #expect(undefined.filter { !$0.contains("__asan") && !$0.contains("__tsan") } == [])
    }

    /// Odd sizes, every format, defaults and extremes: nothing outside the rows, inputs as they
    /// were, the same again.
    @Test(arguments: plugins + sources) func awkwardFrames(library: String, folder: String) throws {
        let path = try #require(PluginFixture.shipped(library))
        let registry = PluginRegistry(searchPaths: [path])
        let id = "org.cutroom." + folder.split(separator: "/").last!.replacing("-", with: "_")
        let descriptor = try #require(registry.descriptors().effects.first { $0.id == id })
        let effect = try registry.load(path: path, effectID: descriptor.id)
        var random = SplitMix64(seed: 41)
        for format in effect.effect.formats {
            for (width, height) in [(1, 1), (2, 1), (1, 3), (8, 8), (37, 23), (64, 2)] {
                // Floats lie where floats may.
                let padding = format == .rgbaFloat ? 16 : 13
                let input = FrameMemory(format, width, height, padding: padding)
                input.fill { _, _, _ in .random(in: 0...255, using: &random) }
                let before = input.samples
                let instance = try effect.instance(format, width, height)
                for choice in 0..<4 {
                    var results: [[UInt8]] = []
                    for _ in 0..<2 {
                        let output = FrameMemory(format, width, height, padding: padding)
                        let inputs = Array(repeating: FrameWindow(input.frame), count: descriptor.kind.inputCount)
                        var call = FrameCall(inputs: inputs, output: output.frame)
                        call.time = Time(frame: choice == 3 ? 8 : 0, rate: Rational(25))
                        if inputs.count == 2 {
                            (call.time, call.duration) = (
                                Time(frame: 2 + choice, rate: Rational(25)), Time(frame: 8, rate: Rational(25))
                            )
                        }
                        let extremes = descriptor.parameters.filter {
                            $0.kind.componentCount > 0 && ($0.isAnimatable || !$0.choices.isEmpty)
                                && (1...2).contains(choice)
                        }
                        for parameter in extremes where parameter.choices.isEmpty {
                            let value = choice == 1 ? parameter.minimum : parameter.maximum
                            call.values[parameter.id] = .numbers(parameter.initial.map { _ in value })
                        }
                        for parameter in extremes where !parameter.choices.isEmpty {
                            call.values[parameter.id] = .text(
                                choice == 1 ? parameter.choices.first! : parameter.choices.last!)
                        }
                        let outcome = try instance.process(call)
                        #expect(output.paddingIsUntouched && input.samples == before)
                        results.append(outcome == .passedThrough ? [] : output.samples)
                    }
                    #expect(results[0] == results[1])
                }
            }
        }
    }

    @Test func vignetteDarkensTheCornersOnly() throws {
        let path = try #require(PluginFixture.shipped("vignette"))
        let effect = try PluginRegistry(searchPaths: []).load(path: path, effectID: "org.cutroom.vignette")
        #expect(effect.preferredFormat(among: [.rgba8, .yuv420p8]) == .yuv420p8)
        let (yuv, rgba) = (FrameMemory(.yuv420p8, 64, 48), FrameMemory(.rgba8, 64, 48))
        yuv.fill { plane, _, _ in plane == 0 ? 235 : 128 }
        rgba.fill { _, _, _ in 255 }
        for (input, black, white) in [(yuv, 16.0, 235.0), (rgba, 0, 255)] {
            let output = FrameMemory(input.frame.format, 64, 48)
            let instance = try effect.instance(input.frame.format, 64, 48)
            let bytes = input.frame.format == .rgba8 ? 4 : 1
            for strength in [0.25, 1.0] {
                var call = FrameCall(input: input.frame, output: output.frame)
                call.values = ["strength": .numbers([strength])]
                _ = try instance.process(call)
                #expect(Double(output[0, 32 * bytes, 24]) == white)
                let corner = Double(output[0, 0, 0])
                #expect(abs(corner - (white - strength * (white - black))) < 6, "\(corner)")
                // The same on all four sides, darker outwards.
                #expect(output[0, 63 * bytes, 0] == output[0, 0, 0] && output[0, 0, 47] == output[0, 0, 0])
                #expect(output[0, 8 * bytes, 24] > output[0, 0, 24])
            }
            var call = FrameCall(input: input.frame, output: output.frame)
            call.values = ["strength": .numbers([0])]
            #expect(try instance.process(call) == .passedThrough)
        }
    }

    @Test func vignetteTintsAlikeInBothFormats() throws {
        let path = try #require(PluginFixture.shipped("vignette"))
        let effect = try PluginRegistry(searchPaths: []).load(path: path, effectID: "org.cutroom.vignette")
        let values: [String: ParameterInput] = [
            "strength": .numbers([1]), "radius": .numbers([0]), "softness": .numbers([0.01]),
            "color": .text("#ff0000"),
        ]
        let (input, output) = (FrameMemory(.yuv420p8, 32, 32), FrameMemory(.yuv420p8, 32, 32))
        input.fill { plane, _, _ in plane == 0 ? 100 : 128 }
        var call = FrameCall(input: input.frame, output: output.frame)
        call.values = values
        _ = try effect.instance(.yuv420p8, 32, 32).process(call)
        // BT.709 red.
        #expect([output[0, 0, 0], output[1, 0, 0], output[2, 0, 0]] == [63, 102, 240])
    }

    /// On an HDR canvas the colour is light: its white is the reference white, 58 % of PQ and 75 %
    /// of HLG (ITU-R BT.2408).
    @Test(arguments: [ColorSystem.sdr, .hlg, .pq]) func vignetteTintsFloatsAsTheyAreEncoded(color: ColorSystem) throws {
        let path = try #require(PluginFixture.shipped("vignette"))
        let effect = try PluginRegistry(searchPaths: []).load(path: path, effectID: "org.cutroom.vignette")
        let colors = PluginColor.canvas(.rgbaFloat, color)
        func frame(_ memory: FrameMemory) -> PluginFrame {
            var frame = memory.frame
            frame.color = colors
            return frame
        }
        let (input, output) = (
            FrameMemory(.rgbaFloat, 32, 32, padding: 16), FrameMemory(.rgbaFloat, 32, 32, padding: 16)
        )
        for (tint, wanted) in [("#ffffff", [ColorSystem.sdr: 1.0, .hlg: 0.75, .pq: 0.58][color]), ("#000000", 0)] {
            var call = FrameCall(input: frame(input), output: frame(output))
            call.values = [
                "strength": .numbers([1]), "radius": .numbers([0]), "softness": .numbers([0.01]), "color": .text(tint),
            ]
            input.fill { _, byte, _ in byte % 4 == 3 ? 0x3e : 0 }
            _ = try effect.makeInstance(
                PluginSetup(format: .rgbaFloat, width: 32, height: 32, frameRate: Rational(30), color: colors)
            )
            .process(call)
            let corner = UnsafeRawPointer(output.frame.planes[0]).load(as: Float.self)
            #expect(abs(Double(corner) - (wanted ?? -1)) < 0.002, "\(corner)")
        }
    }

    @Test(.enabled(if: !Sanitizer.isThread, "the Swift plugin cannot be loaded under the thread sanitiser"))
    func rgbSplitMovesRedAndBlueApart() throws {
        let path = try #require(PluginFixture.shipped("rgb_split"))
        let effect = try PluginRegistry(searchPaths: []).load(path: path, effectID: "org.cutroom.rgb_split")
        let (input, output) = (FrameMemory(.rgba8, 21, 9), FrameMemory(.rgba8, 21, 9))
        input.fill { _, byte, row in byte / 4 == 10 && row == 4 || byte % 4 == 3 ? 255 : 0 }
        let instance = try effect.instance(.rgba8, 21, 9)
        func places(_ amount: Double, _ angle: Double) throws -> [[Int]] {
            var call = FrameCall(input: input.frame, output: output.frame)
            call.values = ["amount": .numbers([amount]), "angle": .numbers([angle])]
            _ = try instance.process(call)
            return (0..<3).map { channel in
                (0..<(21 * 9)).filter { output[0, 4 * ($0 % 21) + channel, $0 / 21] == 255 }
            }
        }
        let centre = 4 * 21 + 10
        #expect(try places(3, 0) == [[centre + 3], [centre], [centre - 3]])
        #expect(try places(2, 90) == [[centre + 42], [centre], [centre - 42]])
        #expect(try places(500, 0) == [[], [centre], []])
        // Half a pixel: two halves.
        _ = try places(2.5, 0)
        #expect([output[0, 4 * 12, 4], output[0, 4 * 13, 4]].allSatisfy { abs(Int($0) - 128) <= 1 })
        #expect(try places(0, 0).count == 3)
    }
}
