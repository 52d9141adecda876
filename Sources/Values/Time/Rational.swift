/// An exact fraction in lowest terms with a positive denominator: speeds and frame rates.
public struct Rational: Hashable, Sendable {
    public let numerator: Int64
    public let denominator: Int64

    public static let one = Rational(1)
    public static let zero = Rational(0)

    public init(_ whole: Int64) {
        numerator = whole
        denominator = 1
    }

    /// - Precondition: `denominator` is not zero.
    public init(_ numerator: Int64, _ denominator: Int64) {
        self.init(wide: Int128(numerator), Int128(denominator))
    }

    /// Reduces a wide fraction. One that does not fit 64 bits even when reduced (products of many
    /// unusual speeds) loses low bits on both sides: for values near one a relative error below
    /// 2⁻⁶². What is not zero stays so, and what is beyond 64 bits becomes the nearest bound, so
    /// that a reciprocal always exists.
    package init(wide numerator: Int128, _ denominator: Int128) {
        precondition(denominator != 0, "a fraction's denominator is never zero")
        var (n, d) = Self.reduced(numerator.magnitude, denominator.magnitude)
        let excess = 65 - min(n.leadingZeroBitCount, d.leadingZeroBitCount)
        if excess > 0 {
            (n, d) = Self.reduced(n == 0 ? 0 : max(1, n >> UInt128(excess)), max(1, d >> UInt128(excess)))
        }
        let isNegative = (numerator < 0) != (denominator < 0)
        self.numerator = isNegative ? -Int64(n) : Int64(n)
        self.denominator = Int64(d)
    }

    /// The fraction that `value` most likely means: the first convergent of its continued fraction
    /// that is within 10⁻¹² of it, else the last one with a denominator of at most `limit`. nil
    /// where `value` is not finite or beyond ±10⁹. `0.75` becomes 3/4, `29.97` 2997/100.
    public init?(_ value: Double, maximumDenominator limit: Int64 = 100_000) {
        guard value.isFinite, value.magnitude <= 1e9 else { return nil }
        var (h0, h1): (Int64, Int64) = (0, 1)
        var (k0, k1): (Int64, Int64) = (1, 0)
        var x = value.magnitude
        while true {
            let whole = x.rounded(.down)
            guard whole < 2e9 else { break }
            // The denominator first: while it is small, so is the numerator (about value ·
            // denominator).
            let a = Int64(whole)
            let k2 = a * k1 + k0
            if k2 > limit { break }
            (h0, h1, k0, k1) = (h1, a * h1 + h0, k1, k2)
            let rest = x - whole
            if rest < 1e-9 || (Double(h1) / Double(k1) - value.magnitude).magnitude < 1e-12 { break }
            x = 1 / rest
        }
        self.init(value < 0 ? -h1 : h1, k1)
    }

    public var doubleValue: Double { Double(numerator) / Double(denominator) }
    /// - Precondition: not zero.
    public var reciprocal: Rational { Rational(denominator, numerator) }

    public static func * (a: Rational, b: Rational) -> Rational {
        if a == .one { return b }
        if b == .one { return a }
        return Rational(wide: Int128(a.numerator) * Int128(b.numerator), Int128(a.denominator) * Int128(b.denominator))
    }

    /// - Precondition: `b` is not zero.
    public static func / (a: Rational, b: Rational) -> Rational {
        Rational(wide: Int128(a.numerator) * Int128(b.denominator), Int128(a.denominator) * Int128(b.numerator))
    }

    private static func reduced(_ n: UInt128, _ d: UInt128) -> (UInt128, UInt128) {
        var (a, b) = (n, d)
        while b != 0 { (a, b) = (b, a % b) }
        return (n / a, d / a)
    }
}

extension Rational: Comparable {
    public static func < (a: Rational, b: Rational) -> Bool {
        Int128(a.numerator) * Int128(b.denominator) < Int128(b.numerator) * Int128(a.denominator)
    }
}

extension Rational: CustomStringConvertible {
    /// `3/2`, or `2` for a whole number.
    public var description: String { denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)" }

    /// A rate as people write it, with at most three decimals: `29.97`, `23.976`, `12.5`, `30`.
    public var rateForPeople: String {
        let thousandths = (doubleValue * 1000).rounded()
        return thousandths == 0 ? description : Value.text(of: thousandths / 1000)
    }

    /// Reads `3/2`, `30000/1001`, `2` and decimals such as `0.75`.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2, let n = Int64(parts[0]), let d = Int64(parts[1]), d != 0, n != .min, d != .min {
            self.init(n, d)
        } else if parts.count == 1, let value = Double(parts[0]) {
            self.init(value)
        } else {
            return nil
        }
    }
}

extension Rational: Codable {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let value = Rational(text) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath, debugDescription: "‘\(text)’ is not a fraction such as 30000/1001"))
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
