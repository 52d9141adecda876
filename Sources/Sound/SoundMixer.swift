import Composition
import Draft

/// Makes a mix: one stream of planar float samples. Memory is bounded by the spans that sound
/// together and what filters look at, never by the length of the sound.
///
/// Sample n of the output is at time n/rate exactly; a span's samples are addressed by index in the
/// same way, so nothing drifts however many cuts there are.
package final class SoundMixer {
    /// Samples mixed at a time, at most.
    package static let blockSize = 4096

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

    /// - Parameter first: the sample with which it begins, where no voice sounds on that began
    ///   before.
    package init(_ mix: SoundMix, _ supplies: any SoundSupplies, from first: Int) {
        let channels = mix.channels
        let voices = mix.voiceSchedules
        let drafts = (mix.drafts ?? []).map { DraftSounds($0, supplies) }
        self.drafts = drafts
        let sounds = SpanSounds(mix, drafts, supplies, from: first)
        self.sounds = sounds
        position = first
        let named = Set((mix.processing.main + mix.processing.voices.flatMap(\.filters)).compactMap(\.key).joined())
        func isNamed(_ schedule: VoiceSchedule) -> Bool { schedule.voice.keyNumber.map(named.contains) ?? false }
        let keys = KeySounds(voices.filter(isNamed), channels: channels) { schedule, keys in
            Voice(schedule, keys, mix, sounds, supplies)
        }
        func sum(_ heard: [VoiceSchedule]) -> VoiceMix {
            VoiceMix(heard, from: first, channels: channels) { [unowned keys] schedule in
                isNamed(schedule) ? keys.reader(of: schedule) : Voice(schedule, keys, mix, sounds, supplies)
            }
        }
        // By how many of the list's filters they come in after.
        let entries = Dictionary(grouping: voices.filter(\.voice.isMain)) { $0.voice.entry ?? 0 }
        var main: any SoundStream = sum(entries[0] ?? [])
        for (number, use) in mix.processing.main.enumerated() {
            if !use.stretches.isEmpty {
                main = FilterStream(
                    main, use, from: first, key: use.key == nil ? nil : keys.key(of: use), mix, supplies)
            }
            if let layers = entries[number + 1] { main = SoundSum(main, sum(layers), channels: channels) }
        }
        let shared = SharedSound(main, channels: channels, from: first)
        keys.main = shared
        self.main = shared.stream(from: first)
        self.keys = keys
        others = sum(voices.filter { !$0.voice.isMain })
        scratch = PlanarBuffer(channels: channels, capacity: Self.blockSize)
    }

    /// Gives the decoders back. Call it when done, failure included.
    package func close() {
        others.close()
        keys.close()
        sounds.close()
        for draft in drafts { draft.close() }
    }

    /// Mixes the next `count` samples into `output`, which has one buffer for each channel.
    /// - Precondition: `count` is at most ``blockSize``.
    package func mix(count: Int, into output: [UnsafeMutablePointer<Float>]) throws {
        // Filters may hear what keys them from here on, and ahead of it.
        keys.forget(before: position)
        position += count
        try main.read(count: count, into: output)
        try others.read(count: count, into: scratch.planes)
        for (target, plane) in zip(output, scratch.planes) { for i in 0..<count { target[i] += plane[i] } }
    }
}
