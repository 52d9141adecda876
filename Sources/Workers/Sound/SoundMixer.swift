import Composition
import Draft
import Foundation
import Media
import Messaging

/// Mixes spans into one stream of planar float samples, block by block. Memory is bounded by the spans that sound
/// together, never by the length of the sound.
///
/// Sample n of the output is at time n/rate exactly; a span's samples are addressed by index in the same way, so nothing
/// drifts however many cuts there are.
final class SoundMixer {
    /// Samples mixed at a time.
    static let blockSize = 4096

    private let rate: Rational
    private let channels: Int
    private let sources: [Source]
    private let workshop: Workshop
    /// In the order of their first sample.
    private var waiting: ArraySlice<ScheduledSpan>
    private var playing: [SpanPlayer] = []
    private let scratch: PlanarBuffer

    private struct ScheduledSpan {
        var first: Int
        var count: Int
        var span: SoundSpan
    }

    init(_ job: SoundJob, _ workshop: Workshop) {
        rate = Rational(Int64(job.encoding.sampleRate))
        channels = job.encoding.channels
        sources = job.sources
        self.workshop = workshop
        let rate = rate
        let scheduled = job.spans.map { span in
            let first = span.map.timeline.start.rounded(rate: rate)
            return ScheduledSpan(first: first, count: span.map.timeline.end.rounded(rate: rate) - first, span: span)
        }
        waiting = scheduled.filter { $0.count > 0 }.sorted { $0.first < $1.first }[...]
        scratch = PlanarBuffer(channels: job.encoding.channels, capacity: Self.blockSize)
    }

    /// Gives the decoders back. Call it when done, failure included.
    func close() {
        for player in playing { player.close() }
        playing.removeAll()
    }

    /// Mixes samples `start ..< start + count` into `output`, which has one buffer for each channel.
    /// - Precondition: calls go up in time; `count` is at most ``blockSize``.
    func mix(start: Int, count: Int, into output: [UnsafeMutablePointer<Float>]) throws {
        for channel in output { channel.update(repeating: 0, count: count) }
        while let next = waiting.first, next.first < start + count {
            waiting.removeFirst()
            playing.append(try SpanPlayer(
                next.span, first: next.first, count: next.count, source: sources[next.span.source], rate: rate,
                channels: channels, workshop))
        }
        for player in playing { try add(player, start: start, count: count, to: output) }
        for player in playing where player.end <= start + count { player.close() }
        playing.removeAll { $0.end <= start + count }
    }

    private func add(_ player: SpanPlayer, start: Int, count: Int, to output: [UnsafeMutablePointer<Float>]) throws {
        let from = max(start, player.first)
        let to = min(start + count, player.end)
        guard from < to else { return }
        try player.read(count: to - from, into: scratch.planes)
        let envelope = GainEnvelope(player.span.gain, rate: rate)
        envelope.forEachStep(from: from, count: to - from) { offset, length, startGain, endGain in
            let slope = (endGain - startGain) / Float(length)
            for channel in 0..<channels {
                let input = scratch.planes[channel] + offset
                let result = output[channel] + (from - start) + offset
                for i in 0..<length { result[i] += input[i] * (startGain + slope * Float(i)) }
            }
        }
    }
}
