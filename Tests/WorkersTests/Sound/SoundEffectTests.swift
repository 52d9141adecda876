import Foundation
import TestSupport
import Testing
import Values

@testable import PluginHosting

/// The shipped sound effects by numbers.
@Suite(.waits) struct SoundEffectTests {
    private func number(_ value: Double) -> Animated { .constant(value) }
    /// What an effect changes of a tone's amplitude, in decibels.
    private func response(_ name: String, _ parameters: [String: Animated], at frequency: Double) throws -> Double {
        let tone = SoundLab.sine(frequency)
        let heard = try SoundLab.run(name, parameters, seconds: 1, tone)
        return SoundLab.amplitude(of: frequency, in: heard[24_000...]) + 12
    }

    // MARK: Gain

    @Test(arguments: [-60, -6, 0, 3.5, 24.0]) func `gain is in decibels`(gain: Double) throws {
        let heard = try SoundLab.run("gain", ["gain": number(gain)], seconds: 0.5, SoundLab.sine(440, -30))
        let factor = pow(10, gain / 20)
        for (index, sample) in heard.enumerated() {
            let wanted = SoundLab.sine(440, -30)(index) * factor
            guard abs(sample - wanted) <= 1e-6 * max(1, factor) else {
                Issue.record("sample \(index) is \(sample), not \(wanted)")
                return
            }
        }
    }

    @Test func `an animated gain is right at each time, and acts in its range alone`() throws {
        let keys = Animated.keyframes([
            .init(time: .zero, value: [-20]), .init(time: Time(frame: 1, rate: .one), value: [0]),
        ])
        let heard = try SoundLab.run("gain", ["gain": keys], range: (0.5, 1), { _ in 0.5 })
        #expect(heard[..<24_000].allSatisfy { $0 == 0.5 } && heard[72_000...].allSatisfy { $0 == 0.5 })
        for index in stride(from: 24_000, to: 72_000, by: 997) {
            let wanted = 20 * Double(index - 24_000) / 48_000 - 20
            // A step of 256 samples is 0.1 dB here.
            #expect(abs(20 * log10(heard[index] / 0.5) - wanted) < 0.11)
        }
    }

    // MARK: Equaliser

    @Test func `a flat equaliser changes no sample`() throws {
        let noise = SoundLab.noise(-20)
        let heard = try SoundLab.run("equalizer", [:], seconds: 0.5, noise)
        #expect(heard.enumerated().allSatisfy { $1 == Double(Float(noise($0))) })
    }

    @Test func `shelves and the peak have their gain where they should`() throws {
        let bands = ["low_gain": number(9), "mid_gain": number(-12), "high_gain": number(6)]
        for (frequency, wanted, tolerance) in [(25.0, 9.0, 0.3), (1000, -12, 0.3), (18_000, 6, 0.3)] {
            #expect(abs(try response("equalizer", bands, at: frequency) - wanted) < tolerance, "\(frequency) Hz")
        }
        // The middle of a shelf's edge has half of its decibels.
        #expect(
            abs(try response("equalizer", ["low_gain": number(9), "low_frequency": number(200)], at: 200) - 4.5) < 0.1)
        #expect(
            abs(try response("equalizer", ["high_gain": number(-8), "high_frequency": number(5000)], at: 5000) + 4)
                < 0.1)
        // A peak of quality 2 at 1 kHz has half of its decibels where its band ends, 1/4 of the way
        // to each side.
        let narrow = ["mid_gain": number(10), "mid_q": number(2)]
        for (frequency, wanted, tolerance) in [(1281.0, 5.0, 0.4), (781, 5, 0.4), (100, 0, 0.2), (10_000, 0, 0.2)] {
            #expect(abs(try response("equalizer", narrow, at: frequency) - wanted) < tolerance, "\(frequency) Hz")
        }
    }

    @Test func `cuts fall by 12 dB an octave`() throws {
        for (frequency, wanted) in [(1000.0, -3.01), (500, -12.3), (250, -24.1), (8000, 0)] {
            #expect(
                abs(try response("equalizer", ["low_cut": number(1000)], at: frequency) - wanted) < 0.3,
                "low, \(frequency) Hz")
        }
        for (frequency, wanted) in [(1000.0, -3.01), (2000, -12.3), (4000, -24.6), (100, 0)] {
            #expect(
                abs(try response("equalizer", ["high_cut": number(1000)], at: frequency) - wanted) < 0.8,
                "high, \(frequency) Hz")
        }
    }

    // MARK: Compressor

    @Test func `what is above the threshold is divided by the ratio`() throws {
        let values = ["threshold": number(-20), "ratio": number(4), "knee": number(0)]
        for (level, wanted) in [(-40.0, -40.0), (-21, -21), (-12, -18), (-4, -16), (0, -15)] {
            let heard = try SoundLab.run("compressor", values, SoundLab.sine(1000, level))
            #expect(abs(SoundLab.amplitude(of: 1000, in: heard[72_000...]) - wanted) < 0.15, "\(level) dB")
        }
        let louder = try SoundLab.run(
            "compressor", values.merging(["makeup": number(6)]) { $1 }, SoundLab.sine(1000, -12))
        #expect(abs(SoundLab.amplitude(of: 1000, in: louder[72_000...]) + 12) < 0.15)
    }

    @Test func `a knee goes a quarter of the way at the threshold`() throws {
        let heard = try SoundLab.run(
            "compressor", ["threshold": number(-20), "ratio": number(4), "knee": number(12)], SoundLab.sine(1000, -20))
        // slope · (knee / 2)² / (2 · knee) = 0.75 · 36 / 24
        #expect(abs(SoundLab.amplitude(of: 1000, in: heard[72_000...]) + 20 + 1.125) < 0.1)
    }

    @Test func `attack and release take their time`() throws {
        let values = [
            "threshold": number(-20), "ratio": number(20), "knee": number(0), "attack": number(20),
            "release": number(200),
        ]
        // Loud from 0.5 s to 1 s.
        let heard = try SoundLab.run("compressor", values) { (24_000..<48_000).contains($0) ? 1.0 : 0.01 }
        #expect(abs(heard[23_999] - 0.01) < 1e-6)
        let most = 19.0  // (1 − 1/20) · 20 dB
        func reduction(_ sample: Int, _ input: Double) -> Double { 20 * log10(input / heard[sample]) }
        #expect(reduction(24_001, 1) < 0.1, "what comes first is let through")
        #expect(abs(reduction(24_960, 1) - most * (1 - exp(-1))) < 0.1, "one attack time")
        #expect(abs(reduction(47_999, 1) - most) < 0.05)
        #expect(abs(reduction(48_000 + 19_200, 0.01) / most - exp(-2)) < 0.05, "two release times")
    }

    // MARK: Echo

    @Test func `echoes come at their times with their levels`() throws {
        let heard = try SoundLab.run(
            "echo", ["delay": number(0.25), "feedback": number(0.5), "level": number(0.8)], SoundLab.clicks(at: [1000]))
        var wanted = [1000: 0.9]
        for echo in 1...7 { wanted[1000 + 12_000 * echo] = 0.9 * 0.8 * pow(0.5, Double(echo - 1)) }
        for (index, sample) in heard.enumerated() {
            guard abs(sample - (wanted[index] ?? 0)) < 1e-6 else {
                Issue.record("sample \(index) is \(sample)")
                return
            }
        }
    }

    // MARK: Noise reduction

    /// One amount, and a tone; ``Sweep`` has more amounts, and listens beside the tone.
    @Test func `noise falls by the amount, and what is above it stays`() throws {
        try expectNoiseFalls(by: [12])
        _ = try expectToneStays()
    }

    private func expectNoiseFalls(by amounts: [Double]) throws {
        for amount in amounts {
            let noise = SoundLab.noise(-50)
            let silence = try SoundLab.run("noise_reduction", ["amount": number(amount)], seconds: 4, noise)
            let change = SoundLab.level(silence[96_000...]) + 50
            #expect(abs(change + amount) < 1.5, "\(amount) dB of noise became \(change)")
        }
    }

    /// - Returns: what is heard of a tone with noise at -50 dB.
    private func expectToneStays() throws -> [Double] {
        let noise = SoundLab.noise(-50)
        let tone = SoundLab.sine(1000, -12)
        let mixed = try SoundLab.run("noise_reduction", seconds: 4) { noise($0) + tone($0) }
        #expect(abs(SoundLab.amplitude(of: 1000, in: mixed[96_000...]) + 12) < 0.3)
        return mixed
    }

    /// More amounts and semitones.
    @Suite struct Sweep {
        @Test func `noise falls by the amount, and what is above it stays`() throws {
            try SoundEffectTests().expectNoiseFalls(by: [6, 12, 18])
            let mixed = try SoundEffectTests().expectToneStays()
            // Beside the tone the noise is lower by the amount, 18 dB.
            let beside = { (samples: [Double]) in
                SoundLab.level(
                    (0..<40).map {
                        pow(10, SoundLab.amplitude(of: 5000 + 97 * Double($0), in: samples[96_000...]) / 20)
                    })
            }
            let plain = (0..<192_000).map(SoundLab.noise(-50))
            #expect(abs(beside(mixed) - beside(plain) + 18) < 2.5)
        }

        @Test(arguments: steps) func `tones move by semitones and keep their level`(semitones: Double) throws {
            try SoundEffectTests().`tones move by semitones and keep their level`(semitones: semitones)
        }
    }

    @Test func `without noise nothing changes, and a click keeps its sample`() throws {
        let tone = SoundLab.sine(440, -12)
        let heard = try SoundLab.run("noise_reduction", ["amount": number(0)], tone)
        #expect(heard.enumerated().allSatisfy { abs($1 - tone($0)) < 1e-5 })
        let noise = SoundLab.noise(-60)
        let clicks = SoundLab.clicks(at: [100, 20_000, 70_000])
        let late = try SoundLab.run("noise_reduction") { noise($0) + clicks($0) }
        #expect(SoundLab.peaks(of: late, above: 0.4) == [100, 20_000, 70_000])
    }

    // MARK: Pitch

    private static let steps = [-12, -5, -1, 1, 4, 7, 12.0]

    @Test(arguments: steps.every(3)) func `tones move by semitones and keep their level`(
        semitones: Double
    ) throws {
        for frequency in [220.0, 1000] {
            let moved = frequency * pow(2, semitones / 12)
            let heard = try SoundLab.run("pitch", ["semitones": number(semitones)], SoundLab.sine(frequency))
            let part = heard[24_000...]
            #expect(
                abs(SoundLab.amplitude(of: moved, in: part) + 12) < 1,
                "\(frequency) Hz: \(SoundLab.amplitude(of: moved, in: part))")
            #expect(SoundLab.amplitude(of: frequency, in: part) < -40)
        }
    }

    @Test(arguments: [-12, -4, 0, 5, 12.0]) func `clicks keep their place`(semitones: Double) throws {
        let places = [500, 12_000, 24_017, 30_000, 61_111]
        let heard = try SoundLab.run("pitch", ["semitones": number(semitones)], SoundLab.clicks(at: places))
        let found = SoundLab.peaks(of: heard, above: 0.2)
        try #require(found.count == places.count, "\(found)")
        for (place, peak) in zip(places, found) { #expect(abs(place - peak) <= 48, "\(found)") }
    }

    @Test func `what is too high for the higher pitch is left out`() throws {
        let heard = try SoundLab.run("pitch", ["semitones": number(12)], SoundLab.sine(15_000))
        #expect(SoundLab.level(heard[24_000...]) < -50)
    }
}
