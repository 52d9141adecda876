import Foundation
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

    @Test func `the deep channel does not count`() throws {
        let all = try #require(try measure(3, channels: 6, tone(-30)).integrated)
        let deep = try measure(3, channels: 6) { index, channel in channel == 3 ? tone(-30)(index, 0) : 0 }
        #expect(deep.integrated == nil)
        // Two sides at 1, the centre at 1, two surrounds at 1.41: 3 + 2.82 of one channel's −33.
        #expect(abs(all - (-33 + 10 * log10(5.82))) < 0.1)
    }
}
