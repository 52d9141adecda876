import Foundation
import TestSupport

/// Measurements on samples, by textbook formulas that share no code with the product.
struct Sound {
    /// One channel, 48 kHz.
    let samples: [Float]
    static let rate = 48_000.0

    init(_ samples: [Float]) { self.samples = samples }

    /// - Parameter channel: 0 left, 1 right; of one channel that is both. (ffmpeg's own mono mix of
    ///   floats is 3 dB louder than each side, and one channel becomes 3 dB softer in each of two.)
    init(of path: String, channel: Int = 0) throws {
        let (count, all) = try FFmpeg.sound(of: path)
        samples = stride(from: min(channel, count - 1), to: all.count, by: count).map { all[$0] }
    }

    var duration: Double { Double(samples.count) / Self.rate }

    private func window(_ start: Double, _ length: Double) -> ArraySlice<Float> {
        let first = min(samples.count, max(0, Int(start * Self.rate)))
        return samples[first..<min(samples.count, first + Int(length * Self.rate))]
    }

    /// The level in decibels relative to a constant 1; silence is −200.
    func level(_ start: Double, _ length: Double) -> Double {
        let part = window(start, length)
        let power = part.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, part.count))
        return power > 1e-20 ? 10 * log10(power) : -200
    }

    /// The frequency of a tone, from its upward zero crossings, each placed between samples by a
    /// straight line.
    func frequency(_ start: Double, _ length: Double) -> Double {
        let part = Array(window(start, length))
        var crossings: [Double] = []
        for index in part.indices.dropFirst() where part[index - 1] < 0 && part[index] >= 0 {
            let (before, after) = (Double(part[index - 1]), Double(part[index]))
            crossings.append(Double(index - 1) + before / (before - after))
        }
        guard let first = crossings.first, let last = crossings.last, last > first else { return 0 }
        return Double(crossings.count - 1) * Self.rate / (last - first)
    }

    /// The seconds at which something louder than `threshold` begins, at least `pause` seconds
    /// after the one before.
    func onsets(above threshold: Float, pause: Double = 0.1) -> [Double] {
        var result: [Double] = []
        var loud = -1.0
        for (index, sample) in samples.enumerated() where abs(sample) > threshold {
            let time = Double(index) / Self.rate
            if loud < 0 || time - loud > pause { result.append(time) }
            loud = time
        }
        return result
    }

    var peak: Float { samples.map(abs).max() ?? 0 }
}
