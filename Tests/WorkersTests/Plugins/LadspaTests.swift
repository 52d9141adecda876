import Draft
import Foundation
import TestSupport
import Testing
import Values

@testable import PluginHosting
@testable import Sound
@testable import Workers

/// The bridge to LADSPA, on plugins of the tests' own.
@Suite(.waits) struct LadspaTests {
    private let folder: TemporaryFolder
    private let path: String
    private let registry = PluginRegistry(searchPaths: [])

    init() throws {
        folder = try TemporaryFolder()
        path = try PluginFixture.build("Ladspa/ladspa", as: "ladspa", in: folder)
    }

    private func effect(_ label: String) throws -> LoadedEffect {
        try registry.load(path: path, effectID: "ladspa." + label)
    }

    /// An effect in one run of sound from sample 0 on.
    private final class Line {
        let instance: EffectInstance
        let sound: PluginSound
        let reach: Int
        var first = 0

        init(_ effect: LoadedEffect, channels: Int = 2, rate: Int = 48_000) throws {
            sound = PluginSound(rate: rate, channels: channels, maximumSamples: 256)
            reach = effect.descriptor.reachAfter
            instance = try effect.makeInstance(PluginSetup(sound: sound, frameRate: Rational(30)))
        }

        /// The next block of what it makes of a signal of channel and sample.
        func next(
            _ count: Int = 256, _ values: [String: ParameterInput] = [:], seed: UInt64 = 0, restarts: Bool = false,
            signal: (Int, Int) -> Double
        ) throws -> [[Float]] {
            let (input, output) = (
                SoundBlock(channels: sound.channels, capacity: count + reach),
                SoundBlock(channels: sound.channels, capacity: count)
            )
            for (channel, plane) in input.planes(from: 0).enumerated() {
                for index in 0..<count + reach { plane[index] = Float(signal(channel, first + index)) }
            }
            let before = input.planes(from: 0).map { Array(UnsafeBufferPointer(start: $0, count: count + reach)) }
            var call = FrameCall(
                input: PluginFrame(sound, samples: input.samples, stride: input.stride, count: count + reach),
                output: PluginFrame(sound, samples: output.samples, stride: output.stride, count: count))
            (call.values, call.seed, call.isDiscontinuity) = (values, seed, first == 0 || restarts)
            #expect(try instance.process(call) == .output)
            #expect(
                input.planes(from: 0).map { Array(UnsafeBufferPointer(start: $0, count: count + reach)) } == before)
            first += count
            return output.planes(from: 0).map { Array(UnsafeBufferPointer(start: $0, count: count)) }
        }
    }

    private static func ramp(_ channel: Int, _ index: Int) -> Double { Double(1000 * channel + index) }

    // MARK: Description

    @Test func `a library's plugins are described as effects`() throws {
        let (effects, problems) = PluginRegistry(searchPaths: [path]).descriptors()
        #expect(effects.count == 21)
        #expect(problems.count == 1 && problems[0].reason.contains("its id ‘ladspa.not an id’ is not"), "\(problems)")
        let gain = try #require(effects.first { $0.id == "ladspa.fx_gain" })
        #expect(gain.kind == .audioFilter && gain.name == "The fx_gain" && gain.version == "1")
        #expect(gain.vendor == "Somebody" && gain.formats == ["pcmf32_planar"] && gain.refusal == nil)
        // It is not in the table of tested plugins.
        #expect(gain.state == .sequential && gain.determinism == .none && gain.reachAfter == 0)
        #expect(gain.ignoresTimeline)
        #expect(gain.parameters.map(\.id) == ["gain"] && gain.parameters[0].isAnimatable)
        #expect(effects.first { $0.id == "ladspa.fx_real_time" }?.name == "fx_real_time")
    }

    @Test func `hints become types, ranges, units and defaults`() throws {
        struct Wanted {
            var id: String, kind: ParameterDescriptor.Kind, range: ClosedRange<Double>?, initial: Double, unit = ""
        }
        let parameters = try effect("fx_odd").descriptor.parameters
        let wanted = [
            // exp(log(4.8) · 0.75 + log(24000) · 0.25)
            Wanted(id: "cutoff_hz", kind: .double, range: 4.8...24_000, initial: 40.36303, unit: "Hz"),
            Wanted(id: "stages", kind: .int, range: 0...3, initial: 2),
            Wanted(id: "on", kind: .bool, range: 0...1, initial: 1),
            // The default wants an end that is not named: the one that is, then.
            Wanted(id: "max_delay_s", kind: .double, range: 0.01...60.01, initial: 0.01, unit: "s"),
            Wanted(id: "ratio", kind: .double, range: -1000...1, initial: 1),
            Wanted(id: "any", kind: .double, range: nil, initial: 0),
            // A default beyond the range is its end.
            Wanted(id: "parameter_7", kind: .double, range: 0...10, initial: 10),
            Wanted(id: "any_8", kind: .double, range: nil, initial: 0),
            Wanted(id: "turned", kind: .double, range: nil, initial: 5),
            Wanted(id: "grosse_db", kind: .double, range: -70...10.1, initial: -49.975, unit: "dB"),
            Wanted(id: "frequency", kind: .double, range: 1...100, initial: 10),
        ]
        #expect(parameters.map(\.id) == wanted.map(\.id))
        for (parameter, wanted) in zip(parameters, wanted) {
            #expect(parameter.kind == wanted.kind && parameter.unit == wanted.unit, "\(parameter)")
            #expect(parameter.bounds == wanted.range, "\(parameter)")
            #expect(abs(parameter.initial[0] - wanted.initial) < 1e-4, "\(parameter)")
        }
    }

    @Test(arguments: [
        ("fx_ring", "but one output"), ("fx_generator", "no audio input"),
        ("fx_meter", "it has no audio output"), ("fx_many", "more than two audio inputs or outputs"),
        ("fx_silent", "it has no audio ports"), ("fx_wrong", "not one of input and output"),
        ("fx_half", "lacks the function"), ("fx_real_time", "depends on the time at which it runs"),
    ]) func `what cannot be used says why`(label: String, reason: String) throws {
        let error = #expect(throws: PluginError.self) { try effect(label) }
        #expect(error?.description.contains(reason) == true && error?.path == path, "\(error as Any)")
    }

    @Test(arguments: [(["EMPTY"], "has no plugins"), (["ENDLESS"], "an impossible number of plugins")])
    func `a library that cannot be used says why`(defines: [String], reason: String) throws {
        try TemporaryFolder.with { folder in
            let path = try PluginFixture.build("Ladspa/ladspa", defines, as: "ladspa", in: folder)
            let (effects, problems) = PluginRegistry(searchPaths: [path]).descriptors()
            #expect(effects.isEmpty && problems.count == 1 && problems[0].reason.contains(reason), "\(problems)")
        }
    }

    @Test func `a plugin can be named by its number`() throws {
        #expect(try effect("fx_gain.1").descriptor.id == "ladspa.fx_gain.1")
        // The second of its label in one library has no other name.
        #expect(try effect("fx_gain.14").descriptor.parameters.isEmpty)
        #expect(throws: PluginError.self) { try effect("fx_gain.2") }
        // Nor has the third, which has the second's number.
        #expect(try effect("fx_gain.14.14").descriptor.name == "The fx_gain")
    }

    @Test func `no two parameters get one id`() throws {
        #expect(try effect("fx_names").descriptor.parameters.map(\.id) == ["a_3", "a", "a_3_3"])
    }

    // MARK: Sound

    @Test func `each channel has an instance of a plugin of one`() throws {
        for channels in [1, 2, 6] {
            let line = try Line(try effect("fx_sum"), channels: channels)
            for block in 0..<3 {
                let made = try line.next(100) { channel, _ in Double(channel + 1) }
                for channel in 0..<channels {
                    #expect(made[channel] == (1...100).map { Float((channel + 1) * (100 * block + $0)) })
                }
            }
        }
    }

    @Test func `a plugin of two gets left and right`() throws {
        let stereo = try Line(try effect("fx_swap")).next(8, signal: Self.ramp)
        let right: [Float] = (0..<8).map { Float(2 * (1000 + $0)) }
        #expect(stereo[0] == right && stereo[1] == (0..<8).map(Float.init))
        // Alone a channel goes into both, and is the mean of what comes out.
        let mono = try Line(try effect("fx_swap"), channels: 1).next(8, signal: Self.ramp)
        #expect(mono[0] == (0..<8).map { 1.5 * Float($0) })
        // Left and right, centre, low frequencies, and the two behind.
        let six = try Line(try effect("fx_swap"), channels: 6).next(1) { channel, _ in Double(channel + 1) }
        #expect(six.map { $0[0] } == [4, 1, 4.5, 6, 12, 5])
    }

    @Test func `a plugin that makes two of one gets the mean`() throws {
        let stereo = try Line(try effect("fx_spread")).next(8, signal: Self.ramp)
        let mean: [Float] = (0..<8).map { Float(500 + $0) }
        #expect(stereo[0] == mean && stereo[1] == mean.map { 3 * $0 })
        let mono = try Line(try effect("fx_spread"), channels: 1).next(8, signal: Self.ramp)
        #expect(mono[0] == (0..<8).map { 2 * Float($0) })
    }

    @Test func `values cross, and a rate is in them`() throws {
        let odd = try effect("fx_odd")
        let names = odd.descriptor.parameters.map(\.id)
        let given = Dictionary(uniqueKeysWithValues: zip(names, [24_000, 1, 0, 0.5, 0.25, 7, 3, -2, 1, -3.5, 50.0]))
        for (rate, cutoff) in [(48_000, 24_000.0), (44_100, 22_050), (96_000, 24_000)] {
            let line = try Line(odd, channels: 1, rate: rate)
            let made = try line.next(16, given.mapValues { .numbers([$0]) }) { _, _ in 9 }
            #expect(Array(made[0].prefix(12)) == [Float(cutoff), 1, 0, 0.5, 0.25, 7, 3, -2, 1, -3.5, 50, 9])
        }
        let defaults = try Line(odd, channels: 1).next(16) { _, _ in 0 }
        #expect(defaults[0][9] == -49.975 && defaults[0][1] == 2)
    }

    /// Its delay is what it says that it is.
    @Test func `what is late runs ahead of the output`() throws {
        let late = try effect("fx_late")
        #expect(late.descriptor.reachAfter == 100)
        for delay in [100.0, 37, 0] {
            let line = try Line(late)
            for block in 0..<3 {
                let made = try line.next(256, ["delay_samples": .numbers([delay])], signal: Self.ramp)
                let ramp: [Float] = (0..<256).map { Float(256 * block + $0) }
                #expect(made[0] == ramp && made[1] == ramp.map { $0 + 1000 }, "\(delay)")
            }
        }
        // Beyond what was known before, it is late.
        let made = try Line(late).next(256, ["delay_samples": .numbers([150])], signal: Self.ramp)
        let ramp: [Float] = (0..<256).map { Float(max(0, $0 - 50)) }
        #expect(made[0] == ramp)
    }

    @Test func `a new run and a reset begin anew`() throws {
        let line = try Line(try effect("fx_sum"), channels: 1)
        func one() throws -> Float { try line.next(10) { _, _ in 1 }[0][9] }
        #expect(try [one(), one()] == [10, 20])
        try line.instance.reset()
        #expect(try one() == 10)
        #expect(try line.next(10, restarts: true) { _, _ in 1 }[0][9] == 10)
    }

    /// The C library has one state for a whole process, in which a worker makes one call at a time,
    /// but the tests many.
    @Test func `the C library's random numbers follow from the call's seed`() async {
        let path = path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let random = try PluginRegistry(searchPaths: []).load(path: path, effectID: "ladspa.fx_random")
            func made(_ seeds: [UInt64]) throws -> [[Float]] {
                let line = try Line(random, channels: 1)
                return try seeds.map { try line.next(8, seed: $0) { _, _ in 0 }[0] }
            }
            let (first, second) = (try made([1, 2, 3]), try made([3, 2, 1]))
            #expect(first == second.reversed() && Set(first).count == 3)
        }
    }

    @Test func `one that makes no instance says so`() throws {
        let line = try Line(try effect("fx_refuses"))
        let error = #expect(throws: PluginError.self) { try line.next { _, _ in 0 } }
        #expect(error?.reason == "it makes no instance for 48000 samples per second")
    }

    @Test func `one without activate works`() throws {
        #expect(try Line(try effect("fx_bare")).next { _, _ in 1 }[0] == Array(repeating: 0, count: 256))
    }
}
