import CKernels
import Foundation
import TestSupport
import Testing

/// The limiter against a meter of true peaks that is not its own.
@Suite struct LimiterKernelTests {
    /// How far the meter that the limiter has may be from the truth below 0.4 of the sampling rate:
    /// 0.5 dB.
    private static let tolerance = pow(10, 0.5 / 20)
    private static let rates: [Int32] = [8000, 44_100, 48_000]

    /// The limiter's output, its delay removed, for channels that are followed by as much silence.
    private func limited(_ channels: [[Float]], rate: Int32 = 48_000, chunks: () -> Int = { .max }) throws -> [[Float]]
    {
        let limiter = try #require(ck_limiter_create(Int32(channels.count), rate))
        defer { ck_limiter_destroy(limiter) }
        let delay = Int(ck_limiter_delay(limiter)), count = channels[0].count + delay
        let planes = channels.map { channel in
            let plane = UnsafeMutableBufferPointer<Float>.allocate(capacity: count)
            _ = plane.initialize(from: channel + [Float](repeating: 0, count: delay))
            return plane
        }
        defer { for plane in planes { plane.deallocate() } }
        var done = 0
        while done < count {
            let part = min(chunks(), count - done)
            let pointers: [UnsafeMutablePointer<Float>?] = planes.map { $0.baseAddress! + done }
            ck_limiter_process(limiter, pointers, Int32(part))
            done += part
        }
        for plane in planes { #expect(plane.prefix(delay).allSatisfy { $0 == 0 }, "sound before its time") }
        return planes.map { Array($0.dropFirst(delay)) }
    }

    /// A sine that begins and ends gently, so that it has no other frequencies.
    private func sine(_ frequency: Double, phase: Double, amplitude: Double, count: Int = 3000) -> [Float] {
        (0..<count).map { n in
            let edge = min(1, Double(min(n, count - 1 - n)) / 600)
            return Float(amplitude * (0.5 - 0.5 * cos(.pi * edge)) * sin(2 * .pi * frequency * Double(n) + phase))
        }
    }

    /// Bursts below 0.4 of the sampling rate with this true peak.
    private func bursts(peak: Double, _ random: inout SplitMix64) -> [Float] {
        var sum = [Double](repeating: 0, count: 2500)
        for _ in 0..<10 {
            let width = Double.random(in: 6...120, using: &random)
            // A short one has frequencies on both sides of its own.
            let frequency = Double.random(in: 0...(0.38 - 0.7 / width), using: &random)
            let phase = Double.random(in: 0...6.3, using: &random)
            let middle = Double.random(in: 400...2100, using: &random)
            for n in sum.indices {
                let distance = (Double(n) - middle) / width
                sum[n] += exp(-distance * distance) * sin(2 * .pi * frequency * Double(n) + phase)
            }
        }
        let gain = peak / TruePeak.of(sum.map(Float.init))
        return sum.map { Float($0 * gain) }
    }

    private func bits(_ samples: [Float]) -> [UInt32] { samples.map(\.bitPattern) }

    @Test func theMeterFindsPeaksBetweenSamples() {
        // Samples at 45° to the peaks: √½ of them.
        let between = sine(0.25, phase: .pi / 4, amplitude: 1)
        #expect(abs(Double(between.map(abs).max()!) - 0.5.squareRoot()) < 1e-6)
        #expect(abs(TruePeak.of(between) - 1) < 0.001)
        #expect(abs(TruePeak.of(sine(0.4, phase: 0.1, amplitude: 0.5)) - 0.5) < 0.5 * 0.013)
    }

    @Test(arguments: rates) func peaksBetweenSamplesAreHeld(rate: Int32) throws {
        for samplePeak in [0.72, 0.8, 0.9, 1.0] {
            let loud = sine(0.25, phase: .pi / 4, amplitude: samplePeak * 2.squareRoot())
            #expect(loud.allSatisfy { abs($0) <= 1 })
            let before = TruePeak.of(loud), after = TruePeak.of(try limited([loud], rate: rate)[0])
            #expect(before > 1.01 && after <= 1.0116 && after > 0.97, "\(samplePeak): \(before) became \(after)")
        }
    }

    @Test func randomSoundIsHeld() throws {
        let cases = Seed.cases(24)
        let seed = Seed.announced(for: "limiter", cases: cases)
        for index in 0..<cases {
            var random = SplitMix64.forCase(index, of: seed)
            let rate = random.pick(Self.rates)
            let sound = (0..<Int.random(in: 1...2, using: &random)).map { _ in
                bursts(peak: .random(in: 1...6, using: &random), &random)
            }
            for channel in try limited(sound, rate: rate) {
                let peak = TruePeak.of(channel)
                #expect(peak <= Self.tolerance, "case \(index) at \(rate): \(peak)")
            }
        }
    }

    @Test func whatStaysBelowPassesBitForBit() throws {
        let cases = Seed.cases(16)
        let seed = Seed.announced(for: "limiter below full scale", cases: cases)
        for index in 0..<cases {
            var random = SplitMix64.forCase(index, of: seed)
            let sound = (0..<2).map { _ in bursts(peak: 1 / Self.tolerance, &random) }
            #expect(try limited(sound).map(bits) == sound.map(bits), "case \(index)")
        }
    }

    @Test func callsDoNotShowInTheSound() throws {
        var random = SplitMix64(seed: Seed.announced(for: "limiter in chunks", cases: 10))
        for _ in 0..<10 {
            let sound = (0..<3).map { _ in (0..<5000).map { _ in Float.random(in: -3...3, using: &random) } }
            let parts = try limited(sound) { .random(in: 0...700, using: &random) }
            #expect(parts.map(bits) == (try limited(sound)).map(bits))
        }
    }

    /// One loud sample in channel 0; channel 1, which is constant, shows the gain.
    @Test(arguments: rates) func gainIsSharedAndReturns(rate: Int32) throws {
        let second = Int(rate), pulse = second / 4
        var sound = [[Float](repeating: 0.1, count: 2 * second), [Float](repeating: 0.25, count: 2 * second)]
        sound[0][pulse] = 2
        let output = try limited(sound, rate: rate)
        let gain = output[1].map { Double($0) / 0.25 }
        for n in gain.indices {
            #expect(abs(Double(output[0][n]) - Double(sound[0][n]) * gain[n]) < 1e-6, "channels differ at \(n)")
        }
        // 5 ms, at least 16 samples, and what the meter sees ahead.
        let rise = max(second / 200, 16)
        #expect(gain.prefix(pulse - rise - 24).allSatisfy { $0 == 1 } && gain[pulse - rise / 2] < 0.9)
        #expect(abs(output[0][pulse]) <= 1 && abs(output[0][pulse]) > 0.9)
        let after = pulse + 3 * rise, later = after + Int((0.08 * Double(rate)).rounded())
        #expect(abs((1 - gain[later]) / (1 - gain[after]) - exp(-1)) < 0.01)
        #expect(zip(gain[after...], gain[(after + 1)...]).allSatisfy { $0 <= $1 })
        #expect(gain.suffix(second / 4).allSatisfy { $0 == 1 })
    }

    @Test func whatIsNoNumberIsSilence() throws {
        var random = SplitMix64(seed: 61)
        var strange = [(0..<4000).map { _ in Float.random(in: -1.5...1.5, using: &random) }]
        var silent = strange
        for _ in 0..<40 {
            let at = Int.random(in: 0..<4000, using: &random)
            strange[0][at] = random.pick([.nan, .infinity, -.infinity, .signalingNaN])
            silent[0][at] = 0
        }
        #expect(try limited(strange).map(bits) == (try limited(silent)).map(bits))
    }

    @Test func nonsenseIsRefused() {
        #expect(ck_limiter_create(0, 48_000) == nil && ck_limiter_create(2, 0) == nil)
        ck_limiter_destroy(nil)
    }
}
