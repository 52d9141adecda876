import Composition
import Draft
import Values

/// A voice's spans one after another, each at its own speed, without gain; silence elsewhere.
private final class SpanStream: SoundStream {
    private var waiting: ArraySlice<ScheduledSpan>
    private var playing: (samples: Range<Int>, stream: any SoundStream)?
    private let sounds: SpanSounds
    private var position: Int

    init(_ spans: [ScheduledSpan], from first: Int, _ sounds: SpanSounds) {
        waiting = spans[...]
        position = first
        self.sounds = sounds
    }

    func close() {
        playing?.stream.close()
        playing = nil
    }

    func read(count: Int, into planes: [UnsafeMutablePointer<Float>]) throws {
        var done = 0
        while done < count {
            let current = try current()
            let begin = current?.samples.lowerBound ?? waiting.first?.samples.lowerBound ?? .max
            let targets = planes.map { $0 + done }
            let part: Int
            if let current, position >= begin {
                part = min(count - done, current.samples.upperBound - position)
                try current.stream.read(count: part, into: targets)
            } else {
                part = min(count - done, begin - position)
                for target in targets { target.update(repeating: 0, count: part) }
            }
            position += part
            done += part
        }
        if let playing, playing.samples.upperBound <= position { close() }
    }

    /// Returns the span that is heard at the position.
    private func current() throws -> (samples: Range<Int>, stream: any SoundStream)? {
        if let playing, playing.samples.upperBound <= position { close() }
        if playing == nil, let next = waiting.first, next.samples.lowerBound <= position {
            waiting.removeFirst()
            playing = (next.samples, try sounds.stream(of: next))
        }
        return playing
    }
}

/// A clip's sound: its spans through its filters, each span with its gain. Read once.
final class Voice: Sounding {
    let samples: Range<Int>
    private let spans: [ScheduledSpan]
    private let stream: any SoundStream
    private let rate: Rational
    /// The first span that is not over.
    private var current = 0

    /// - Parameters:
    ///   - keys: what its filters may be keyed by.
    ///   - sounds: makes the samples of its spans.
    init(
        _ schedule: VoiceSchedule, _ keys: KeySounds, _ mix: SoundMix, _ sounds: SpanSounds,
        _ supplies: any SoundSupplies
    ) {
        spans = schedule.spans
        samples = schedule.samples
        rate = Rational(Int64(mix.sampleRate))
        var stream: any SoundStream = SpanStream(spans, from: samples.lowerBound, sounds)
        for use in schedule.voice.filters {
            // What is a part of the main track's mix is not keyed by it.
            let key = use.key == nil && schedule.voice.isMain ? nil : keys.key(of: use)
            stream = FilterStream(stream, use, from: samples.lowerBound, key: key, mix, supplies)
        }
        self.stream = stream
    }

    func close() { stream.close() }

    func add(to output: [UnsafeMutablePointer<Float>], _ range: Range<Int>, through scratch: PlanarBuffer) throws {
        let heard = range.clamped(to: samples)
        guard !heard.isEmpty else { return }
        try stream.read(count: heard.count, into: scratch.planes)
        while spans[current].samples.upperBound <= heard.lowerBound { current += 1 }
        for span in spans[current...] {
            guard span.samples.lowerBound < heard.upperBound else { break }
            let part = heard.clamped(to: span.samples)
            GainEnvelope(span.span.gain, of: span.samples, rate: rate).add(
                scratch.planes.map { $0 + (part.lowerBound - heard.lowerBound) },
                to: output.map { $0 + (part.lowerBound - range.lowerBound) }, part)
        }
    }
}
