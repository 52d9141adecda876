import Content
import Glibc
import Testing

/// Times that no clock should have, and some have.
@Suite struct ClockTimeTests {
    private static func time(_ seconds: Int, _ nanoseconds: Int = 0) -> timespec {
        timespec(tv_sec: seconds, tv_nsec: nanoseconds)
    }

    @Test func `nanoseconds are exact where they fit, and different where they do not`() {
        #expect(Self.time(1_795_000_000, 5).nanoseconds == 1_795_000_000_000_000_005)
        #expect(Self.time(-5_000_000, 7).nanoseconds == -4_999_999_999_999_993)
        let far = [Int.min, -250_000_000_000, 250_000_000_000, 250_000_000_001, .max - 1, .max]
        #expect(Set(far.map { Self.time($0).nanoseconds }).count == far.count)
    }

    @Test func `an age is signed, and has bounds`() {
        #expect(Self.time(100).age(at: 160) == 60 && Self.time(160).age(at: 100) == -60)
        #expect(Self.time(.min).age(at: 1_795_000_000) == .max && Self.time(.max).age(at: -10) == .min)
        #expect(Self.time(-10).age(at: 1_795_000_000) == 1_795_000_010)
    }

    @Test(
        arguments: [
            (1.9, 1), (-1.9, -1), (1e30, .max), (-1e30, .min), (.infinity, .max), (-.infinity, .min), (.nan, 0),
            (0x1p63, .max), (-0x1p63, .min),
        ] as [(Double, Int64)]) func `a number is cut to what a whole one can be`(value: Double, whole: Int64)
    {
        #expect(Int64(clamped: value) == whole)
    }
}
