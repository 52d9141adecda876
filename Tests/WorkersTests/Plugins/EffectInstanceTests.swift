import Foundation
import Synchronization
import TestSupport
import Testing
import Values

@testable import PluginHosting

/// The data that a plugin gets, and how its results are used.
@Suite(.waits) struct EffectInstanceTests {
    final class Log: Sendable {
        let lines = Mutex<[String]>([])
    }

    @Test func everythingArrives() throws {
        try TemporaryFolder.with { folder in
            let log = Log()
            let registry = PluginRegistry(
                searchPaths: [], log: { level, line in log.lines.withLock { $0.append("\(level) \(line)") } },
                isCancelled: { true })
            let effect = try registry.load(path: try PluginFixture.build("probe", in: folder), effectID: "test.probe")
            #expect(effect.plugin == "Probe")
            let (input, output) = (FrameMemory(.rgba8, 7, 5), FrameMemory(.rgba8, 7, 5))
            input.fill { _, x, y in UInt8(x * 3 + y) }
            var lent = input.frame
            (lent.index, lent.alpha) = (77, .straight)
            var target = output.frame
            target.alpha = .straight
            let instance = try effect.instance(.rgba8, 7, 5)
            var call = FrameCall(input: lent, output: target)
            _ = try instance.process(call)
            call.values = [
                "a_double": .numbers([-2.5]), "an_int": .numbers([9]), "a_bool": .numbers([0]),
                "an_enum": .text("soft"),
                "a_color": .text("#ff000080"), "a_point": .numbers([3, -4]), "a_string": .text("grüße"),
                "a_path": .text("/x y"),
            ]
            (call.time, call.duration) = (Time(frame: 15, rate: Rational(30)), Time(frame: 60, rate: Rational(30)))
            (call.index, call.seed, call.isDiscontinuity) = (15, .max, true)
            #expect(try instance.process(call) == .output)
            #expect(output.samples == input.samples && output.paddingIsUntouched)
            let lines = log.lines.withLock { $0 }
            #expect(lines.count == 7)
            // What `host->parallel` does, its init looks at.
            #expect(lines[0] == "info setup threads 1")
            #expect(lines[1] == "info values 1.5 3 1 1 [1 0.5 0 1] [0.25 0.75] hello ")
            #expect(
                lines[3] == "debug frame 7x5 align 0 primaries 1 transfer 1 matrix 0 full 1 alpha 1 index 77"
                    || lines[3] == "debug frame 7x5 align 1 primaries 1 transfer 1 matrix 0 full 1 alpha 1 index 77")
            #expect(lines[4] == "info values -2.5 9 0 0 [1 0 0 0.501961] [3 -4] grüße /x y")
            #expect(
                lines[5]
                    == "warning call index 15 progress 0.25 time 352800000/705600000 seed 18446744073709551615 inputs 1 "
                    + "flags 1 rows 0-5 cancelled 1")
        }
    }

    @Test func errorsComeWithPluginEffectFrameAndText() throws {
        try TemporaryFolder.with { folder in
            let path = try PluginFixture.build("errors", in: folder)
            let effect = try PluginRegistry(searchPaths: []).load(path: path, effectID: "test.errors")
            let (input, output) = (FrameMemory(.rgba8, 2, 2), FrameMemory(.rgba8, 2, 2))
            let instance = try effect.instance(.rgba8, 2, 2)
            func run(_ status: Double, _ text: String = "", on instance: EffectInstance) throws
                -> EffectInstance.Outcome
            {
                var call = FrameCall(input: input.frame, output: output.frame)
                call.values = ["status": .numbers([status]), "text": .text(text)]
                call.index = 40
                return try instance.process(call)
            }
            // A message without a failure is dropped.
            #expect(try run(0, "all is well", on: instance) == .output)
            #expect(try run(1, on: instance) == .passedThrough)
            for (status, code, words) in [
                (-1.0, PluginError.Code.unsupportedFormat, "format or size"),
                (-2, .invalidParameter, "value of a parameter"),
                (-3, .failed, "out of memory"), (-4, .cancelled, "cancelled"), (-5, .retry, "tried again"),
                (-6, .failed, "support"),
            ] {
                let error = #expect(throws: PluginError.self) { try run(status, on: instance) }
                #expect(error?.code == code)
                #expect(error?.status == Int32(status))
                #expect(error?.description.contains(words) == true)
            }
            let spoken = #expect(throws: PluginError.self) { try run(-3, "the GPU is on fire", on: instance) }
            #expect(
                spoken?.description == "effect test.errors of plugin ‘Fixture’ (\(path)), frame 40: the GPU is on fire")
            // The text belongs to that error alone, and the instance goes on.
            #expect(throws: PluginError.self) { try run(-3, on: instance) }
            #expect(try run(0, on: instance) == .output)
            // Fatal and unknown statuses end an instance, not the effect.
            for status in [-7.0, -99] {
                let doomed = try effect.instance(.rgba8, 2, 2)
                #expect(throws: PluginError.self) { try run(status, on: doomed) }
                let error = #expect(throws: PluginError.self) { try run(0, on: doomed) }
                #expect(error?.reason == "it failed before and cannot go on")
            }
            var setup = PluginSetup(format: .rgba8, width: 2, height: 2, frameRate: .one)
            setup.values = ["refuse": .numbers([1])]
            let refused = #expect(throws: PluginError.self) { try effect.makeInstance(setup) }
            #expect(refused?.reason == "no instance today" && refused?.operation == "create")
        }
    }

    @Test func libavsLinesAreThoseOfTheCallingThread() throws {
        try TemporaryFolder.with { folder in
            let log = Log()
            let registry = PluginRegistry(searchPaths: [], log: { _, line in log.lines.withLock { $0.append(line) } })
            let path = try PluginFixture.build("libav_log", in: folder)
            let memory = [FrameMemory(.rgba8, 2, 2), FrameMemory(.rgba8, 2, 2)]
            let instance = try registry.load(path: path, effectID: "test.libav_log").instance(.rgba8, 2, 2)
            #expect(
                try instance.process(FrameCall(input: memory[0].frame, output: memory[1].frame)) == .passedThrough)
            // The other thread's, the caller's, nothing the second time, and as much as there is
            // room for.
            #expect(log.lines.withLock { $0 } == ["elsewhere\n", "one\ntwo\n", "", "0123"])
        }
    }

    @Test func framesThatDoNotFitNeverReachThePlugin() throws {
        try TemporaryFolder.with { folder in
            let path = try PluginFixture.build("crash", in: folder)
            let effect = try PluginRegistry(searchPaths: []).load(path: path, effectID: "test.crash")
            #expect(effect.preferredFormat(among: [.yuv420p8, .rgba8]) == .rgba8)
            #expect(effect.preferredFormat(among: [.yuv420p8]) == nil)
            let wrong = #expect(throws: PluginError.self) { try effect.instance(.yuv420p8, 4, 4) }
            #expect(wrong?.code == .unsupportedFormat)
            let instance = try effect.instance(.rgba8, 4, 4)
            let good = FrameMemory(.rgba8, 4, 4)
            var thin = good.frame
            thin.strides = [12]
            for other in [FrameMemory(.rgba8, 4, 5).frame, FrameMemory(.yuv420p8, 4, 4).frame, thin, good.frame] {
                #expect(throws: PluginError.self) { try instance.process(FrameCall(input: good.frame, output: other)) }
            }
        }
    }

    @Test(arguments: [PluginFormat.rgba8, .rgbaFloat, .yuv420p8]) func outputsAreClearedToBlack(format: PluginFormat) {
        let memory = FrameMemory(format, 5, 3)
        memory.frame.clear()
        #expect(memory.paddingIsUntouched)
        switch format {
        case .yuv420p8: #expect(memory.samples == Array(repeating: 16, count: 15) + Array(repeating: 128, count: 12))
        case .rgba8:
            let black: [UInt8] = [0, 0, 0, 255]
            #expect(memory.samples == Array(repeatElement(black, count: 15).joined()))
        default:
            let black: [UInt8] = Array(repeating: 0, count: 12) + [0, 0, 0x80, 0x3f]
            #expect(memory.samples == Array(repeatElement(black, count: 15).joined()))
        }
    }
}
