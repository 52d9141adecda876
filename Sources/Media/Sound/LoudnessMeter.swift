import CPortableMath

/// A meter of integrated loudness and true peaks by EBU R 128 and ITU-R BS.1770. Six channels are L
/// R C LFE Ls Rs.
public final class LoudnessMeter {
    private let loudness: GatedLoudness
    private let peaks: TruePeakMeter
    private var highest: Float = 0

    /// - Throws: `outOfMemory`.
    public init(channels: Int, sampleRate: Int) throws(MediaError) {
        loudness = try GatedLoudness(channels: channels, sampleRate: sampleRate)
        peaks = try TruePeakMeter(channels: channels, sampleRate: sampleRate)
    }

    /// Measures the next `count` samples of each plane. NaN and infinity count as silence.
    public func add(_ planes: [UnsafeMutablePointer<Float>], count: Int) throws(MediaError) {
        loudness.add(planes, count: count)
        highest = max(highest, try peaks.add(planes, count: count))
    }

    /// LUFS over everything heard so far; nil for silence, and for less than 0.4 s.
    public var integrated: Double? { loudness.integrated }

    /// dBTP of the highest peak of any channel so far; minus infinity for silence.
    public var truePeak: Double { Self.decibels(highest) }

    /// Returns the dBTP of a peak that is a factor of full scale.
    public static func decibels(_ peak: Float) -> Double { rounded(20 * pm_log10(Double(peak))) }

    /// Rounds to 1/1000 dB: the last bits of libebur128's interpolation differ between machines,
    /// and gains follow from the result.
    static func rounded(_ decibels: Double) -> Double {
        decibels.isFinite ? (decibels * 1000).rounded() / 1000 : decibels
    }
}
