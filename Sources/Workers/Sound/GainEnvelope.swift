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
            gain.volume.isConstant && gain.fadeIn == .zero && gain.fadeOut == .zero && gain.crossfades.isEmpty
            && gain.edges == nil
    }

    /// How long sound takes to come or go where it breaks off: 3 ms, too short for an ear to hear it come, too long to click.
    private static let edge = Time(flicks: 3 * Time.flicksPerSecond / 1000)

    /// Calls `body` with (offset, length, gain at its start, gain at its end) for steps that cover `count` samples from
    /// output sample `from` on.
    func forEachStep(from: Int, count: Int, _ body: (Int, Int, Float, Float) -> Void) {
        if isFlat {
            let value = Float(gain.volume.scalar(at: .zero))
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
        var value = gain.volume.scalar(at: local)
        if gain.fadeIn > .zero { value *= fraction(local + (gain.lead ?? .zero), gain.fadeIn) }
        if gain.fadeOut > .zero { value *= fraction(gain.length + (gain.tail ?? .zero) - local, gain.fadeOut) }
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
