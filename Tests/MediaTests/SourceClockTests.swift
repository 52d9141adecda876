import Media
import TestSupport
import Testing

struct SourceClockTests {
    private static let start: Int64 = 50_000_000_000
    private static let millisecond: Int64 = 1_000_000

    private func now(_ time: Int64, wall: Int64 = 1_700_000_000_000_000_000) -> SourceClock.Now {
        SourceClock.Now(monotonic: Self.start + time, wall: wall + time)
    }

    @Test func `times of the wall clock are those of the capture`() {
        var clock = SourceClock(tolerance: 0)
        for time: Int64 in [0, 33, 70, 5000] {
            // Captured four milliseconds before it arrives.
            let stated = (1_700_000_000_000 + time - 4) * 1000
            #expect(
                clock.time(stated, now: now(time * Self.millisecond))
                    == Self.start + (time - 4) * Self.millisecond)
        }
        // Nothing is captured later than it arrives.
        #expect(clock.time(1_700_000_001_000 * 1000, now: now(0)) == Self.start)
    }

    /// As a camera's: its pictures come late, each in its own way.
    @Test func `times of the monotonic clock are those of the capture`() {
        for isMonotonic in [true, false] {
            var clock = SourceClock(tolerance: 0, isMonotonic: isMonotonic)
            for time: Int64 in [0, 33, 70, 5000] {
                // Captured 40 milliseconds before it arrives.
                let stated = (Self.start + (time - 40) * Self.millisecond) / 1000
                let captured = clock.time(stated, now: now(time * Self.millisecond))
                #expect(captured == Self.start + (time - (isMonotonic ? 40 : 0)) * Self.millisecond)
            }
        }
        var clock = SourceClock(tolerance: 0, isMonotonic: true)
        #expect(clock.time((Self.start + 7 * Self.millisecond) / 1000, now: now(0)) == Self.start)
        // A camera that counts from its own zero.
        #expect(clock.time(1000, now: now(33 * Self.millisecond)) == Self.start + 33 * Self.millisecond)
    }

    @Test func `content without a time was captured when it arrives`() {
        var clock = SourceClock(tolerance: 0)
        #expect(clock.time(nil, length: 20, now: now(100)) == Self.start + 80)
        #expect(clock.time(.max, now: now(100)) == Self.start + 100)
        #expect(clock.time(.min, now: now(100)) == Self.start + 100)
    }

    /// The times of a program that counts from its own zero, perhaps too fast or too slowly.
    @Test func `a clock of its own is found by its quickest arrivals`() {
        var random = SplitMix64(seed: Seed.announced(for: "source clocks", cases: 40))
        for number in 0..<40 {
            let tolerance = random.pick([Int64(0), 16 * Self.millisecond])
            let rate = 1 + random.pick([0, 0.01, -0.01, 0.0002])
            let zero = Int64.random(in: -1_000_000_000...1_000_000_000, using: &random)
            var clock = SourceClock(tolerance: tolerance)
            var worst: Int64 = 0
            for frame in 0..<1500 {
                let captured = Int64(frame) * 40 * Self.millisecond
                let delay = Int64.random(in: 2...30, using: &random) * Self.millisecond
                let stated = zero + Int64(Double(captured) * rate / 1000)
                let found = clock.time(stated, now: now(captured + delay))
                if frame > 15 { worst = max(worst, abs(found - Self.start - captured)) }
            }
            // The quickest arrivals are two milliseconds late, and a window's end has drifted by
            // fifty.
            #expect(worst < tolerance + 60 * Self.millisecond, "case \(number), \(rate), \(tolerance): \(worst)")
        }
    }

    @Test func `distances stay exact within the tolerance`() {
        var random = SplitMix64(seed: Seed.announced(for: "source clocks", cases: 1))
        var clock = SourceClock(tolerance: 16 * Self.millisecond)
        var last: Int64?
        for frame in 0..<500 {
            let captured = Int64(frame) * 40 * Self.millisecond
            let delay = Int64.random(in: 0...15, using: &random) * Self.millisecond
            let found = clock.time(captured / 1000, now: now(captured + delay))
            if let last, frame > 15 { #expect(found - last == 40 * Self.millisecond) }
            last = found
        }
    }

    @Test func `content that comes late has its place`() {
        var clock = SourceClock(tolerance: 0)
        for time: Int64 in stride(from: 0, to: 2000, by: 40) {
            _ = clock.time(time * 1000, now: now(time * Self.millisecond))
        }
        // Nothing comes for 1.4 s, and then all of it at once.
        for time: Int64 in stride(from: 2000, to: 3400, by: 40) {
            #expect(
                clock.time(time * 1000, now: now(3400 * Self.millisecond)) == Self.start + time * Self.millisecond)
        }
        // A clock that has stood still is read anew after a second.
        for time: Int64 in stride(from: 3400, to: 6000, by: 40) {
            let found = clock.time(time * 1000, now: now((time + 9000) * Self.millisecond))
            if time > 4500 { #expect(found == Self.start + (time + 9000) * Self.millisecond, "\(time)") }
        }
    }

    @Test func `a clock that jumps is read anew`() {
        for jump: Int64 in [-100_000, -2000, 2000, 100_000] {
            var clock = SourceClock(tolerance: 0)
            for time: Int64 in stride(from: 0, to: 2000, by: 40) {
                _ = clock.time(time * 1000, now: now(time * Self.millisecond))
            }
            #expect(
                clock.time((2000 + jump) * 1000, now: now(2000 * Self.millisecond))
                    == Self.start + 2000 * Self.millisecond, "\(jump)")
        }
    }
}
