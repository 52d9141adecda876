import Glibc
import PluginABI
import TestSupport
import Testing

@testable import PluginHosting

/// What the effects declare, tried through the bare interface: slices of rows, made in any order,
/// are the whole picture.
@Suite struct EffectSliceTests {
    @Test(arguments: EffectLab.names + EffectLab.transitions + ["chroma-key"], [PluginFormat.yuv420p8, .rgba8])
    func slicesAreTheWhole(name: String, format: PluginFormat) throws {
        let effect = try EffectLab.effect(name).effect.original
        try #require(effect.pointee.capabilities & CUTROOM_CAN_ROW_SLICES != 0)
        for (width, height) in [(61, 47), (33, 2), (2, 90)] {
            let input = EffectLab.picture(format, width, height)
            // Its defaults leave the picture as it is.
            let bare = BareInstance(effect, format, width, height, name == "transform" ? ["angle": 11] : [:])
            let whole = FrameMemory(format, width, height)
            let status = bare.process(input, whole, 0..<height)
            try #require(status == CUTROOM_OK)
            let parts = FrameMemory(format, width, height)
            for first in stride(from: 0, to: height, by: 6).reversed() {
                #expect(bare.process(input, parts, first..<min(first + 6, height)) == CUTROOM_OK)
            }
            #expect(parts.samples == whole.samples && parts.paddingIsUntouched)
        }
    }
}

/// An instance without Cutroom's host of plugins in between. Values are those of the descriptor;
/// the time is 0.05 s, when all effects act, and transitions are a third through.
private final class BareInstance {
    private let effect: UnsafePointer<cutroom_effect>
    private let host = UnsafeMutablePointer<cutroom_host>.allocate(capacity: 1)
    private let values: UnsafeMutablePointer<cutroom_value>
    private var instance: UnsafeMutableRawPointer?

    init(
        _ effect: UnsafePointer<cutroom_effect>, _ format: PluginFormat, _ width: Int, _ height: Int,
        _ changed: [String: Double] = [:]
    ) {
        self.effect = effect
        var functions = cutroom_host()
        functions.struct_size = UInt32(MemoryLayout<cutroom_host>.size)
        functions.alloc = { _, size, alignment in
            aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
        }
        functions.release = { _, memory in free(memory) }
        host.initialize(to: functions)
        let count = Int(effect.pointee.param_count)
        values = .allocate(capacity: count)
        for index in 0..<count {
            let parameter = effect.pointee.params[index]
            values[index] = cutroom_value(n: parameter.initial, text: parameter.initial_text)
            if let number = changed[String(cString: parameter.id)] { values[index].n.0 = number }
        }
        var setup = cutroom_setup()
        setup.struct_size = UInt32(MemoryLayout<cutroom_setup>.size)
        (setup.format, setup.width, setup.height) = (format.rawValue, Int32(width), Int32(height))
        (setup.matrix, setup.full_range) = format == .rgba8 ? (0, 1) : (1, 0)
        (setup.value_count, setup.values) = (UInt32(count), UnsafePointer(values))
        #expect(effect.pointee.create(effect, host, &setup, &instance) == CUTROOM_OK)
    }

    deinit {
        effect.pointee.destroy(instance)
        values.deallocate()
        host.deallocate()
    }

    func process(_ input: FrameMemory, _ output: FrameMemory, _ rows: Range<Int>) -> cutroom_status {
        var (lent, target) = (input.frame.abi, output.frame.abi)
        var call = cutroom_call()
        call.struct_size = UInt32(MemoryLayout<cutroom_call>.size)
        (call.input_count, call.value_count) = (
            effect.pointee.kind == CUTROOM_KIND_TRANSITION ? 2 : 1, effect.pointee.param_count
        )
        (call.duration, call.progress) = (cutroom_rational(num: 3, den: 20), 1.0 / 3)
        call.values = UnsafePointer(values)
        (call.row_begin, call.row_end) = (Int32(rows.lowerBound), Int32(rows.upperBound))
        call.time = cutroom_rational(num: 1, den: 20)
        return withUnsafePointer(to: &lent) { lent in
            withUnsafePointer(to: &target) { target in
                var window: UnsafePointer<cutroom_frame>? = lent
                return withUnsafePointer(to: &window) { window in
                    var input = cutroom_input(
                        struct_size: UInt32(MemoryLayout<cutroom_input>.size), before: 0, after: 0, reserved: 0,
                        frames: window)
                    return withUnsafePointer(to: &input) { input in
                        // A transition's two are one.
                        let inputs: [UnsafePointer<cutroom_input>?] = [input, input]
                        return inputs.withUnsafeBufferPointer { inputs in
                            call.inputs = inputs.baseAddress
                            call.output = target
                            return effect.pointee.process(instance, &call)
                        }
                    }
                }
            }
        }
    }
}
