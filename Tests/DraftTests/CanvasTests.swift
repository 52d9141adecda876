import Draft
import TestSupport
import Testing
import Values

@Suite struct CanvasTests {
    @Test(arguments: [16, 17, 640, 1281, 4095, 8191, 8192], [(9.0, 16.0), (16, 9), (1, 1), (99, 1), (2.39, 1)])
    func aShapeKeepsToItsLongerSide(maximum: Int, aspect: (width: Double, height: Double)) {
        let size = Canvas.size(aspectWidth: aspect.width, aspectHeight: aspect.height, maximum: maximum)
        // The largest even number that is not above it.
        #expect(max(size.width, size.height) == maximum / 2 * 2)
        #expect(size.width % 2 == 0 && size.height % 2 == 0)
        let (long, short) = (max(aspect.width, aspect.height), min(aspect.width, aspect.height))
        let wanted = Double(maximum / 2 * 2) * short / long
        #expect(abs(Double(min(size.width, size.height)) - max(2, wanted)) <= 1)
    }
}

@Suite struct NominalFrameRateTests {
    private func rate(_ measured: Rational) -> Rational {
        let info = VideoStreamInfo(
            codec: "h264", width: 640, height: 360, rotation: 0, frameRate: measured, start: .zero, duration: .zero,
            bitRate: nil, hasAlpha: false)
        return Canvas().resolvedFrameRate(first: info)
    }

    @Test func `whole, half and NTSC rates are kept`() {
        for whole in 1...240 as ClosedRange<Int64> { #expect(rate(Rational(whole)) == Rational(whole)) }
        for half in 2...120 as ClosedRange<Int64> { #expect(rate(Rational(half, 2)) == Rational(half, 2)) }
        for whole in [12, 15, 24, 30, 48, 60, 72, 90, 96, 120, 240] as [Int64] {
            #expect(rate(Rational(whole * 1000, 1001)) == Rational(whole * 1000, 1001))
        }
    }

    @Test(arguments: [
        // Rates of GIFs, which count in hundredths of a second, and rates with one decimal.
        ("100/3", "100/3"), ("100/7", "100/7"), ("22.7", "227/10"), ("43", "43"), ("12.5", "25/2"),
        // Rounded timestamps and averages.
        ("29.97002", "30000/1001"), ("2997/100", "30000/1001"), ("23976/1000", "24000/1001"),
        ("1000000/33333", "30"), ("1000/33", "30"), ("1000/42", "24"), ("1000/16", "125/2"), ("14.985", "15000/1001"),
        ("59.9402", "60000/1001"), ("29871/1001", "30"), ("35211/1409", "25"), ("17.43", "1743/100"),
        ("174311/10007", "17"),
        // Outside the range.
        ("300", "150"), ("480", "240"), ("960", "240"), ("1000", "200"), ("1/2", "1"), ("3/10", "6/5"),
        ("1/1000000007", "1"),
    ])
    func `a measured rate becomes an exact one`(measured: String, nominal: String) throws {
        #expect(rate(try #require(Rational(measured))) == Rational(nominal))
    }

    @Test func `every rate is near the measured one, and fits a file`() {
        let cases = Seed.cases(2000)
        let seed = Seed.announced(for: "NominalFrameRateTests", cases: cases)
        for index in 0..<cases {
            var random = SplitMix64.forCase(index, of: seed)
            let measured = Rational(
                Int64.random(in: 1...1_000_000, using: &random), Int64.random(in: 1...10_000, using: &random))
            let nominal = rate(measured)
            #expect(Canvas.frameRateRange.contains(nominal) && nominal.denominator <= 1001, "\(measured): \(nominal)")
            guard measured >= Rational(10), measured <= Rational(240) else { continue }
            #expect(abs(nominal.doubleValue / measured.doubleValue - 1) <= 0.05, "\(measured): \(nominal)")
        }
    }
}
