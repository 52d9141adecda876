import Draft
import Values

/// The sound of a file as an audio clip of a draft plays it, from any time of the draft on and at
/// any speed: what is heard while something is recorded that the draft will have at that time.
public final class BackgroundSound {
    /// What is played, in the draft's terms: see `AudioClip`.
    public struct Description: Hashable, Sendable, Codable {
        /// An absolute path.
        public var path: String
        /// When it begins in the draft.
        public var startTime: Time
        /// The part of the file that is played; nil: all of it.
        public var range: TimeRange?
        public var speed: Rational
        /// In the clip's time.
        public var volume: Animated
        public var loops: Bool

        public init(
            path: String, startTime: Time = .zero, range: TimeRange? = nil, speed: Rational = .one,
            volume: Animated = .constant(1), loops: Bool = false
        ) {
            (self.path, self.startTime, self.range, self.speed) = (path, startTime, range, speed)
            (self.volume, self.loops) = (volume, loops)
        }
    }

    private let description: Description
    private let sampleRate: Int
    private let channels: Int
    private let reader: AudioReader
    /// The samples of the file that are played.
    private let extent: Range<Int>
    private var stretcher: TimeStretcher
    /// The next sample since the clip's start, at `pace`.
    private var position = 0
    /// How fast the draft's time goes by.
    private var pace = 1.0

    /// - Throws: what probing throws, and `noAudio`.
    public init(_ description: Description, sampleRate: Int, channels: Int) throws(MediaError) {
        let info = try Probe.probe(path: description.path)
        reader = try AudioReader(path: description.path, info: info, sampleRate: sampleRate, channels: channels)
        (self.description, self.sampleRate, self.channels) = (description, sampleRate, channels)
        let rate = Rational(Int64(sampleRate))
        let length = info.audio?.duration ?? .zero
        let range = description.range ?? TimeRange(start: .zero, duration: length)
        let (first, end) = (range.start.rounded(rate: rate), range.end.rounded(rate: rate))
        guard first >= 0, end > first, range.end <= length else {
            throw MediaError(
                .unsupported, "play", path: description.path,
                reason: "its range \(range.description) does not lie within its \(length.forPeople) s")
        }
        extent = first..<end
        stretcher = TimeStretcher(speed: .one, channels: channels, sampleRate: sampleRate)
    }

    /// Goes to a time of the draft.
    /// - Parameter pace: seconds of the draft in each second that is heard, 1/100…100.
    public func seek(to time: Time, pace: Double) {
        self.pace = pace
        let speed = min(max(description.speed.doubleValue * pace, 1e-4), 1e4)
        stretcher = TimeStretcher(
            tempo: Tempo([Tempo.Stretch(output: 0, input: 0, speed: speed)]), channels: channels,
            sampleRate: sampleRate)
        position = Int(((time - description.startTime).seconds / pace * Double(sampleRate)).rounded())
    }

    /// Fills `planes`, one for each channel, with the next `count` samples: silence before the clip
    /// and behind it.
    public func read(count: Int, into planes: [UnsafeMutablePointer<Float>]) throws(MediaError) {
        let before = min(count, max(0, -position))
        for plane in planes { plane.update(repeating: 0, count: before) }
        if before < count {
            try stretcher.read(from: position + before, count: count - before, into: planes.map { $0 + before }) {
                start, count, targets throws(MediaError) in try readFile(from: start, count: count, into: targets)
            }
            let time = Time(seconds: Double(position + before) * pace / Double(sampleRate)) ?? .zero
            let volume = Float(description.volume.scalar(at: time))
            for plane in planes { for index in before..<count { plane[index] *= volume } }
        }
        position += count
    }

    /// - Parameter start: counted from the beginning of the range; behind its end comes its
    ///   beginning again, or silence.
    private func readFile(
        from start: Int, count: Int, into planes: [UnsafeMutablePointer<Float>]
    ) throws(MediaError) {
        var done = 0
        while done < count {
            let targets = planes.map { $0 + done }
            var place = start + done
            if place >= 0, description.loops { place %= extent.count }
            let end = place < 0 ? 0 : place < extent.count ? extent.count : Int.max
            let part = min(count - done, end - place)
            if place < 0 || place >= extent.count {
                for target in targets { target.update(repeating: 0, count: part) }
            } else {
                try reader.read(from: extent.lowerBound + place, count: part, into: targets)
            }
            done += part
        }
    }
}
