import Values

/// What is mixed into one sound: all of a draft's, or a run of it (``part(_:)``).
///
/// Times and samples count from the mix's own time zero. In a run this lies at or a little before
/// the run's first sample, so that the same run has the same value wherever it stands in the
/// output.
public struct SoundMix: Sendable, Codable, Hashable {
    public var spans: [SoundSpan]
    public var processing: SoundProcessing
    public var files: [MediaFile]
    /// The sound of the drafts that ``files`` names, in the same form; nil: there are none.
    public var drafts: [SoundMix]?
    /// The picture's, for plugins to know.
    public var frameRate: Rational
    public var channels: Int
    /// Samples per second.
    public var sampleRate: Int
    /// The first sample that is heard.
    public var firstSample: Int
    public var sampleCount: Int
    /// The number of samples before the first one that are mixed and dropped, so that what carries
    /// state is exact; nil: none.
    public var leadSamples: Int?
    /// The output sample that is the mix's time zero: for messages, and for filters that depend on
    /// their place.
    public var place: Int
    /// True where what is mixed is measured as well, as a part of a sound for which a loudness is
    /// asked; nil: it is not.
    public var isMeasured: Bool?

    public init(
        spans: [SoundSpan], processing: SoundProcessing, files: [MediaFile], drafts: [SoundMix]? = nil,
        frameRate: Rational, channels: Int, sampleRate: Int, firstSample: Int = 0, sampleCount: Int,
        leadSamples: Int? = nil, place: Int = 0
    ) {
        (self.spans, self.processing, self.files, self.drafts) = (spans, processing, files, drafts)
        (self.frameRate, self.channels, self.sampleRate) = (frameRate, channels, sampleRate)
        (self.firstSample, self.sampleCount, self.leadSamples) = (firstSample, sampleCount, leadSamples)
        self.place = place
    }

    /// The samples that are heard.
    public var samples: Range<Int> { firstSample..<firstSample + sampleCount }

    /// The output time of the mix's time zero.
    public var placeTime: Time { Time(frame: place, rate: Rational(Int64(sampleRate))) }

    /// Gains are evaluated at multiples of this many samples and are linear between them: 0.7 ms at
    /// 48 kHz.
    public static let gainGrid = 32

    /// Audio filters are called in blocks that end at multiples of this many samples, with the
    /// values at their starts. So nothing depends on how much is mixed at a time. At 48 kHz an
    /// animated value moves every 5 ms.
    public static let filterGrid = 256

    /// The number of samples past the end of a sound that its limiter may look at, at most.
    static func lookAhead(_ sampleRate: Int) -> Int { sampleRate / 200 + 64 }

    /// The uses of filters that act somewhere in the mix.
    var actingUses: [AudioFilterUse] {
        (processing.main + processing.voices.flatMap(\.filters)).filter { !$0.stretches.isEmpty }
    }

    /// What a filter makes may depend on where in the output it stands.
    var isPlaced: Bool { actingUses.contains { processing.filters[$0.filter].plugin.isPlaced == true } }
}

extension TimeRange {
    /// The samples whose time lies in the range, as spans are cut: both edges rounded to the
    /// nearest sample.
    public func samples(rate: Int) -> Range<Int> {
        let rate = Rational(Int64(rate))
        let first = start.rounded(rate: rate)
        return first..<max(first, end.rounded(rate: rate))
    }
}
