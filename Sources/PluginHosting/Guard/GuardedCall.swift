import Glibc

/// The frames of calls in guarded memory, in place of those that an effect would get: each ends
/// where a page begins that cannot be touched, has known bytes between its rows and before the
/// first one, and cannot be written where it is an input. An effect that leaves its frames is
/// stopped in the act, or found after the call.
///
/// Made once for an instance; used from one thread.
final class GuardedCall {
    private var output: GuardedFrame?
    /// The frames by input and by place in its window.
    private var inputs: [[GuardedFrame?]] = []

    /// What the effect gets in place of `call`, with the same samples.
    /// - Throws: where there is no memory.
    func lend(_ call: FrameCall) throws(GuardedPlane.NoMemory) -> FrameCall {
        var lent = call
        if let made = call.output {
            lent.output = try Self.frame(&output, made, "the output").take(made, isWritable: true)
        }
        for (number, window) in call.inputs.enumerated() {
            if number == inputs.count { inputs.append(Array(repeating: nil, count: window.frames.count)) }
            for (place, frame) in window.frames.enumerated() {
                guard let frame else { continue }
                if call.isInPlace, number == 0, place == window.before {
                    lent.inputs[number].frames[place] = lent.output
                    continue
                }
                let name =
                    place == window.before ? "input \(number)" : "input \(number) (frame \(place - window.before))"
                lent.inputs[number].frames[place] = try Self.frame(&inputs[number][place], frame, name).take(
                    frame, isWritable: false)
            }
        }
        return lent
    }

    /// The frame that is kept, or a new one for frames like `sample`: blocks of sound are not all
    /// of one length.
    private static func frame(
        _ kept: inout GuardedFrame?, _ sample: PluginFrame, _ name: String
    ) throws(GuardedPlane.NoMemory) -> GuardedFrame {
        if let kept, kept.fits(sample) { return kept }
        let new = try GuardedFrame(sample, name: name)
        kept = new
        return new
    }

    /// Takes what the effect made into the output of `call`.
    /// - Returns: where it wrote that is not its own: half a sentence that begins with “it”; nil
    ///   where it did not.
    func takeBack(_ call: FrameCall) -> String? {
        guard let output, let made = call.output else { return nil }
        if let place = output.brokenCanary {
            // Its bytes are not those any more that the next call would look for.
            self.output = nil
            return "it writes outside of the output: \(place)"
        }
        output.give(made)
        return nil
    }
}

/// One frame in guarded memory.
private final class GuardedFrame {
    private let planes: [GuardedPlane]
    private let sampleCount: Int

    /// - Parameters:
    ///   - frame: one of the format and size; of sound, of the length.
    ///   - name: for messages.
    init(_ frame: PluginFrame, name: String) throws(GuardedPlane.NoMemory) {
        let shapes =
            frame.sound.map { [(rowBytes: 4 * frame.sampleCount, rows: $0.channels)] }
            ?? frame.format.planes(width: frame.width, height: frame.height)
        let hasFloats = frame.sound != nil || frame.format == .rgbaFloat
        var planes: [GuardedPlane] = []
        for (number, shape) in shapes.enumerated() {
            planes.append(
                try GuardedPlane(
                    rowBytes: shape.rowBytes, rows: shape.rows, sample: hasFloats ? 4 : 1, layout: .atEnd,
                    fill: Self.canary, name: shapes.count == 1 ? name : "\(name), plane \(number)",
                    row: frame.sound == nil ? "row" : "channel"))
        }
        sampleCount = frame.sampleCount
        self.planes = planes
    }

    private static let canary: UInt8 = 0xa5

    func fits(_ frame: PluginFrame) -> Bool { frame.sampleCount == sampleCount }

    /// The frame with its samples here.
    func take(_ frame: PluginFrame, isWritable: Bool) -> PluginFrame {
        var guarded = frame
        for (number, plane) in planes.enumerated() {
            if !isWritable { plane.protect(PROT_READ | PROT_WRITE) }
            for row in 0..<plane.rows {
                memcpy(
                    plane.data + row * plane.stride, frame.planes[number] + row * frame.strides[number], plane.rowBytes)
            }
            if !isWritable { plane.protect(PROT_READ) }
            guarded.planes[number] = plane.data
            guarded.strides[number] = plane.stride
        }
        return guarded
    }

    /// Writes the samples into a frame.
    func give(_ frame: PluginFrame) {
        for (number, plane) in planes.enumerated() {
            for row in 0..<plane.rows {
                memcpy(
                    frame.planes[number] + row * frame.strides[number], plane.data + row * plane.stride, plane.rowBytes)
            }
        }
    }

    var brokenCanary: String? { planes.brokenCanary }
}
