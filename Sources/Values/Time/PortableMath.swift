/// Functions that are the same on every machine: the C library's differ in their last bits from one
/// to another, and what workers calculate decides bytes.
package enum PortableMath {
    /// Returns sin(π x), to 10⁻¹¹; exact for multiples of 1/2, and 0 for infinities and NaN.
    package static func sinPi(_ x: Double) -> Double {
        guard x.isFinite else { return 0 }
        let whole = x.rounded()
        // The series at π t, |t| ≤ 1/2.
        let t = (x - whole) * .pi
        if abs(x - whole) == 0.5 { return (x - whole).sign == .plus ? parity(whole) : -parity(whole) }
        let square = t * t
        var sum = 0.0
        for n in stride(from: 17.0, through: 3, by: -2) { sum = (1 + sum) * -square / (n * (n - 1)) }
        return parity(whole) * t * (1 + sum)
    }

    /// Returns cos(π x), with the same errors as ``sinPi(_:)``.
    package static func cosPi(_ x: Double) -> Double { sinPi(x + 0.5) }

    /// Returns 2 to the power of x, with a relative error of 10⁻¹³.
    package static func exp2(_ x: Double) -> Double {
        let whole = min(1023, max(-1022, x.rounded()))
        let t = (min(1024, max(-1023, x)) - whole) * 0.693147180559945309417
        var sum = 1.0
        for n in stride(from: 13.0, through: 1, by: -1) { sum = 1 + sum * t / n }
        return Double(sign: .plus, exponent: Int(whole), significand: 1) * sum
    }

    /// Returns −1 for odd numbers, else 1.
    private static func parity(_ whole: Double) -> Double { whole.truncatingRemainder(dividingBy: 2) == 0 ? 1 : -1 }
}
