import Foundation
import Media
import TestSupport
import Testing

/// Sound devices with clocks of their own.
struct SoundClockTests {
    /// A device that counts samples at another rate than it states, and says inexactly when.
    private struct Device {
        /// Its rate by the stated one.
        let rate: Double
        /// Nanoseconds by which its times are wrong, at most.
        let jitter: Int64
        var count = 0
        var random: SplitMix64

        static let start: Int64 = 5_000_000_000_000

        /// When a sample is captured.
        func time(of sample: Int) -> Int64 { Self.start + Int64(Double(sample) * 1e9 / (48000 * rate)) }

        mutating func next(_ count: Int) -> (time: Int64, stated: Int64) {
            let time = time(of: self.count)
            self.count += count
            return (time, time + Int64.random(in: -jitter...jitter, using: &random))
        }
    }

    /// Runs a clock over a device's sound.
    /// - Parameter check: called with the seconds so far and those by which sound is misplaced.
    private func run(
        _ device: inout Device, _ clock: inout SoundClock, _ position: inout Double, seconds: Double,
        _ check: (Double, Double) -> Void
    ) {
        let last = device.count + Int(seconds * 48000)
        while device.count < last {
            let count = Int.random(in: 480...2400, using: &device.random)
            let (time, stated) = device.next(count)
            let stretch = clock.stretch(time: stated, count: count, position: position)
            let place = clock.time(of: Int64(position))
            check(Double(device.count) / 48000, Double(place - time) / 1e9)
            position += Double(count) * stretch
        }
    }

    @Test func `sound is where it was captured, however wrong its clock is`() {
        let seed = Seed.announced(for: "sound clocks", cases: 30)
        var random = SplitMix64(seed: seed)
        for number in 0..<30 {
            let drift = [0, 200e-6, -200e-6, 0.01, -0.01][number % 5] * Double.random(in: 0.5...1, using: &random)
            var device = Device(
                rate: 1 + drift, jitter: .random(in: 0...3_000_000, using: &random),
                random: SplitMix64(seed: random.next()))
            var clock = SoundClock(sampleRate: 48000)
            var position = 0.0
            var worst = (early: 0.0, late: 0.0)
            run(&device, &clock, &position, seconds: 60) { seconds, error in
                if seconds < 4 {
                    worst.early = max(worst.early, abs(error))
                } else {
                    worst.late = max(worst.late, abs(error))
                }
            }
            #expect(worst.early < 0.012 && worst.late < 0.005, "case \(number), \(drift), \(device.jitter): \(worst)")
        }
    }

    @Test func `lost samples move the sound, and one late block does not`() {
        for jump in [0.06, 0.5, 20] {
            var device = Device(rate: 1.002, jitter: 500_000, random: SplitMix64(seed: 1))
            var clock = SoundClock(sampleRate: 48000)
            var position = 0.0
            run(&device, &clock, &position, seconds: 10) { _, _ in }
            // A block that comes late, with its time.
            let (time, _) = device.next(480)
            let stretch = clock.stretch(time: time + 60_000_000, count: 480, position: position)
            #expect(abs(clock.time(of: Int64(position)) - time) < 5_000_000)
            position += 480 * stretch
            let start = Double(device.count) / 48000
            device.count += Int(jump * 48000 * 1.002)
            run(&device, &clock, &position, seconds: 5) { seconds, error in
                if seconds > start + jump + 0.25 {
                    #expect(abs(error) < 0.005, "\(jump), \(seconds - start): \(error)")
                }
            }
        }
    }

    @Test func `a click stays at its time through the resampler`() throws {
        for rate in [1.003, 0.997, 1] {
            var device = Device(rate: rate, jitter: 300_000, random: SplitMix64(seed: 2))
            let sound = try SteadySound(sampleRate: 48000, channels: 2, name: "test")
            var worst = 0.0
            var clicks = 0
            var end: Int64?
            while device.count < 10 * 48000 {
                let first = device.count
                let (_, stated) = device.next(960)
                // A click at each 12 000th sample.
                let samples = (first..<first + 960).map { $0 % 12_000 == 6000 ? Float(0.8) : 0 }
                try samples.withUnsafeBufferPointer { samples in
                    let plane = samples.baseAddress!
                    try sound.append([plane, plane], count: 960, at: stated) { planes, count, time in
                        if let end { #expect(abs(end - time) < 50, "its blocks follow on each other") }
                        end = time + Int64(Double(count) * 1e9 / 48000)
                        guard let index = (0..<count).max(by: { abs(planes[1][$0]) < abs(planes[1][$1]) }),
                            abs(planes[1][index]) > 0.4
                        else { return }
                        clicks += 1
                        let found = time + Int64(Double(index) * 1e9 / 48000)
                        let wanted = device.time(of: (first - 2000) / 12_000 * 12_000 + 6000)
                        let other = device.time(of: (first - 2000) / 12_000 * 12_000 + 18_000)
                        worst = max(worst, Double(min(abs(found - wanted), abs(found - other))) / 1e9)
                    }
                }
            }
            #expect(clicks == 40 && worst < 0.004, "\(rate): \(clicks), \(worst)")
        }
    }
}
