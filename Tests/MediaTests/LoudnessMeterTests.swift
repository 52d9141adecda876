import CEBUR128
import Foundation
import TestSupport
import Testing

@testable import Media

/// The meter against the figures of EBU Tech 3341.
@Suite struct LoudnessMeterTests {
    private func measure(
        _ seconds: Double, channels: Int = 2, rate: Int = 48_000, _ sample: (Int, Int) -> Double
    ) throws -> LoudnessMeter {
        let meter = try LoudnessMeter(channels: channels, sampleRate: rate)
        let planes = (0..<channels).map { _ in UnsafeMutablePointer<Float>.allocate(capacity: 4096) }
        defer { for plane in planes { plane.deallocate() } }
        let total = Int(seconds * Double(rate))
        for start in stride(from: 0, to: total, by: 4096) {
            let count = min(4096, total - start)
            for (channel, plane) in planes.enumerated() {
                for index in 0..<count { plane[index] = Float(sample(start + index, channel)) }
            }
            try meter.add(planes, count: count)
        }
        return meter
    }

    private func tone(_ level: Double, _ frequency: Double = 1000, rate: Double = 48_000) -> (Int, Int) -> Double {
        { index, _ in pow(10, level / 20) * sin(2 * .pi * frequency * Double(index) / rate) }
    }

    @Test(arguments: [-23.0, -33]) func `a stereo tone has its peak's level`(level: Double) throws {
        let meter = try measure(5, tone(level))
        #expect(abs(try #require(meter.integrated) - level) < 0.1)
        #expect(abs(meter.truePeak - level) < 0.2)
    }

    /// A quarter of the sampling rate, half-way between the samples: each is 3 dB below the peak.
    @Test func `peaks between the samples are seen`() throws {
        let meter = try measure(1) { index, _ in 0.5 * sin(.pi / 2 * Double(index) + .pi / 4) }
        #expect(abs(meter.truePeak + 6.02) < 0.4)
    }

    @Test func `what is quiet or short has no loudness`() throws {
        #expect(try measure(2) { _, _ in 0 }.integrated == nil)
        #expect(try measure(2, tone(-80)).integrated == nil)
        #expect(try measure(0.3, tone(-20)).integrated == nil)
        let broken = try measure(2) { index, _ in index == 7 ? .nan : index == 9 ? .infinity : 0.1 * sin(Double(index))
        }
        #expect(try #require(broken.integrated).isFinite && broken.truePeak < 0)
    }

    /// Cases 3 to 5 of EBU Tech 3341: levels in dBFS and seconds of a stereo tone.
    @Test(arguments: [
        [(-36.0, 10.0), (-23, 60), (-36, 10)], [(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)],
        [(-26, 20), (-20, 20.1), (-26, 20)],
    ])
    func `quiet parts are gated`(parts: [(level: Double, seconds: Double)]) throws {
        let ends = parts.indices.map { last in parts[...last].map(\.seconds).reduce(0, +) * 8000 }
        let meter = try measure(ends.last! / 8000, rate: 8000) { index, channel in
            let part = ends.firstIndex { Double(index) < $0.rounded() } ?? parts.count - 1
            return tone(parts[part].level, rate: 8000)(index, channel)
        }
        #expect(abs(try #require(meter.integrated) + 23) < 0.1)
    }

    /// Six seconds lie so near the relative gate, above or below it, that a histogram of blocks
    /// with bins of 0.1 dB gets some of them wrong by 5 LU.
    @Test func `blocks near the gate are gated like libebur128 gates a list of them`() throws {
        var (most, worst) = (0.0, 0.0)
        for hundredth in stride(from: -3595, through: -3570, by: 1) {
            let level = Double(hundredth) / 100
            let signal: (Int, Int) -> Double = { index, channel in
                tone(index < 16_000 ? -20 : level, rate: 8000)(index, channel)
            }
            let made = try #require(try measure(8, channels: 1, rate: 8000, signal).integrated)
            let (list, histogram) = try (reference(8, 1, 8000, false, signal), reference(8, 1, 8000, true, signal))
            most = max(most, abs(made - list))
            worst = max(worst, abs(made - histogram))
        }
        // Both are right to the last digits of a Double, and the meter rounds to 1/1000 LU.
        #expect(most <= 0.000_501)
        #expect(worst > 5, "these levels are not near the gate")
    }

    @Test func `random sounds are as loud as libebur128 says`() throws {
        try Seed.rounds(40, of: "LoudnessMeterTests") { name, random in
            var random = random
            let (rate, channels) = (random.pick([48_000, 44_100, 11_025, 8000]), random.pick([1, 2, 6]))
            let levels = (0..<6).map { _ in Double.random(in: -60...0, using: &random) }
            let seed = random.next()
            let signal: (Int, Int) -> Double = { index, channel in
                var noise = SplitMix64(seed: seed &+ UInt64(index * 8 + channel))
                return pow(10, levels[index * 2 / rate % 6] / 20) * Double.random(in: -1...1, using: &noise)
            }
            let seconds = Double.random(in: 0.5...4, using: &random)
            let made = try measure(seconds, channels: channels, rate: rate, signal).integrated
            let expected = try reference(seconds, channels, rate, false, signal)
            #expect(abs(try #require(made) - expected) <= 0.000_501, "\(name): \(channels) channels, \(rate) Hz")
        }
    }

    /// Returns the loudness by libebur128, with a list or a histogram of all gating blocks.
    private func reference(
        _ seconds: Double, _ channels: Int, _ rate: Int, _ isHistogram: Bool, _ sample: (Int, Int) -> Double
    ) throws -> Double {
        let mode = isHistogram ? cutroom_EBUR128_HISTOGRAM : cutroom_EBUR128_LIST
        var state = ebur128_init(UInt32(channels), UInt(rate), mode)
        defer { ebur128_destroy(&state) }
        let count = Int(seconds * Double(rate))
        // The meter gets floats.
        let samples = (0..<count * channels).map { Float(sample($0 / channels, $0 % channels)) }
        #expect(ebur128_add_frames_float(state, samples, count) == cutroom_EBUR128_SUCCESS)
        var loudness = 0.0
        #expect(ebur128_loudness_global(state, &loudness) == cutroom_EBUR128_SUCCESS)
        return loudness
    }

    @Test func `the deep channel does not count`() throws {
        let all = try #require(try measure(3, channels: 6, tone(-30)).integrated)
        let deep = try measure(3, channels: 6) { index, channel in channel == 3 ? tone(-30)(index, 0) : 0 }
        #expect(deep.integrated == nil)
        // Two sides at 1, the centre at 1, two surrounds at 1.41: 3 + 2.82 of one channel's −33.
        #expect(abs(all - (-33 + 10 * log10(5.82))) < 0.1)
    }
}
