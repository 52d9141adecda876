import Foundation
import TestSupport
import Testing
import Values

@testable import PluginHosting

/// The bridge, on plugins of the tests' own.
@Suite(.waits) struct Frei0rTests {
    /// Builds a frei0r plugin.
    /// - Parameter name: of its file. The bridge knows Debian's plugins by name and version.
    private static func build(_ defines: [String] = [], as name: String = "fixture", in folder: TemporaryFolder) throws
        -> String
    {
        try PluginFixture.build("Frei0r/frei0r", defines, as: name, in: folder)
    }

    /// One that the bridge's table says is pure.
    private static let known = (name: "brightness", version: ["MAJOR=0", "MINOR=2"])

    private static func load(_ path: String) throws -> LoadedEffect {
        let name = (path as NSString).lastPathComponent.dropLast(3)
        return try PluginRegistry(searchPaths: []).load(path: path, effectID: "frei0r.\(name)")
    }

    /// Bytes that tell row, column and channel; alpha is full.
    private static func noise(_ width: Int, _ height: Int, _ start: Int = 0) -> FrameMemory {
        let memory = FrameMemory(.rgba8, width, height)
        memory.fill { _, byte, row in byte % 4 == 3 ? 255 : UInt8((start + byte * 5 + row * 31) % 251) }
        return memory
    }

    private static func frame(
        _ instance: EffectInstance, _ inputs: [FrameMemory], at time: Time = .zero, of duration: Time = .zero,
        seed: UInt64 = 0, _ values: [String: ParameterInput] = [:]
    ) throws -> [UInt8] {
        let first = try #require(inputs.first).frame
        let output = FrameMemory(.rgba8, first.width, first.height)
        var call = FrameCall(inputs: inputs.map { FrameWindow($0.frame) }, output: output.frame)
        (call.values, call.time, call.duration, call.seed) = (values, time, duration, seed)
        let before = inputs.map(\.samples)
        #expect(try instance.process(call) == .output)
        #expect(output.paddingIsUntouched && inputs.map(\.samples) == before)
        return output.samples
    }

    // MARK: Description

    @Test func `a library is described as a plugin`() throws {
        try TemporaryFolder.with { folder in
            let path = try Self.build(in: folder)
            let (effects, problems) = PluginRegistry(searchPaths: [folder.path]).descriptors()
            let effect = try #require(effects.first)
            #expect(problems.isEmpty && effects.count == 1)
            #expect(effect.id == "frei0r.fixture" && effect.kind == .filter && effect.name == "Fixture")
            #expect(effect.vendor == "Somebody" && effect.help == "Does little." && effect.version == "7.3")
            #expect(effect.path == path && effect.formats == ["rgba8"] && effect.refusal == nil)
            // It is not in the table of tested plugins.
            #expect(effect.state == .sequential && effect.determinism == .none)
            let amount = try #require(effect.parameters.first)
            #expect(amount.id == "amount" && amount.initial == [0.25] && amount.bounds == 0...1 && amount.isAnimatable)
        }
    }

    @Test func `each type of parameter becomes one of ours, with its default`() throws {
        try TemporaryFolder.with { folder in
            let parameters = try Self.load(try Self.build(["ALL_TYPES"], in: folder)).descriptor.parameters
            #expect(parameters.map(\.id) == ["on", "grose_px", "tint", "centre", "text", "tint_6", "parameter_7"])
            #expect(parameters.map(\.kind) == [.bool, .double, .color, .point, .string, .double, .double])
            // The last two say 3 and not-a-number.
            let defaults: [[Double]] = [[1], [0.25], [0.5, 0, 0, 1], [0.75, 0], [], [1], [0]]
            #expect(parameters.map(\.initial) == defaults)
            #expect(parameters[4].initialText == "hello" && !parameters[4].isAnimatable)
            #expect(parameters[0].label == "On?" && parameters[0].help == "A switch." && parameters[1].help == "")
        }
    }

    @Test func `no two parameters get one id`() throws {
        try TemporaryFolder.with { folder in
            let parameters = try Self.load(try Self.build(["SAME_NAMES"], in: folder)).descriptor.parameters
            #expect(parameters.map(\.id) == ["a_3", "a", "a_3_3"])
        }
    }

    @Test func `what the check has found out of a version is known`() throws {
        try TemporaryFolder.with { folder in
            let path = try Self.build(Self.known.version, as: Self.known.name, in: folder)
            let effect = try Self.load(path).descriptor
            #expect(effect.state == .pure && effect.determinism == .machine && effect.version == "0.2")
            #expect(effect.ignoresTimeline)
            // Another version of it is another plugin.
            try TemporaryFolder.with { folder in
                let path = try Self.build(as: Self.known.name, in: folder)
                #expect(try Self.load(path).descriptor.state == .sequential)
            }
        }
    }

    @Test(arguments: [
        (["INTERFACE=2"], "is for a version of frei0r that Cutroom does not know"),
        (["TYPE=9"], "is of a type that frei0r does not have"),
        (["MODEL=3"], "has a color model that frei0r does not have"), (["NO_UPDATE"], "no function that makes a frame"),
        (["INIT_FAILS"], "its initialisation fails"), (["TYPE=MIXER3"], "mixes three pictures"),
        (["NO_INSTANCE"], "makes no instance"),
    ]) func `what cannot be used says why`(defines: [String], reason: String) throws {
        try TemporaryFolder.with { folder in
            let path = try Self.build(defines, in: folder)
            let error = #expect(throws: PluginError.self) { try Self.load(path) }
            #expect(error?.description.contains(reason) == true && error?.path == path, "\(error as Any)")
            // Libraries that could be described are listed.
            let (effects, problems) = PluginRegistry(searchPaths: [path]).descriptors()
            #expect(effects.count + problems.count == 1)
            if let effect = effects.first { #expect(effect.refusal?.contains(reason) == true) }
        }
    }

    @Test func `a plugin of another interface altogether is none`() throws {
        try TemporaryFolder.with { folder in
            let path = try PluginFixture.build("not_a_plugin", in: folder)
            let error = #expect(throws: PluginError.self) { try Self.load(path) }
            #expect(error?.code == .notAPlugin)
        }
    }

    // MARK: Frames

    @Test(arguments: [(320, 240), (37, 23), (1, 1), (129, 130)], [0, 1])
    func `colours come and go in the plugin's order, at any size`(size: (Int, Int), model: Int) throws {
        try TemporaryFolder.with { folder in
            let effect = try Self.load(try Self.build(["MODEL=\(model)"], in: folder))
            let input = Self.noise(size.0, size.1)
            let made = try Self.frame(try effect.instance(.rgba8, size.0, size.1), [input])
            var expected = input.samples
            // Its first byte is blue, or red.
            for pixel in stride(from: 0, to: expected.count, by: 4) { expected[pixel + (model == 0 ? 2 : 0)] = 200 }
            #expect(made == expected)
        }
    }

    @Test func `values cross in the plugin's terms`() throws {
        try TemporaryFolder.with { folder in
            let effect = try Self.load(try Self.build(["ALL_TYPES"], in: folder))
            let instance = try effect.instance(.rgba8, 8, 2)
            let input = Self.noise(8, 2)
            let defaults = try Self.frame(instance, [input], at: Time(value: 1, timeBase: 1, 2))
            #expect(Array(defaults.prefix(16)) == [255, 64, 255, 255, 128, 0, 0, 255, 191, 0, 104, 255, 50, 0, 0, 255])
            let given = try Self.frame(
                instance, [input],
                [
                    "on": .numbers([0]), "grose_px": .numbers([1]), "tint": .text("#00ff80"),
                    "centre": .numbers([0.2, 0.4]), "text": .text("A"), "tint_6": .numbers([0]),
                    "parameter_7": .numbers([1]),
                ])
            #expect(Array(given.prefix(16)) == [0, 255, 0, 255, 0, 255, 128, 255, 51, 102, 65, 255, 0, 255, 0, 255])
            let error = #expect(throws: PluginError.self) {
                try Self.frame(instance, [input], ["grose_px": .numbers([1.5])])
            }
            #expect(error?.reason.contains("must lie between 0 and 1") == true)
        }
    }

    @Test func `progress goes to the parameter that carries it`() throws {
        try TemporaryFolder.with { folder in
            let effect = try Self.load(try Self.build(["FADER", "TYPE=MIXER2"], in: folder))
            #expect(effect.descriptor.kind == .transition && effect.descriptor.parameters.isEmpty)
            let (old, new) = (Self.noise(40, 24), Self.noise(40, 24, 100))
            let instance = try effect.instance(.rgba8, 40, 24)
            let second = Time(value: 1, timeBase: 1, 1)
            #expect(try Self.frame(instance, [old, new], at: .zero, of: second) == old.samples)
            let half = try Self.frame(instance, [old, new], at: Time(value: 1, timeBase: 1, 2), of: second)
            let mean = zip(old.samples, new.samples).map { old, new -> UInt8 in UInt8((Int(old) + Int(new) + 1) / 2) }
            #expect(half == mean)
        }
    }

    @Test func `a mixer without progress is dissolved into and out of`() throws {
        try TemporaryFolder.with { folder in
            let effect = try Self.load(try Self.build(["TYPE=MIXER2"], in: folder))
            #expect(effect.descriptor.kind == .transition && effect.descriptor.parameters.map(\.id) == ["amount"])
            let (old, new) = (Self.noise(40, 24), Self.noise(40, 24, 100))
            let blend = zip(old.samples, new.samples).map(max)
            let instance = try effect.instance(.rgba8, 40, 24)
            for (quarter, other, share) in [(0, old, 0), (1, old, 2), (2, old, 4), (3, new, 2)] {
                let made = try Self.frame(
                    instance, [old, new], at: Time(value: Int64(quarter), timeBase: 1, 4),
                    of: Time(value: 1, timeBase: 1, 1))
                let expected = zip(blend, other.samples).map { blend, other -> UInt8 in
                    let sum: Int = Int(blend) * share + Int(other) * (4 - share)
                    return UInt8((sum + 2) / 4)
                }
                #expect(made == expected, "at \(quarter)/4")
            }
        }
    }

    // MARK: State

    @Test func `what keeps frames is sequential, and a reset forgets them`() throws {
        try TemporaryFolder.with { folder in
            let instance = try Self.load(try Self.build(["COUNTS"], in: folder)).instance(.rgba8, 8, 8)
            let input = Self.noise(8, 8)
            #expect(try (0..<3).map { _ in try Self.frame(instance, [input])[0] } == [10, 20, 30])
            try instance.reset()
            #expect(try Self.frame(instance, [input])[0] == 10)
        }
    }

    /// A plugin that adds up the values it is given shows the sum where it keeps its instance.
    @Test func `one that counts as pure does not see earlier values`() throws {
        try TemporaryFolder.with { folder in
            let input = Self.noise(8, 8)
            func made(_ path: String) throws -> [UInt8] {
                let instance = try Self.load(path).instance(.rgba8, 8, 8)
                return try [0.1, 0.2, 0.2, 0.5].map {
                    try Self.frame(instance, [input], ["amount": .numbers([$0])])[0]
                }
            }
            let pure = try Self.build(["SUMS"] + Self.known.version, as: Self.known.name, in: folder)
            #expect(try made(pure) == [10, 20, 20, 50])
            #expect(try made(try Self.build(["SUMS"], in: folder)) == [10, 30, 30, 80])
        }
    }

    /// The C library has one state for a whole process, in which a worker makes one call at a time,
    /// but the tests many.
    @Test func `the C library's random numbers follow from the call's seed`() async throws {
        try await TemporaryFolder.with { folder in
            let path = try Self.build(["DRAWS_RANDOM"], in: folder)
            await #expect(processExitsWith: .success) { [path = path as String] in
                let effect = try Self.load(path)
                let input = Self.noise(8, 8)
                func made(_ seeds: [UInt64]) throws -> [[UInt8]] {
                    let instance = try effect.instance(.rgba8, 8, 8)
                    return try seeds.map { Array(try Self.frame(instance, [input], seed: $0).prefix(8)) }
                }
                let (first, second) = (try made([1, 2, 3]), try made([3, 2, 1]))
                #expect(first == second.reversed() && Set(first).count == 3)
            }
        }
    }

    @Test func `frames of other formats are refused`() throws {
        try TemporaryFolder.with { folder in
            let effect = try Self.load(try Self.build(in: folder))
            let error = #expect(throws: PluginError.self) { try effect.instance(.rgbaFloat, 8, 8) }
            #expect(error?.code == .unsupportedFormat)
        }
    }
}
