import Composition
import Draft
import Media

/// A voice's spans one after another, each at its own speed, without gain; silence elsewhere.
private final class SpanStream: SoundStream {
    private var waiting: ArraySlice<ScheduledSpan>
    private var playing: SpanPlayer?
    private let job: SoundJob
    private let drafts: [DraftSounds]
    private let workshop: Workshop
    private var position: Int

    init(
        _ spans: [ScheduledSpan], from first: Int, _ job: SoundJob, _ drafts: [DraftSounds], _ workshop: Workshop
    ) {
        waiting = spans[...]
        position = first
        (self.job, self.drafts, self.workshop) = (job, drafts, workshop)
    }

    func close() {
        playing?.close()
        playing = nil
    }

    func read(count: Int, into planes: [UnsafeMutablePointer<Float>]) throws {
        var done = 0
        while done < count {
            let player = try current()
            let begin = player?.first ?? waiting.first?.samples.lowerBound ?? .max
            let targets = planes.map { $0 + done }
            let part: Int
            if let player, position >= begin {
                part = min(count - done, player.end - position)
                try player.read(count: part, into: targets)
            } else {
                part = min(count - done, begin - position)
                for target in targets { target.update(repeating: 0, count: part) }
            }
            position += part
            done += part
        }
        if let playing, playing.end <= position { close() }
    }

    /// The span that is heard at the position.
    private func current() throws -> SpanPlayer? {
        if let playing, playing.end <= position { close() }
        if playing == nil, let next = waiting.first, next.samples.lowerBound <= position {
            waiting.removeFirst()
            let file = job.files[next.span.file]
            playing = try SpanPlayer(
                next.span, first: next.samples.lowerBound, count: next.samples.count, of: file,
                file.draft.map { drafts[$0] },
                rate: Rational(Int64(job.encoding.sampleRate)), channels: job.encoding.channels, workshop)
        }
        return playing
    }
}

struct ScheduledSpan {
    /// Never empty.
    var samples: Range<Int>
    var span: SoundSpan
}

/// A voice of a job, and when it sounds.
struct VoiceSchedule {
    /// The voice's number in the job.
    var number: Int
    var voice: SoundVoice
    /// In the order of time; not empty.
    var spans: [ScheduledSpan]

    var samples: Range<Int> { spans[0].samples.lowerBound..<spans[spans.count - 1].samples.upperBound }
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
    ///   - drafts: those that the job's files name.
    init(
        _ schedule: VoiceSchedule, _ keys: KeySounds, _ job: SoundJob, _ drafts: [DraftSounds], _ workshop: Workshop
    ) {
        spans = schedule.spans
        samples = schedule.samples
        rate = Rational(Int64(job.encoding.sampleRate))
        var stream: any SoundStream = SpanStream(spans, from: samples.lowerBound, job, drafts, workshop)
        for use in schedule.voice.filters {
            // What is a part of the main track's mix is not keyed by it.
            let key = use.key == nil && schedule.voice.isMain ? nil : keys.key(of: use)
            stream = FilterStream(stream, use, from: samples.lowerBound, key: key, job, workshop)
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
            let envelope = GainEnvelope(span.span.gain, rate: rate)
            envelope.forEachStep(from: part.lowerBound, count: part.count) { offset, length, startGain, endGain in
                let slope = (endGain - startGain) / Float(length)
                for (channel, target) in output.enumerated() {
                    let input = scratch.planes[channel] + (part.lowerBound - heard.lowerBound) + offset
                    let result = target + (part.lowerBound - range.lowerBound) + offset
                    for i in 0..<length { result[i] += input[i] * (startGain + slope * Float(i)) }
                }
            }
        }
    }
}
