import Glibc
import PluginABI

/// The frames that one call is lent: the windows of its inputs, and its output.
struct CheckFrames {
    let output: CheckFrame?
    /// The window of each input; nil past the ends.
    private let windows: [[CheckFrame?]]
    /// Frames in a window before the current one; of sound, where the window is one longer block,
    /// 0.
    private let before: Int
    /// Samples in a window of sound before and after the block.
    private let margins: (before: Int, after: Int)
    private let first: Int
    /// The place on the timeline at which the effect's range begins, in frames or samples.
    private let place: Int
    private let setting: CheckSetting
    /// Frames, or samples, in the effect's range.
    private let total: Int

    init(_ shot: CheckShot, _ instance: CheckSetting, _ subject: CheckSubject) throws {
        var setting = instance
        if let samples = shot.samples { setting.width = samples }
        let table = subject.effect.table
        let (reachBefore, reachAfter) = (Int(table.reach_before), Int(table.reach_after))
        let first = setting.isSound ? shot.number * instance.width : shot.number
        let place = setting.isSound ? shot.place * instance.width : shot.place
        total = setting.isSound ? shot.length * instance.width : shot.length
        before = setting.isSound ? 0 : reachBefore
        margins = setting.isSound ? (reachBefore, reachAfter) : (0, 0)
        let contents = shot.contents ?? subject.contents
        let output =
            subject.kind == .analyser
            ? nil
            : try CheckFrame(
                setting, name: "the output", index: first + place, layout: shot.layout, fill: shot.fill)
        output?.clear()
        func frame(_ input: Int, _ offset: Int) throws -> CheckFrame? {
            let index = setting.isSound ? first - reachBefore : first + offset
            if !setting.isSound, index < 0 || index >= shot.length { return nil }
            if shot.isInPlace, input == 0, offset == 0, let output {
                contents.write(output.planes, setting: setting, input: input, index: index)
                return output
            }
            let frame = try CheckFrame(
                setting, name: "input \(input) (frame \(index))", index: index + place, layout: shot.layout,
                fill: shot.fill,
                margin: setting.isSound ? reachBefore + reachAfter : 0)
            contents.write(frame.planes, setting: setting, input: input, index: index)
            return frame
        }
        windows = try (0..<subject.inputCount).map { input in
            try (setting.isSound ? 0...0 : -reachBefore...reachAfter).map { try frame(input, $0) }
        }
        (self.setting, self.first, self.place, self.output) = (setting, first, place, output)
    }

    /// The call without values and handle.
    func call(_ shot: CheckShot, _ lent: LentStructures) -> cutroom_call {
        let wholeMask = MemoryLayout<UInt64>.size
        var inputs: [UnsafePointer<cutroom_input>?] = []
        for window in windows {
            let pointers = window.map { frame in frame.map { lent.lend($0.abi, lastField: wholeMask) } }
            var input = cutroom_input()
            input.struct_size = UInt32(MemoryLayout<cutroom_input>.size)
            input.before = UInt32(before)
            input.after = UInt32(window.count - 1 - before)
            input.frames = lent.lend(array: pointers)
            inputs.append(lent.lend(input, lastField: nil))
        }
        var call = cutroom_call()
        call.struct_size = UInt32(MemoryLayout<cutroom_call>.size)
        call.input_count = UInt32(inputs.count)
        call.inputs = lent.lend(array: inputs)
        call.output = output.map { lent.lend($0.abi, lastField: wholeMask) }
        (call.row_begin, call.row_end) = (0, setting.isSound ? 0 : Int32(setting.height))
        let rate = Int64(setting.isSound ? CheckSetting.sampleRate : CheckSetting.frameRate)
        call.time = cutroom_rational(num: Int64(first), den: rate)
        call.timeline_time = cutroom_rational(num: Int64(first + place), den: rate)
        call.duration = cutroom_rational(num: Int64(total), den: rate)
        call.progress = min(Double(first) / Double(total), 1.0.nextDown)
        call.index = Int64(first)
        var random = CheckRandom(0x5eed, UInt64(first))
        call.seed = random.next()
        return call
    }

    func protectInputs() {
        for frame in windows.joined() where frame !== output { frame?.protect(PROT_READ) }
    }

    func protectAll(_ protection: Int32) { for frame in all { frame.protect(protection) } }

    var all: [CheckFrame] { windows.joined().compactMap(\.self).filter { $0 !== output } + (output.map { [$0] } ?? []) }

    /// What the call made.
    func samples(passed: Bool) -> [UInt8] {
        guard passed else { return output?.samples ?? [] }
        return windows.first?[before]?.samples(after: margins.before) ?? []
    }

    /// Takes the rows of a slice from the output, which was clear before, into a whole frame.
    /// - Parameter stray: a row outside of the slice that is not clear any more.
    func collect(_ rows: Range<Int>, passed: Bool, into whole: inout [UInt8]?, stray: inout Int?) {
        let made = samples(passed: passed)
        var result = whole ?? Array(repeating: 0, count: made.count)
        var offset = 0
        for (plane, shape) in setting.planes().enumerated() {
            let shift = plane > 0 && setting.format == .yuv420p8 ? 1 : 0
            let range = (rows.lowerBound >> shift)..<((rows.upperBound + shift) >> shift)
            let clear = setting.clearRow(plane: plane, bytes: shape.rowBytes)
            for row in 0..<shape.rows {
                let bytes = offset + row * shape.rowBytes..<offset + (row + 1) * shape.rowBytes
                if range.contains(row) {
                    result.replaceSubrange(bytes, with: made[bytes])
                } else if !passed, stray == nil, !made[bytes].elementsEqual(clear) {
                    stray = row
                }
            }
            offset += shape.rowBytes * shape.rows
        }
        whole = result
    }
}
