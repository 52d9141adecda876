import Composition

/// What filters are keyed by: the main track's mix, and voices that filters name.
///
/// A voice that keys a filter is made once, and read by the mix and by every filter that it keys,
/// each at its own pace. No voice is made from itself: the draft's validation sees to that.
final class KeySounds {
    /// The main track through the effect list's filters.
    var main: SharedSound?
    private let voices: [VoiceSchedule]
    private let channels: Int
    private let make: (VoiceSchedule, KeySounds) -> Voice
    /// The voices that are being heard, by their numbers.
    private var shared: [Int: SharedVoice] = [:]

    /// - Parameters:
    ///   - voices: those that filters name, in the order of their first sample.
    ///   - make: called for each of them when it is first asked for.
    init(
        _ voices: [VoiceSchedule], channels: Int, make: @escaping (VoiceSchedule, KeySounds) -> Voice
    ) {
        self.voices = voices
        self.channels = channels
        self.make = make
    }

    func close() {
        for voice in shared.values { voice.close() }
        shared.removeAll()
        main?.close()
    }

    /// The key signal of a filter, for a reader that begins at a sample; nil where there is none.
    func key(of use: AudioFilterUse) -> ((_ first: Int) -> any SoundStream)? {
        guard let numbers = use.key.map(Set.init) else {
            return main.map { main in { main.stream(from: $0) } }
        }
        let voices = voices.filter { $0.voice.keyNumber.map(numbers.contains) ?? false }
        // Owned by the mixer, as is what calls this.
        return { [unowned self] first in
            VoiceMix(voices, from: first, channels: channels) { [unowned self] in reader(of: $0) }
        }
    }

    /// A voice that may be read by others, too.
    func reader(of schedule: VoiceSchedule) -> any Sounding {
        let voice = shared[schedule.number] ?? SharedVoice(make(schedule, self), channels: channels)
        shared[schedule.number] = voice
        return voice.reader()
    }

    /// No samples before `first` will be requested.
    func forget(before first: Int) {
        main?.forget(before: first)
        for (number, voice) in shared where voice.forget(before: first) {
            voice.close()
            shared[number] = nil
        }
    }
}

/// A voice that several mixes read.
private final class SharedVoice {
    private let samples: Range<Int>
    private let sound: SharedSound

    init(_ voice: Voice, channels: Int) {
        samples = voice.samples
        sound = SharedSound(VoiceStream(voice, channels: channels), channels: channels, from: voice.samples.lowerBound)
    }

    func reader() -> any Sounding { Reader(samples, sound) }

    func close() { sound.close() }

    /// - Returns: whether the voice is over.
    func forget(before first: Int) -> Bool {
        sound.forget(before: first)
        return first >= samples.upperBound
    }

    private final class Reader: Sounding {
        let samples: Range<Int>
        private let sound: SharedSound
        private var stream: (any SoundStream)?

        init(_ samples: Range<Int>, _ sound: SharedSound) { (self.samples, self.sound) = (samples, sound) }

        func add(
            to output: [UnsafeMutablePointer<Float>], _ range: Range<Int>, through scratch: PlanarBuffer
        ) throws {
            let heard = range.clamped(to: samples)
            guard !heard.isEmpty else { return }
            let stream = stream ?? sound.stream(from: heard.lowerBound)
            self.stream = stream
            try stream.read(count: heard.count, into: scratch.planes)
            for (target, plane) in zip(output, scratch.planes) {
                let part = target + (heard.lowerBound - range.lowerBound)
                for index in 0..<heard.count { part[index] += plane[index] }
            }
        }

        /// Others may read it still.
        func close() {}
    }
}

/// A voice's samples alone, from its first one on.
private final class VoiceStream: SoundStream {
    private let voice: Voice
    private let scratch: PlanarBuffer
    private var position: Int

    init(_ voice: Voice, channels: Int) {
        self.voice = voice
        position = voice.samples.lowerBound
        scratch = PlanarBuffer(channels: channels, capacity: SoundMixer.blockSize)
    }

    func close() { voice.close() }

    func read(count: Int, into planes: [UnsafeMutablePointer<Float>]) throws {
        for plane in planes { plane.update(repeating: 0, count: count) }
        var done = 0
        while done < count {
            let part = min(count - done, scratch.capacity)
            try voice.add(to: planes.map { $0 + done }, position..<position + part, through: scratch)
            position += part
            done += part
        }
    }
}
