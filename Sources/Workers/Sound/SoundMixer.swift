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

    /// The main track through the effect list's filters, layers included, as the output reads it.
    private let main: any SoundStream
    /// The audio clips.
    private let others: any SoundStream
    private let keys: KeySounds
    private let scratch: PlanarBuffer
    /// The drafts that are heard.
    private let drafts: [DraftSounds]
    private let sounds: SpanSounds
    /// The next sample.
    private var position: Int

    /// - Parameter first: the sample with which it begins, where no voice sounds on that began before.
    init(_ job: SoundJob, _ workshop: Workshop, from first: Int = 0) {
        let channels = job.encoding.channels
        let voices = job.voiceSchedules
        let drafts = (job.drafts ?? []).map { DraftSounds($0, workshop) }
        self.drafts = drafts
        let sounds = SpanSounds(job, drafts, workshop, from: first)
        self.sounds = sounds
        position = first
        let named = Set((job.processing.main + job.processing.voices.flatMap(\.filters)).compactMap(\.key).joined())
        func isNamed(_ schedule: VoiceSchedule) -> Bool { schedule.voice.keyNumber.map(named.contains) ?? false }
        let keys = KeySounds(voices.filter(isNamed), channels: channels) { schedule, keys in
            Voice(schedule, keys, job, sounds, workshop)
        }
        func mix(_ heard: [VoiceSchedule]) -> VoiceMix {
            VoiceMix(heard, from: first, channels: channels) { [unowned keys] schedule in
                isNamed(schedule) ? keys.reader(of: schedule) : Voice(schedule, keys, job, sounds, workshop)
            }
        }
        // By how many of the list's filters they come in after.
        let entries = Dictionary(grouping: voices.filter(\.voice.isMain)) { $0.voice.entry ?? 0 }
        var main: any SoundStream = mix(entries[0] ?? [])
        for (number, use) in job.processing.main.enumerated() {
            main = FilterStream(
                main, use, from: first, key: use.key == nil ? nil : keys.key(of: use), job, workshop)
            if let layers = entries[number + 1] { main = SoundSum(main, mix(layers), channels: channels) }
        }
        let shared = SharedSound(main, channels: channels, from: first)
        keys.main = shared
        self.main = shared.stream(from: first)
        self.keys = keys
        others = mix(voices.filter { !$0.voice.isMain })
        scratch = PlanarBuffer(channels: channels, capacity: Self.blockSize)
    }

    /// Gives the decoders back. Call it when done, failure included.
    func close() {
        others.close()
        keys.close()
        sounds.close()
        for draft in drafts { draft.close() }
    }

    /// Mixes the next `count` samples into `output`, which has one buffer for each channel.
    /// - Precondition: `count` is at most ``blockSize``.
    func mix(count: Int, into output: [UnsafeMutablePointer<Float>]) throws {
        // Filters may hear what keys them from here on, and ahead of it.
        keys.forget(before: position)
        position += count
        try main.read(count: count, into: output)
        try others.read(count: count, into: scratch.planes)
        for (target, plane) in zip(output, scratch.planes) { for i in 0..<count { target[i] += plane[i] } }
    }
}

extension SoundJob {
    /// The voices that are heard, in the order of their first sample.
    var voiceSchedules: [VoiceSchedule] {
        var spans: [Int: [ScheduledSpan]] = [:]
        for span in self.spans {
            let samples = span.map.timeline.samples(rate: encoding.sampleRate)
            if !samples.isEmpty { spans[span.voice, default: []].append(ScheduledSpan(samples: samples, span: span)) }
        }
        return spans.map { number, spans in
            VoiceSchedule(number: number, voice: processing.voices[number], spans: spans)
        }.sorted { ($0.samples.lowerBound, $0.number) < ($1.samples.lowerBound, $1.number) }
    }
}
