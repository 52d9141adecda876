import Composition

/// What sounds for a while, and is added to a mix.
protocol Sounding: AnyObject {
    /// Output samples.
    var samples: Range<Int> { get }

    /// Adds what it is to hear in the output's samples `range`. Ranges adjoin.
    /// - Parameter scratch: room for as many samples.
    func add(to output: [UnsafeMutablePointer<Float>], _ range: Range<Int>, through scratch: PlanarBuffer) throws

    /// No call may follow.
    func close()
}

/// The sum of some voices. Each is opened when it begins and closed when it has ended.
///
/// Sums of floats depend on the order of the terms. Voices are added in the order of their numbers:
/// where a mix is cut, voices that began at different times begin together.
final class VoiceMix: SoundStream {
    private let open: (VoiceSchedule) -> any Sounding
    private var waiting: ArraySlice<VoiceSchedule>
    /// In the order of their numbers.
    private var playing: [(number: Int, voice: any Sounding)] = []
    private let scratch: PlanarBuffer
    private var position: Int

    /// - Parameters:
    ///   - voices: in the order of their first sample.
    ///   - first: the number of the first sample.
    init(
        _ voices: [VoiceSchedule], from first: Int = 0, channels: Int, open: @escaping (VoiceSchedule) -> any Sounding
    ) {
        waiting = voices.filter { $0.samples.upperBound > first }[...]
        position = first
        self.open = open
        scratch = PlanarBuffer(channels: channels, capacity: SoundMixer.blockSize)
    }

    func close() {
        for (_, voice) in playing { voice.close() }
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
        while let next = waiting.first, next.samples.lowerBound < range.upperBound {
            waiting.removeFirst()
            let place = playing.firstIndex { $0.number > next.number } ?? playing.count
            playing.insert((next.number, open(next)), at: place)
        }
        for (_, voice) in playing { try voice.add(to: output, range, through: scratch) }
        for (_, voice) in playing where voice.samples.upperBound <= range.upperBound { voice.close() }
        playing.removeAll { $0.voice.samples.upperBound <= range.upperBound }
    }
}
