import Composition
import Draft

/// A span's gain over output time: volume × fades × crossfades. Evaluated every 32 samples (0.7 ms at 48 kHz) and linear in
/// between, so that a step of the volume makes no click.
struct GainEnvelope {
    private static let step = 32
    private let gain: SoundSpan.Gain
    private let rate: Rational
    private let isFlat: Bool

    init(_ gain: SoundSpan.Gain, rate: Rational) {
        self.gain = gain
        self.rate = rate
        isFlat =
            gain.sound.volume.isConstant && gain.sound.fadeIn == .zero && gain.sound.fadeOut == .zero
            && gain.crossfades.isEmpty && gain.edges == nil
    }

    /// How long sound takes to come or go where it breaks off: 3 ms, too short for an ear to hear it come, too long to click.
    private static let edge = Time(flicks: 3 * Time.flicksPerSecond / 1000)

    /// Adds a span's samples, times the gain.
    /// - Parameters:
    ///   - input: a plane for each channel of the output.
    ///   - from: the output sample that the planes of `input` and `output` begin with.
    func add(
        _ input: [UnsafeMutablePointer<Float>], to output: [UnsafeMutablePointer<Float>], from: Int, count: Int
    ) {
        forEachStep(from: from, count: count) { offset, length, startGain, endGain in
            for (source, target) in zip(input, output) {
                Self.add(source + offset, to: target + offset, length, startGain, endGain)
            }
        }
    }

    private static func add(
        _ source: UnsafeMutablePointer<Float>, to target: UnsafeMutablePointer<Float>, _ count: Int, _ start: Float,
        _ end: Float
    ) {
        let slope = (end - start) / Float(count)
        for i in 0..<count { target[i] += source[i] * (start + slope * Float(i)) }
    }

    /// Calls `body` with (offset, length, gain at its start, gain at its end) for steps that cover `count` samples from
    /// output sample `from` on.
    private func forEachStep(from: Int, count: Int, _ body: (Int, Int, Float, Float) -> Void) {
        if isFlat {
            let value = Float(gain.sound.volume.scalar(at: .zero))
            body(0, count, value, value)
            return
        }
        var offset = 0
        var current = value(atSample: from)
        while offset < count {
            // Steps lie on a grid of the output, so that the blocks' size does not change a sample.
            let length = min(Self.step - (from + offset) % Self.step, count - offset)
            let next = value(atSample: from + offset + length)
            body(offset, length, current, next)
            current = next
            offset += length
        }
    }

    private func value(atSample index: Int) -> Float { Float(value(at: Time(frame: index, rate: rate))) }

    /// The factor at output time `time`.
    func value(at time: Time) -> Double {
        let local = gain.clock.content(at: time)
        let sound = gain.sound
        var value = sound.volume.scalar(at: local)
        if sound.fadeIn > .zero { value *= fraction(local + (gain.lead ?? .zero), sound.fadeIn) }
        if sound.fadeOut > .zero { value *= fraction(gain.length + (gain.tail ?? .zero) - local, sound.fadeOut) }
        if let start = gain.edges?.start { value *= fraction(time - start, Self.edge) }
        if let end = gain.edges?.end { value *= fraction(end - time, Self.edge) }
        for fade in gain.crossfades where fade.clock.timeline.contains(time) || fade.clock.timeline.end == time {
            // Equal power: sin² + cos² = 1.
            let quarter = fraction(fade.clock.content(at: time), fade.duration) / 2
            value *= fade.rises ? PortableMath.sinPi(quarter) : PortableMath.cosPi(quarter)
        }
        return value
    }

    private func fraction(_ part: Time, _ whole: Time) -> Double {
        min(1, max(0, Double(part.flicks) / Double(whole.flicks)))
    }
}
