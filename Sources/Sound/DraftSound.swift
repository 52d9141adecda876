import Composition
import Draft
import Media

/// Samples of a source, any of which may be asked for.
protocol SampleSource: AnyObject {
    /// Fills `planes` with `count` samples from `start` on; outside the source is silence. Rising
    /// ranges cost least.
    func read(from start: Int, count: Int, into planes: [UnsafeMutablePointer<Float>]) throws(MediaError)
}

extension AudioReader: SampleSource {}

/// The sound of a draft that another one gives to hear: a mix of its own, at the rate and with the
/// channels of the other's.
///
/// A mix goes forwards only. Where earlier samples are asked for it begins anew, as near before
/// them as what sounds there allows.
final class DraftSound: SampleSource {
    private let mix: SoundMix
    private let supplies: any SoundSupplies
    private var mixer: SoundMixer?
    /// The next sample that the mixer makes.
    private(set) var position = 0
    /// Why the last read failed.
    private(set) var failure: (any Error)?

    init(_ mix: SoundMix, _ supplies: any SoundSupplies) { (self.mix, self.supplies) = (mix, supplies) }

    func close() {
        mixer?.close()
        mixer = nil
    }

    func read(from start: Int, count: Int, into planes: [UnsafeMutablePointer<Float>]) throws(MediaError) {
        for plane in planes { plane.update(repeating: 0, count: count) }
        let wanted = (start..<start + count).clamped(to: mix.samples)
        guard !wanted.isEmpty else { return }
        do {
            try make(wanted, into: planes.map { $0 + (wanted.lowerBound - start) })
        } catch {
            // What reads samples knows a reader's errors only; who asked it asks here.
            failure = error
            throw .failed("mix the sound of a draft")
        }
    }

    private func make(_ wanted: Range<Int>, into planes: [UnsafeMutablePointer<Float>]) throws {
        let ahead = wanted.lowerBound - position
        if mixer == nil || ahead < 0 || ahead > mix.sampleRate {
            let first = mix.firstSample(toHear: wanted.lowerBound)
            if mixer == nil || ahead < 0 || first > position {
                close()
                position = first
            }
        }
        let mixer = mixer ?? SoundMixer(mix, supplies, from: position)
        self.mixer = mixer
        while position < wanted.lowerBound {
            let count = min(SoundMixer.blockSize, wanted.lowerBound - position)
            try mixer.mix(count: count, into: skipped.planes)
            position += count
            try supplies.pulse(advances: true)
        }
        while position < wanted.upperBound {
            let count = min(SoundMixer.blockSize, wanted.upperBound - position)
            try mixer.mix(count: count, into: planes.map { $0 + (position - wanted.lowerBound) })
            position += count
        }
    }

    private lazy var skipped = PlanarBuffer(channels: mix.channels, capacity: SoundMixer.blockSize)
}

/// The sounds of a draft that are being heard, and those that were: a later clip mostly goes on
/// where an earlier one ended.
final class DraftSounds {
    private let mix: SoundMix
    private let supplies: any SoundSupplies
    private var idle: [DraftSound] = []
    private static let idleLimit = 2

    init(_ mix: SoundMix, _ supplies: any SoundSupplies) { (self.mix, self.supplies) = (mix, supplies) }

    /// One for the caller's use alone, the nearest before a sample.
    func take(near sample: Int) -> DraftSound {
        let before = idle.indices.filter { idle[$0].position <= sample }
        guard let best = before.max(by: { idle[$0].position < idle[$1].position }) else {
            return DraftSound(mix, supplies)
        }
        return idle.remove(at: best)
    }

    func giveBack(_ sound: DraftSound) {
        idle.append(sound)
        if idle.count > Self.idleLimit { idle.removeFirst().close() }
    }

    func close() {
        for sound in idle { sound.close() }
        idle.removeAll()
    }
}

extension SoundMix {
    /// The sample from which on the mix has to be made for this one to be what it is in the whole
    /// mix.
    fileprivate func firstSample(toHear sample: Int) -> Int {
        let keyed = processing.main + processing.voices.flatMap(\.filters)
        // What acts on the mix, or is keyed by it, may have heard all of it.
        guard processing.main.isEmpty, !keyed.contains(where: { processing.filters[$0.filter].plugin.isKeyed == true })
        else { return 0 }
        return voiceSchedules.filter { $0.samples.contains(sample) }.map(\.samples.lowerBound).min() ?? sample
    }
}
