import Composition
import Draft

/// A span's gain over output time: volume × fades × crossfades, and what its pan does with the
/// channels. Evaluated every 32 samples (0.7 ms at 48 kHz) and linear in between, so that a step of
/// the volume makes no click.
struct GainEnvelope {
    private static let step = 32
    private let gain: SoundSpan.Gain
    private let rate: Rational
    private let isFlat: Bool

    init(_ gain: SoundSpan.Gain, rate: Rational) {
        self.gain = gain
        self.rate = rate
        isFlat =
            gain.sound.volume.isConstant && gain.sound.pan?.isConstant != false && gain.sound.fadeIn == .zero
            && gain.sound.fadeOut == .zero
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
            guard gain.sound.pan != nil, output.count > 1 else {
                for (source, target) in zip(input, output) {
                    Self.add(source + offset, to: target + offset, length, startGain, endGain)
                }
                return
            }
            let (start, end) = (routes(from + offset, output.count), routes(from + offset + length, output.count))
            for (first, last) in zip(start, end) {
                Self.add(
                    input[first.from] + offset, to: output[first.to] + offset, length, startGain * first.gain,
                    endGain * last.gain)
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

    /// How much of a channel of the span goes into one of the output.
    private struct Route {
        var from: Int
        var to: Int
        var gain: Float
    }

    /// Returns the routes of a panned span at an output sample, in the same order for every sample.
    ///
    /// The left side has √2·cos θ and the right side √2·sin θ, with θ from 0 to a quarter of a
    /// turn: the sine-cosine law of the W3C's *Web Audio API* (StereoPannerNode), scaled to 0 dB in
    /// the middle. The power stays the same for a sound that is alike on both sides, and for two
    /// sides of equal power. The centre of 5.1 moves to the front of one side by the same law.
    private func routes(_ sample: Int, _ channels: Int) -> [Route] {
        let wish = gain.sound.pan?.scalar(at: gain.clock.content(at: Time(frame: sample, rate: rate))) ?? 0
        let place = wish.isNaN ? 0 : min(1, max(-1, wish))
        let root = 2.0.squareRoot()
        let left = Float(root * PortableMath.cosPi((place + 1) / 4))
        let right = Float(root * PortableMath.sinPi((place + 1) / 4))
        let front = [Route(from: 0, to: 0, gain: left), Route(from: 1, to: 1, gain: right)]
        guard channels == 6 else { return front }
        // Left, right, centre, low frequencies, left and right behind.
        let away = Float(PortableMath.sinPi(abs(place) / 2))
        return front + [
            Route(from: 2, to: 2, gain: Float(PortableMath.cosPi(abs(place) / 2))),
            Route(from: 2, to: 0, gain: place < 0 ? away : 0), Route(from: 2, to: 1, gain: place > 0 ? away : 0),
            Route(from: 3, to: 3, gain: 1), Route(from: 4, to: 4, gain: left), Route(from: 5, to: 5, gain: right),
        ]
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
