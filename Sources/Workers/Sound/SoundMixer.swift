import Composition
import Draft
import Foundation
import Media
import Messaging

/// Mixes a job's voices into one stream of planar float samples. Memory is bounded by the spans that sound together and what
/// filters look at, never by the length of the sound.
///
/// Sample n of the output is at time n/rate exactly; a span's samples are addressed by index in the same way, so nothing
/// drifts however many cuts there are.
final class SoundMixer {
    /// Samples mixed at a time, at most.
    static let blockSize = 4096

    /// The main track through the effect list's filters, and its reader for the output.
    private let shared: SharedSound
    private let main: any SoundStream
    /// The audio clips.
    private let others: any SoundStream
    private let scratch: PlanarBuffer
    /// Samples mixed so far.
    private var position = 0

    init(_ job: SoundJob, _ workshop: Workshop) {
        var spans: [Int: [ScheduledSpan]] = [:]
        for span in job.spans {
            let samples = span.map.timeline.samples(rate: job.encoding.sampleRate)
            if !samples.isEmpty { spans[span.voice, default: []].append(ScheduledSpan(samples: samples, span: span)) }
        }
        /// In the order of their first sample.
        func voices(isMain: Bool) -> [VoiceMix.Waiting] {
            let chosen = spans.filter { job.processing.voices[$0.key].isMain == isMain }
            return chosen.map { number, spans in
                VoiceMix.Waiting(number: number, spans: spans)
            }.sorted { ($0.spans[0].samples.lowerBound, $0.number) < ($1.spans[0].samples.lowerBound, $1.number) }
        }
        var main: any SoundStream = VoiceMix(voices(isMain: true), job, workshop)
        for use in job.processing.main { main = FilterStream(main, use, from: 0, job, workshop) }
        shared = SharedSound(main, channels: job.encoding.channels)
        self.main = shared.stream(from: 0)
        others = VoiceMix(voices(isMain: false), key: shared, job, workshop)
        scratch = PlanarBuffer(channels: job.encoding.channels, capacity: Self.blockSize)
    }

    /// Gives the decoders back. Call it when done, failure included.
    func close() {
        shared.close()
        others.close()
    }

    /// Mixes the next `count` samples into `output`, which has one buffer for each channel.
    /// - Precondition: `count` is at most ``blockSize``.
    func mix(count: Int, into output: [UnsafeMutablePointer<Float>]) throws {
        // Filters of the audio clips may hear the main track from here on, and ahead of it.
        shared.forget(before: position)
        position += count
        try main.read(count: count, into: output)
        try others.read(count: count, into: scratch.planes)
        for (target, plane) in zip(output, scratch.planes) { for i in 0..<count { target[i] += plane[i] } }
    }
}

/// The sum of some voices.
private final class VoiceMix: SoundStream {
    struct Waiting {
        /// The voice's number in the job.
        var number: Int
        /// In the order of time; not empty.
        var spans: [ScheduledSpan]
    }

    private let job: SoundJob
    private let workshop: Workshop
    private let key: SharedSound?
    private var waiting: ArraySlice<Waiting>
    private var playing: [Voice] = []
    private let scratch: PlanarBuffer
    private var position = 0

    /// - Parameters:
    ///   - voices: in the order of their first sample.
    ///   - key: what their filters may be keyed by.
    init(_ voices: [Waiting], key: SharedSound? = nil, _ job: SoundJob, _ workshop: Workshop) {
        waiting = voices[...]
        self.key = key
        (self.job, self.workshop) = (job, workshop)
        scratch = PlanarBuffer(channels: job.encoding.channels, capacity: SoundMixer.blockSize)
    }

    func close() {
        for voice in playing { voice.close() }
        playing.removeAll()
    }

    func read(count: Int, into planes: [UnsafeMutablePointer<Float>]) throws {
        var done = 0
        while done < count {
            let part = min(count - done, scratch.capacity)
            try add(position..<position + part, to: planes.map { $0 + done })
            position += part
            done += part
        }
    }

    private func add(_ range: Range<Int>, to output: [UnsafeMutablePointer<Float>]) throws {
        for channel in output { channel.update(repeating: 0, count: range.count) }
        while let next = waiting.first, next.spans[0].samples.lowerBound < range.upperBound {
            waiting.removeFirst()
            playing.append(Voice(next.spans, job.processing.voices[next.number], key: key, job, workshop))
        }
        for voice in playing { try voice.add(to: output, range, through: scratch) }
        for voice in playing where voice.samples.upperBound <= range.upperBound { voice.close() }
        playing.removeAll { $0.samples.upperBound <= range.upperBound }
    }
}
