import Draft
import Values

/// How spans become one sound: which of them make up one voice, and which audio filters act where.
///
/// Sound goes: spans → their voice's filters → each span's gain → the sum of the main track's
/// voices → the effect list's filters, between which layers come in → the sum with the audio clips.
/// A filter that is keyed hears some voices after their gain, or what the effect list's filters
/// have made of the main track; no filter is keyed by what it has a part in.
public struct SoundProcessing: Hashable, Sendable, Codable {
    /// The audio filters of the draft and of its clips that are heard, each once.
    public var filters: [AudioFilter] = []
    public var voices: [SoundVoice] = []
    /// The effect list's, in the order in which they act on the mix of the main track's voices.
    public var main: [AudioFilterUse] = []
}

/// A clip or an audio clip for as long as it is heard without a break: one span, or several that
/// adjoin.
public struct SoundVoice: Hashable, Sendable, Codable {
    /// It belongs to the main track or to a layer, so that the effect list may act on it.
    public var isMain: Bool
    /// How many of ``SoundProcessing/main`` do not act on it, because it comes in after them; nil:
    /// none.
    public var entry: Int?
    /// The number by which filters name it as what keys them; nil where none does.
    public var keyNumber: Int?
    /// The clip's own, in the order in which they act.
    public var filters: [AudioFilterUse] = []
}

/// An audio filter that acts somewhere in the draft, with what a render has to know of it.
public struct AudioFilter: Hashable, Sendable, Codable {
    public var id: String?
    public var filter: PluginEffect
    /// The files that it reads, in the order of ``Draft/PluginEffect/files``.
    public var files: [Int]
    /// The plugin that does it.
    public var plugin: PluginUse
    /// The name that its random numbers follow from: see ``CompositionEffect/seedName``.
    public var seedName: String?
}

/// Where a filter acts. Elsewhere sound goes past it.
public struct AudioFilterUse: Hashable, Sendable, Codable {
    public var filter: Int
    /// The length of the filter's range in its own time.
    public var length: Time
    /// The ``SoundVoice/keyNumber``s of the voices that key the filter; nil: where it is keyed, the
    /// main track's mix does.
    public var key: [Int]?
    /// In the order of time. Each is one run of sound for the filter, which begins anew with the
    /// next one.
    public var stretches: [Stretch]

    public struct Stretch: Hashable, Sendable, Codable {
        /// Output time → time within the filter's range: pieces that adjoin in both, so that only
        /// the speed changes.
        public var clock: [Piece]

        public var range: TimeRange {
            clock.first.map { TimeRange(from: $0.timeline.start, to: clock[clock.count - 1].timeline.end) } ?? .zero
        }
    }

    init(filter: Int, length: Time, key: [Int]? = nil, clock: some Sequence<Piece>) {
        (self.filter, self.length, self.key) = (filter, length, key)
        stretches = []
        for piece in clock {
            guard let last = stretches.last?.clock.last, last.adjoins(piece) else {
                stretches.append(Stretch(clock: [piece]))
                continue
            }
            stretches[stretches.count - 1].clock.append(piece)
        }
    }
}

extension Piece {
    /// The largest gap that rounding of odd speeds leaves: one microsecond.
    static let adjoiningTolerance = Time(flicks: 706)

    /// Whether `next` continues where this piece ends, on the timeline and in the content.
    func adjoins(_ next: Piece) -> Bool {
        let tolerance = Self.adjoiningTolerance
        let (gap, jump) = (next.timeline.start - timeline.end, next.contentStart - content(at: timeline.end))
        return max(gap, -gap) <= tolerance && max(jump, -jump) <= tolerance
    }
}
