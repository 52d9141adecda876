import Foundation

/// Loops over the samples of a sound: this module is optimised, and those of most tests are not.
public enum TestSound {
    /// - Returns: the indices where the bits of two sounds differ, including those beyond the
    ///   shorter one.
    public static func differences(_ one: ArraySlice<Float>, _ other: ArraySlice<Float>) -> [Int] {
        let common = min(one.count, other.count)
        var found: [Int] = []
        for index in 0..<common
        where one[one.startIndex + index].bitPattern != other[other.startIndex + index].bitPattern {
            found.append(index)
        }
        return found + Array(common..<max(one.count, other.count))
    }

    public static func differences(_ one: [Float], _ other: [Float]) -> [Int] { differences(one[...], other[...]) }

    /// Fills a part of a sound with noise whose level rises and falls, over a hum of 48 Hz.
    ///
    /// - Parameters:
    ///   - first: the part's first sample, so that parts join without a step.
    ///   - level: the largest level of the noise.
    public static func fill(
        _ samples: UnsafeMutableBufferPointer<Float>, from first: Int, rate: Int, level: Float, hum: Float,
        _ random: inout SplitMix64
    ) {
        for index in samples.indices {
            let time = Double(first + index) / Double(rate)
            let swell = 0.5 + 0.5 * Float(sin(time * 2.1))
            samples[index] = swell * level * Float.random(in: -1...1, using: &random) + hum * Float(sin(time * 300))
        }
    }
}
