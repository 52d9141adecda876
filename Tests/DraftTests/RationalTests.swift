import Foundation
import TestSupport
import Testing
import Values

@testable import Draft

@Suite struct RationalTests {
    @Test func isInLowestTermsWithAPositiveDenominator() {
        #expect(Rational(6, 4) == Rational(3, 2))
        #expect(Rational(3, -6).numerator == -1 && Rational(3, -6).denominator == 2)
        #expect(Rational(0, -7) == .zero && Rational(0, 5).denominator == 1)
        #expect(Rational(.min, .min) == .one)
    }

    @Test(
        arguments: [
            (0.75, "3/4"), (29.97, "2997/100"), (1.5, "3/2"), (30, "30"), (0, "0"), (-0.5, "-1/2"), (0.1, "1/10"),
            (1 / 3.0, "1/3"),
            (23.976, "2997/125"), (1e9, "1000000000"), (30000 / 1001.0, "30000/1001"), (0.01, "1/100"),
            (2 / 7.0, "2/7"),
        ] as [(Double, String)])
    func ofADecimal(value: Double, text: String) {
        #expect(Rational(value)?.description == text)
    }

    @Test func ofADecimalThatIsNone() {
        for value in [Double.nan, .infinity, -.infinity, 1.1e9, -2e9, .greatestFiniteMagnitude] {
            #expect(Rational(value) == nil)
        }
    }

    /// Hostile decimals: no overflow, and never further off than the denominators allow.
    @Test func ofAnyDecimal() {
        var random = SplitMix64(seed: Seed.announced(for: "Rational of decimals", cases: 20_000))
        for _ in 0..<20_000 {
            let magnitude = pow(10, Double.random(in: -12...9, using: &random))
            let value = Double.random(in: -magnitude...magnitude, using: &random)
            guard let result = Rational(value) else {
                Issue.record("no fraction for \(value)")
                continue
            }
            #expect(result.denominator <= 100_000)
            #expect(abs(result.doubleValue - value) <= 1.0 / 100_000, "\(value) became \(result)")
        }
        for value in [999_999_999.00001, 999_999_999.99999, 123_456_789.000_010_3, Double.leastNonzeroMagnitude] {
            #expect(Rational(value) != nil)
        }
    }

    @Test(arguments: ["3/2", "30000/1001", "2", "0.75", "-1/2", "1e2", "9223372036854775807/9223372036854775806"])
    func readsText(text: String) throws {
        let value = try #require(Rational(text))
        #expect(Rational(value.description) == value)
        #expect(try JSONDecoder().decode([Rational].self, from: JSONEncoder().encode([value])) == [value])
    }

    @Test(arguments: ["", "/", "1/0", "1/", "/2", "1/2/3", "a", "nan", "inf", "1e10", "-9223372036854775808/3", "1 /2"])
    func refusesText(text: String) {
        #expect(Rational(text) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Rational].self, from: JSONEncoder().encode([text]))
        }
    }

    @Test func field() {
        var random = SplitMix64(seed: Seed.announced(for: "Rational laws", cases: 2000))
        func any() -> Rational {
            Rational(Int64.random(in: -10_000...10_000, using: &random), Int64.random(in: 1...10_000, using: &random))
        }
        for _ in 0..<2000 {
            let (a, b, c) = (any(), any(), any())
            #expect(a * b == b * a && (a * b) * c == a * (b * c) && a * .one == a && .one * a == a)
            if b != .zero { #expect(a / b * b == a && b.reciprocal.reciprocal == b && b * b.reciprocal == .one) }
            #expect((a < b) == (a.doubleValue < b.doubleValue) && [a < b, a == b, b < a].filter(\.self).count == 1)
        }
    }

    /// Products of unusual speeds do not fit 64 bits: they are rounded, stay usable and are never
    /// zero.
    @Test func hugeProducts() {
        let near = Rational(.max, .max - 1)
        var product = Rational.one
        for _ in 0..<50 { product = product * near }
        #expect(abs(product.doubleValue - 1) < 1e-15)
        var tiny = Rational.one
        for _ in 0..<40 { tiny = tiny * Rational(1, 100) }
        #expect(tiny > .zero && tiny.reciprocal > .one)
        var huge = Rational.one
        for _ in 0..<40 { huge = huge * Rational(100) }
        #expect(huge > Rational(1_000_000_000) && huge.reciprocal > .zero)
        #expect((tiny * Rational(-1)) < .zero)
        #expect(Time(flicks: 1 << 60).scaled(by: huge) > .zero && Time(flicks: 1 << 60).scaled(by: tiny) >= .zero)
        let odd =
            Rational(3_037_000_499, 3_037_000_507) * Rational(9_223_372_036_854_775_783, 9_223_372_036_854_775_781)
        let again = Rational(odd.numerator, odd.denominator)
        #expect(odd == again, "rounded, but in lowest terms")
    }
}
