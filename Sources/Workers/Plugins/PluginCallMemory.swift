import Draft
import Glibc
import PluginABI

/// Values with the memory of their texts.
final class PluginValueStorage {
    let values: UnsafeMutablePointer<cutroom_value>
    private let count: Int
    private var texts: [UnsafeMutablePointer<CChar>?]

    init(count: Int) {
        self.count = count
        values = .allocate(capacity: max(count, 1))
        values.initialize(repeating: cutroom_value(), count: max(count, 1))
        texts = Array(repeating: nil, count: count)
    }

    deinit {
        for text in texts { free(text) }
        values.deallocate()
    }

    /// - Parameter new: `count` values in the parameters' order.
    func store(_ new: [ParameterBinding.Value]) {
        for (index, value) in new.prefix(count).enumerated() {
            switch value {
            case .numbers(let n):
                values[index].n = (n.x, n.y, n.z, n.w)
            case .text(let text):
                free(texts[index])
                texts[index] = strdup(text)
                values[index].text = UnsafePointer(texts[index])
            }
        }
    }
}

/// The structures that a call lends to a plugin, made once for an instance.
final class PluginCallMemory {
    private let storage: PluginValueStorage
    private let call = UnsafeMutablePointer<cutroom_call>.allocate(capacity: 1)
    private let input = UnsafeMutablePointer<cutroom_input>.allocate(capacity: 1)
    private let inputs = UnsafeMutablePointer<UnsafePointer<cutroom_input>?>.allocate(capacity: 1)
    /// The input's, then the output's.
    private let frames = UnsafeMutablePointer<cutroom_frame>.allocate(capacity: 2)
    private let window = UnsafeMutablePointer<UnsafePointer<cutroom_frame>?>.allocate(capacity: 1)

    init(valueCount: Int) {
        storage = PluginValueStorage(count: valueCount)
        call.initialize(to: cutroom_call())
        input.initialize(to: cutroom_input())
        inputs.initialize(to: UnsafePointer(input))
        frames.initialize(repeating: cutroom_frame(), count: 2)
        window.initialize(to: UnsafePointer(frames))
    }

    deinit {
        call.deallocate()
        input.deallocate()
        inputs.deallocate()
        frames.deallocate()
        window.deallocate()
    }

    /// The call in the interface's form, valid until the next fill. Everything is written again, whatever the plugin did to
    /// it.
    func fill(
        _ frame: FrameCall, values: [ParameterBinding.Value], handle: UnsafeMutableRawPointer
    ) -> UnsafePointer<cutroom_call> {
        storage.store(values)
        frames[0] = frame.input.abi
        frames[1] = frame.output.abi
        window.pointee = UnsafePointer(frames)
        input.pointee = cutroom_input(
            struct_size: UInt32(MemoryLayout<cutroom_input>.size), before: 0, after: 0, reserved: 0,
            frames: UnsafePointer(window))
        inputs.pointee = UnsafePointer(input)
        var abi = cutroom_call()
        abi.struct_size = UInt32(MemoryLayout<cutroom_call>.size)
        abi.flags = frame.isDiscontinuity ? CUTROOM_CALL_DISCONTINUITY : 0
        abi.input_count = 1
        abi.value_count = UInt32(values.count)
        abi.inputs = UnsafePointer(inputs)
        abi.output = UnsafePointer(frames + 1)
        abi.values = UnsafePointer(storage.values)
        (abi.row_begin, abi.row_end) = (0, Int32(frame.output.height))
        abi.time = frame.time.abi
        abi.timeline_time = frame.timelineTime.abi
        abi.duration = frame.duration.abi
        abi.progress = frame.progress
        abi.index = Int64(frame.index)
        abi.seed = frame.seed
        abi.handle = handle
        call.pointee = abi
        return UnsafePointer(call)
    }
}

extension FrameCall {
    /// Where the frame lies in the effect's range: 0 ≤ progress < 1, and 0 where the length is not known.
    var progress: Double {
        guard duration > .zero else { return 0 }
        return min(max(Double(time.flicks) / Double(duration.flicks), 0), 1.0.nextDown)
    }
}
