import Jobs
import Values

/// What people are told while a render goes on.
public enum Notice: Hashable, Sendable {
    /// Parts at these paths are not what their workers wrote.
    case damaged(paths: [String])
    /// The picture takes `difference` more (0.2: a fifth more) than the bits per second that were
    /// asked for.
    case missesBitRate(asked: Int, difference: Double)
    case detour(Detour)
    /// A sound is not as loud as was asked for.
    case missesLoudness(SoundLevel)
    /// What is shown or played of a media file could not be decoded as it should have been.
    case damagedMedia(DamagedMedia)

    public var text: String {
        switch self {
        case .damaged(let paths):
            paths.count == 1
                ? "a damaged part is rendered again: ‘\(paths[0])’"
                : "\(paths.count) damaged parts are rendered again; the first is ‘\(paths.first ?? "")’"
        case .missesBitRate(let asked, let difference):
            "the picture takes \(Int((abs(difference) * 100).rounded())) % \(difference > 0 ? "more" : "less") than the "
                + "\(asked) bits per second that were asked for, whatever its quality"
        case .detour(let detour):
            "the output is without \(detour.culprit.forPeople) \(detour.stretch.forPeople): \(detour.reason)"
        case .damagedMedia(let media): media.text
        case .missesLoudness(let level): level.shortfall ?? ""
        }
    }
}

/// A part that goes without a plugin's effect, as it failed in it.
public struct Detour: Hashable, Sendable {
    public var culprit: Culprit
    public var stretch: Stretch
    /// What the plugin did, as a sentence.
    public var reason: String

    /// Where the output goes without the effect.
    public enum Stretch: Hashable, Sendable {
        case frames(first: Int, count: Int, rate: Rational)
        /// The samples of `range`, which the effect would have changed.
        case sound(range: TimeRange, sampleRate: Int)

        /// In seconds, and in frames where there are some.
        public var forPeople: String {
            switch self {
            case .frames(let first, let count, let rate):
                let (start, end) = (Time(frame: first, rate: rate), Time(frame: first + count, rate: rate))
                return "from \(start.forPeople) s to \(end.forPeople) s (frames \(first) to \(first + count - 1))"
            case .sound(let range, _):
                return "in the sound from \(range.start.forPeople) s to \(range.end.forPeople) s"
            }
        }

        /// The samples of the sound; nil for frames.
        public var samples: Range<Int>? {
            guard case .sound(let range, let sampleRate) = self else { return nil }
            let rate = Rational(Int64(sampleRate))
            return range.start.rounded(rate: rate)..<range.end.rounded(rate: rate)
        }
    }
}
