import CPortableMath
import Composition
import Draft

/// Finds the constant quality at which a picture takes the bits that were asked for.
///
/// Segments are encoded apart, so none of them can know what the others need; a rate given to each
/// would be met by none of them well, and a still title would get as much as a chase. One constant
/// quality for all shares the bits out as two passes over the whole would, and which one it is can
/// be measured: a few segments spread over the timeline are encoded, bits are interpolated over
/// quality, and where the whole is rendered and misses the rate, it is rendered again.
///
/// A pure state machine: the same plan and sizes give the same quality on every machine.
public struct RateSearch: Sendable {
    public enum Step: Hashable, Sendable {
        /// Render these segments at this quality and ``record(quality:bytes:)`` their sizes.
        case measure(quality: Double, segments: [Int])
        case settled(quality: Double)
    }

    /// The share of the rate that is good enough for a sample, and for the whole.
    static let sampleTolerance = 0.04
    static let tolerance = 0.06
    /// Segments that stand for the whole; fewer segments stand for themselves.
    static let sampleCount = 12
    private static let sampleRounds = 4
    private static let wholeRounds = 3

    private let range: ClosedRange<Double>
    private let step: Double
    private let halving: Double
    /// Bits, for each segment.
    private let wanted: [Double]
    private let sample: [Int]
    private var guess: Double
    /// log₂(bits / bits wanted) at each quality, of the sample and of the whole.
    private var sampled: [Double: Double] = [:]
    private var whole: [Double: Double] = [:]

    /// nil where no rate is asked for.
    public init?(_ plan: RenderPlan) {
        guard let bitRate = plan.bitRate, let video = plan.video, let quality = video.quality,
            let scale = video.codec.quality,
            let range = video.codec.searchRange, !plan.segments.isEmpty
        else { return nil }
        let rate = plan.composition.frameRate.doubleValue
        self.init(
            bitRate: Double(bitRate), seconds: plan.segments.map { Double($0.frameCount) / rate }, range: range,
            step: scale.step,
            halving: scale.halving, guess: quality)
    }

    init(
        bitRate: Double, seconds: [Double], range: ClosedRange<Double>, step: Double, halving: Double, guess: Double
    ) {
        (self.range, self.step, self.halving, self.guess) = (range, step, halving, guess)
        wanted = seconds.map { max(1, $0 * bitRate) }
        let count = seconds.count
        sample =
            count <= Self.sampleCount
            ? Array(0..<count)
            // The middle of equal parts of the timeline.
            : (0..<Self.sampleCount).map { (2 * $0 + 1) * count / (2 * Self.sampleCount) }
    }

    /// What to do next. Where it says to measure, it says the same until that is recorded.
    public var next: Step {
        let everything = Array(wanted.indices)
        if sample == everything {
            guard let quality = proposal(sampled, rounds: Self.sampleRounds, tolerance: Self.tolerance) else {
                return .settled(quality: best(sampled))
            }
            return .measure(quality: quality, segments: everything)
        }
        if whole.isEmpty {
            if let quality = proposal(sampled, rounds: Self.sampleRounds, tolerance: Self.sampleTolerance) {
                return .measure(quality: quality, segments: sample)
            }
            return .measure(quality: best(sampled), segments: everything)
        }
        guard let quality = proposal(whole, rounds: Self.wholeRounds, tolerance: Self.tolerance) else {
            return .settled(quality: best(whole))
        }
        return .measure(quality: quality, segments: everything)
    }

    /// - Parameter bytes: of the encoded frames, by segment: those that were asked for.
    public mutating func record(quality: Double, bytes: [Int: Int64]) {
        let bits = bytes.values.reduce(0) { $0 + Double($1) * 8 }
        let error = pm_log2(max(1, bits) / bytes.keys.reduce(0) { $0 + wanted[$1] })
        if sample.count < wanted.count, bytes.count == wanted.count {
            whole[quality] = error
        } else {
            sampled[quality] = error
        }
    }

    /// By how much the best whole misses the rate: 0.05 is five per cent too much. nil before a
    /// whole was measured.
    public var error: Double? {
        let measured = sample.count < wanted.count ? whole : sampled
        return measured[best(measured)].map { pm_exp2($0) - 1 }
    }

    private func best(_ measured: [Double: Double]) -> Double {
        measured.min { (abs($0.value), $0.key) < (abs($1.value), $1.key) }?.key ?? guess
    }

    /// The next quality to measure; nil where one is near enough or none can be nearer.
    private func proposal(_ measured: [Double: Double], rounds: Int, tolerance: Double) -> Double? {
        guard let nearest = measured.min(by: { (abs($0.value), $0.key) < (abs($1.value), $1.key) }) else {
            return onGrid(guess)
        }
        guard abs(nearest.value) > pm_log2(1 + tolerance), measured.count < rounds else { return nil }
        // Bits fall as the quality's number grows.
        let above = measured.filter { $0.value > 0 }.max { $0.key < $1.key }
        let below = measured.filter { $0.value <= 0 }.min { $0.key < $1.key }
        var quality: Double
        if let above, let below, above.key < below.key {
            quality = above.key + (below.key - above.key) * above.value / (above.value - below.value)
            quality = min(max(onGrid(quality), above.key + step), below.key - step)
        } else {
            quality = onGrid(
                nearest.key + nearest.value * slope(measured.count > 1 ? measured : sampled, near: nearest.key))
            if quality == nearest.key { quality += nearest.value > 0 ? step : -step }
            quality = min(max(quality, range.lowerBound), range.upperBound)
        }
        return measured[quality] == nil ? quality : nil
    }

    /// By how much quality must grow for half the bits: as the two measurements nearest to each
    /// other say.
    private func slope(_ measured: [Double: Double], near quality: Double) -> Double {
        guard let here = measured[quality],
            let other = measured.filter({ $0.key != quality }).min(by: { abs($0.key - quality) < abs($1.key - quality) }
            )
        else { return halving }
        let change = (other.value - here) / (other.key - quality)
        return change < 0 ? min(max(-1 / change, halving / 3), halving * 3) : halving
    }

    private func onGrid(_ quality: Double) -> Double {
        min(max((quality / step).rounded() * step, range.lowerBound), range.upperBound)
    }
}
