import Values

/// How loud a draft's output is to be, by EBU R 128. Nothing is asked for where ``integrated`` is
/// nil.
public struct Loudness: Hashable, Sendable {
    /// LUFS over the whole output, in ``integratedRange``; nil: the sound stays as loud as it is.
    public var integrated: Double?
    /// dBTP, in ``truePeakRange``: what no peak between the samples is to pass. nil:
    /// ``usualTruePeak``.
    public var truePeak: Double?
    /// Where it was set; it makes no other loudness.
    @Untracked public var origin: Origin? = nil

    public init(integrated: Double? = nil, truePeak: Double? = nil, origin: Origin? = nil) {
        (self.integrated, self.truePeak, self.origin) = (integrated, truePeak, origin)
    }

    /// What the meter of ITU-R BS.1770 can tell from silence, and what still leaves room for the
    /// peaks.
    public static let integratedRange = -70.0 ... -5
    public static let truePeakRange = -9.0...0
    /// What EBU R 128 allows.
    public static let usualTruePeak = -1.0
    /// The meter looks at blocks of this length: what is shorter has no loudness.
    public static let shortest = Time(flicks: Time.flicksPerSecond * 2 / 5)

    /// Everything decided; nil where nothing is asked for.
    public var target: LoudnessTarget? {
        integrated.map { LoudnessTarget(integrated: $0, truePeak: truePeak ?? Self.usualTruePeak) }
    }
}

/// The loudness to which the sound of an output is normalised.
public struct LoudnessTarget: Hashable, Sendable, Codable {
    /// LUFS.
    public var integrated: Double
    /// dBTP.
    public var truePeak: Double

    public init(integrated: Double, truePeak: Double) {
        (self.integrated, self.truePeak) = (integrated, truePeak)
    }
}
