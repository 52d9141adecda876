import Values

extension Rational {
    /// Returns the exact frame rate that a rate measured in a file stands for, within 1 … 240.
    ///
    /// A rate that a file states as a simple fraction is kept: 15, 12.5, 100/3. A measured one
    /// comes from rounded timestamps or is an average. Where it agrees to 0.05 % with a whole
    /// number, half of one, or an NTSC rate (n · 1000/1001), it is the nearest of these: 29.97002
    /// is 30000/1001. A coarser one cannot tell 30 from 29.97, and is the whole number in common
    /// use within 2 %: frames 33 ms apart (1000/33) are 30 per second. Rates beyond 240 are divided
    /// by a whole number and rates below 1 multiplied by one, so that frames are left out or
    /// repeated evenly.
    ///
    /// - Precondition: more than zero.
    package var nominalFrameRate: Rational {
        let rate = withinFrameRates
        if rate.denominator <= 12 { return rate }
        let value = rate.doubleValue
        func distance(_ other: Rational) -> Double { abs(other.doubleValue - value) / value }
        let exact = rate.exactNeighbours.min { distance($0) < distance($1) }
        if let exact, distance(exact) <= 0.0005 { return exact }
        let common = [12, 15, 20, 24, 25, 30, 48, 50, 60, 72, 75, 90, 100, 120, 144, 240].map { Rational($0) }
        if let nearest = common.min(by: { distance($0) < distance($1) }), distance(nearest) <= 0.02 { return nearest }
        if rate.denominator <= 100 { return rate }
        return Rational(Int64(max(1, min(240, value.rounded()))))
    }

    /// The rate multiplied or divided by the smallest whole number that brings it into 1 … 240.
    private var withinFrameRates: Rational {
        let range = Canvas.frameRateRange
        if self > range.upperBound { return self / Rational(Int64((doubleValue / 240).rounded(.up))) }
        if self < range.lowerBound {
            return min(range.upperBound, self * Rational(Int64(min(1e15, (1 / doubleValue).rounded(.up)))))
        }
        return self
    }

    /// The nearest whole number, half and NTSC rate. NTSC rates derive from parts and multiples of
    /// 24 and 30.
    private var exactNeighbours: [Rational] {
        let halves = Int64((doubleValue * 2).rounded())
        let ntsc = Int64((doubleValue * 1.001).rounded())
        let isNTSC = ntsc > 0 && [24, 30].contains { $0 % ntsc == 0 || ntsc % $0 == 0 }
        return ([Rational(halves, 2)] + (isNTSC ? [Rational(ntsc * 1000, 1001)] : []))
            .filter(Canvas.frameRateRange.contains)
    }
}
