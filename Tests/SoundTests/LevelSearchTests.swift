import Draft
import Foundation
import TestSupport
import Testing

@testable import Sound

/// The search for a level ends, and finds the loudness where there is one to be found.
@Suite struct LevelSearchTests {
    private typealias Measure = LevelSearch.Measure

    /// What a limiter makes of a mix: the more it takes, the less a gain does.
    private struct Mix {
        var measure: Measure
        /// LU that are lost for each dB above the ceiling, and dB that an encoder adds to peaks.
        var loss: Double
        var overshoot: Double

        func made(_ level: Level) -> Measure {
            let excess = max(0, measure.truePeak + level.gain - level.ceiling)
            return Measure(
                integrated: measure.integrated + level.gain - loss * excess * excess / (excess + 6),
                truePeak: min(measure.truePeak + level.gain, level.ceiling) + overshoot)
        }
    }

    private func search(_ mix: Mix, _ target: LoudnessTarget) -> (LevelSearch, Measure) {
        var search = LevelSearch(target, mix: mix.measure)
        while true {
            let made = mix.made(search.level)
            if search.take(made) { return (search, made) }
        }
    }

    @Test func `a gain alone is found at once`() {
        let target = LoudnessTarget(integrated: -23, truePeak: -1)
        let (found, made) = search(
            Mix(measure: Measure(integrated: -17, truePeak: -4), loss: 1, overshoot: 0), target)
        #expect(found.tries == 1 && found.level.gain == -6 && made.integrated == -23)
    }

    @Test func `random mixes reach their loudness below their peak`() {
        var random = SplitMix64(seed: 5)
        for _ in 0..<2000 {
            let loudness = Double.random(in: -50 ... -8, using: &random)
            let mix = Mix(
                measure: Measure(integrated: loudness, truePeak: loudness + Double.random(in: 3...16, using: &random)),
                loss: Double.random(in: 0...0.8, using: &random), overshoot: Double.random(in: 0...1, using: &random))
            let target = LoudnessTarget(
                integrated: Double.random(in: -30 ... -12, using: &random),
                truePeak: Double.random(in: -3...0, using: &random))
            let (found, made) = search(mix, target)
            #expect(found.tries <= LevelSearch.mostTries)
            #expect(made.truePeak <= target.truePeak + 1e-9, "\(mix) \(target): \(made)")
            #expect(abs(made.integrated - target.integrated) <= 0.3, "\(mix) \(target): \(made) \(found)")
        }
    }

    @Test func `what cannot be reached ends with the most there is`() {
        // A tone: nothing above its own peak.
        struct Tone {
            static func made(_ level: Level) -> Measure {
                let peak = min(-20 + level.gain, level.ceiling)
                return Measure(integrated: peak - 3, truePeak: peak)
            }
        }
        var search = LevelSearch(
            LoudnessTarget(integrated: -5, truePeak: -9), mix: Measure(integrated: -23, truePeak: -20))
        while !search.take(Tone.made(search.level)) {}
        #expect(search.tries <= LevelSearch.mostTries && search.level.gain <= 18 + LevelSearch.mostLimiting)
        #expect(Tone.made(search.level).truePeak <= -9)
    }
}
