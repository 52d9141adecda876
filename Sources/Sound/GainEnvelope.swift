import Composition
import Values

/// A span's gain over output time: volume × fades × crossfades, and what its pan does with the
/// channels. Evaluated every 32 samples (0.7 ms at 48 kHz) and linear in between, so that a step of
/// the volume makes no click.
struct GainEnvelope {
    private let gain: SoundSpan.Gain
    /// The span's samples.
    private let extent: Range<Int>
    private let rate: Rational

    init(_ gain: SoundSpan.Gain, of extent: Range<Int>, rate: Rational) {
        (self.gain, self.extent, self.rate) = (gain, extent, rate)
    }

    /// A straight line of gains.
    struct Step {
        var samples: Range<Int>
        /// The sample at which the line begins, at or before the first one.
        var origin: Int
        /// Samples of the line, more than 0.
        var length: Int
        var start: Float
        /// Per sample.
        var slope: Float

        /// Adds the step's samples of one plane to another, times the gain.
        func add(_ source: UnsafeMutablePointer<Float>, to target: UnsafeMutablePointer<Float>) {
            let offset = samples.lowerBound - origin
            for i in 0..<samples.count { target[i] += source[i] * (start + slope * Float(offset + i)) }
        }
    }

    /// Adds a span's samples, times the gain.
    /// - Parameters:
    ///   - input: a plane for each channel of the output.
    ///   - part: the output samples that the planes of `input` and `output` hold; they lie within
    ///     the span.
    func add(_ input: [UnsafeMutablePointer<Float>], to output: [UnsafeMutablePointer<Float>], _ part: Range<Int>) {
        forEachStep(in: part) { step in
            let offset = step.samples.lowerBound - part.lowerBound
            guard gain.sound.pan != nil, output.count > 1 else {
                for (source, target) in zip(input, output) { step.add(source + offset, to: target + offset) }
                return
            }
            let end = step.origin + step.length
            for (first, last) in zip(routes(step.origin, output.count), routes(end, output.count)) {
                var route = step
                let (from, to) = (step.start * first.gain, (step.start + step.slope * Float(step.length)) * last.gain)
                (route.start, route.slope) = (from, (to - from) / Float(step.length))
                route.add(input[first.from] + offset, to: output[first.to] + offset)
            }
        }
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

    /// Calls `body` for the steps that make up `part`, which lies within the span. Lines go from
    /// one point of a grid to the next, so that no gain depends on where a part begins and ends.
    private func forEachStep(in part: Range<Int>, _ body: (Step) -> Void) {
        if gain.isFlat {
            let value = Float(gain.sound.volume.scalar(at: .zero))
            body(Step(samples: part, origin: part.lowerBound, length: part.count, start: value, slope: 0))
            return
        }
        var first = part.lowerBound
        var known: (sample: Int, value: Float)?
        while first < part.upperBound {
            let point = first / SoundMix.gainGrid * SoundMix.gainGrid
            let line = (point..<point + SoundMix.gainGrid).clamped(to: extent)
            let start =
                known.flatMap { $0.sample == line.lowerBound ? $0.value : nil } ?? value(atSample: line.lowerBound)
            let end = value(atSample: line.upperBound)
            known = (line.upperBound, end)
            let samples = first..<min(line.upperBound, part.upperBound)
            body(
                Step(
                    samples: samples, origin: line.lowerBound, length: line.count, start: start,
                    slope: (end - start) / Float(line.count)))
            first = samples.upperBound
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
        if let start = gain.edges?.start { value *= fraction(time - start, SoundSpan.SoftEdges.length) }
        if let end = gain.edges?.end { value *= fraction(end - time, SoundSpan.SoftEdges.length) }
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
