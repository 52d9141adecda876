import Glibc
import PluginABI

/// Values with the memory of their texts.
package final class PluginValueStorage {
    package let values: UnsafeMutablePointer<cutroom_value>
    private let count: Int
    private var texts: [UnsafeMutablePointer<CChar>?]

    package init(count: Int) {
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
    package func store(_ new: [ParameterBinding.Value]) {
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
    private let inputCount: Int
    private let windowSize: Int
    private let call = UnsafeMutablePointer<cutroom_call>.allocate(capacity: 1)
    private let inputs: UnsafeMutablePointer<cutroom_input>
    private let inputPointers: UnsafeMutablePointer<UnsafePointer<cutroom_input>?>
    /// The frames of each input's window in turn, then the output's.
    private let frames: UnsafeMutablePointer<cutroom_frame>
    private let framePointers: UnsafeMutablePointer<UnsafePointer<cutroom_frame>?>

    /// - Parameter windowSize: frames of each input.
    init(valueCount: Int, inputCount: Int, windowSize: Int) {
        storage = PluginValueStorage(count: valueCount)
        self.inputCount = inputCount
        self.windowSize = windowSize
        let frameCount = inputCount * windowSize
        inputs = .allocate(capacity: max(1, inputCount))
        inputPointers = .allocate(capacity: max(1, inputCount))
        frames = .allocate(capacity: frameCount + 1)
        framePointers = .allocate(capacity: max(1, frameCount))
        call.initialize(to: cutroom_call())
        inputs.initialize(repeating: cutroom_input(), count: max(1, inputCount))
        inputPointers.initialize(repeating: nil, count: max(1, inputCount))
        frames.initialize(repeating: cutroom_frame(), count: frameCount + 1)
        framePointers.initialize(repeating: nil, count: max(1, frameCount))
    }

    deinit {
        call.deallocate()
        inputs.deallocate()
        inputPointers.deallocate()
        frames.deallocate()
        framePointers.deallocate()
    }

    /// The call in the interface's form, valid until the next fill. Everything is written again,
    /// whatever the plugin did to it.
    /// - Precondition: `frame` has the windows that this memory was made for.
    func fill(
        _ frame: FrameCall, values: [ParameterBinding.Value], handle: UnsafeMutableRawPointer
    ) -> UnsafePointer<cutroom_call> {
        storage.store(values)
        for (number, window) in frame.inputs.enumerated() { fill(input: number, window) }
        let output = frames + inputCount * windowSize
        if let made = frame.output { output.pointee = made.abi }
        var abi = cutroom_call()
        abi.struct_size = UInt32(MemoryLayout<cutroom_call>.size)
        abi.flags = frame.isDiscontinuity ? CUTROOM_CALL_DISCONTINUITY : 0
        abi.input_count = UInt32(inputCount)
        abi.value_count = UInt32(values.count)
        abi.inputs = UnsafePointer(inputPointers)
        abi.output = frame.output == nil ? nil : UnsafePointer(output)
        abi.values = UnsafePointer(storage.values)
        (abi.row_begin, abi.row_end) = (0, Int32((frame.output ?? frame.inputs.first?.current)?.height ?? 0))
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

    private func fill(input number: Int, _ window: FrameWindow) {
        let first = number * windowSize
        for (index, frame) in window.frames.enumerated() {
            if let frame { frames[first + index] = frame.abi }
            framePointers[first + index] = frame == nil ? nil : UnsafePointer(frames + first + index)
        }
        inputs[number] = cutroom_input(
            struct_size: UInt32(MemoryLayout<cutroom_input>.size), before: UInt32(window.before),
            after: UInt32(window.frames.count - window.before - 1), reserved: 0,
            frames: UnsafePointer(framePointers + first))
        inputPointers[number] = UnsafePointer(inputs + number)
    }
}
