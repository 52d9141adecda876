import Draft

/// The search for what brings a mix to a loudness. A pure value: it is told what was measured, and
/// says what to try.
///
/// A gain alone moves the loudness by itself. What the limiter takes away from it, and what an
/// encoder adds to the peaks, only shows in what comes out: that is measured, and the next try goes
/// by it.
package struct LevelSearch {
    /// What was measured of a sound.
    package struct Measure: Hashable {
        /// LUFS.
        package var integrated: Double
        /// dBTP.
        package var truePeak: Double

        package init(integrated: Double, truePeak: Double) {
            (self.integrated, self.truePeak) = (integrated, truePeak)
        }
    }

    private let target: LoudnessTarget
    /// What the mix peaks at before any gain, in dBTP.
    private let mixPeak: Double
    /// The gain that would do alone, in dB.
    private let first: Double
    package private(set) var level: Level
    private(set) var tries = 0
    /// The try before, for how much a gain still does.
    private var last: (gain: Double, integrated: Double)?

    /// LU.
    static let tolerance = 0.1
    /// What meters differ by.
    static let peakMargin = 0.05
    /// No more is tried: a render must end.
    static let mostTries = 6
    /// dB above a gain alone. A limiter that takes more leaves nothing of the sound.
    static let mostLimiting = 15.0

    /// - Parameter mix: measured before any gain and limiter.
    package init(_ target: LoudnessTarget, mix: Measure) {
        self.target = target
        mixPeak = mix.truePeak
        first = target.integrated - mix.integrated
        level = Level(gain: first, ceiling: target.truePeak - Self.peakMargin)
    }

    /// Takes the measure of what ``level`` made.
    /// - Returns: whether it stays.
    package mutating func take(_ made: Measure) -> Bool {
        tries += 1
        let missing = target.integrated - made.integrated
        let excess = made.truePeak - target.truePeak
        let isSaturated = level.gain >= first + Self.mostLimiting && missing > 0
        let isLoudEnough = abs(missing) <= Self.tolerance || isSaturated
        guard tries < Self.mostTries, !isLoudEnough || excess > 0 else { return true }
        // At least a fifth of a gain is taken for heard: else one step would go too far.
        let slope = last.map { (made.integrated - $0.integrated) / (level.gain - $0.gain) } ?? 1
        last = (level.gain, made.integrated)
        // What peaks the encoder adds comes on top of the limiter's ceiling, or of the sound's own
        // peak where that is lower.
        if excess > 0 { level.ceiling = min(level.ceiling, mixPeak + level.gain) - excess - Self.peakMargin }
        if !isLoudEnough {
            let step = missing / min(1, max(0.2, slope.isFinite ? slope : 1))
            level.gain = min(level.gain + step, first + Self.mostLimiting)
        }
        return false
    }
}
