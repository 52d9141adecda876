import CPortableMath
import Foundation
import TestSupport
import Testing

@Suite struct PortableMathTests {
    private struct Function: Sendable {
        var name: String
        var portable: @Sendable (Double) -> Double
        var reference: @Sendable (Double) -> Double
        var range: ClosedRange<Double>
        /// Arguments are 2 to the power of the range.
        var isLogarithmic = false
    }

    private static let functions = [
        Function(name: "exp", portable: pm_exp, reference: exp, range: -740...709),
        Function(name: "exp2", portable: pm_exp2, reference: exp2, range: -1070...1023),
        Function(name: "log", portable: pm_log, reference: log, range: -1070...1023, isLogarithmic: true),
        Function(name: "log2", portable: pm_log2, reference: log2, range: -1070...1023, isLogarithmic: true),
        Function(name: "log10", portable: pm_log10, reference: log10, range: -1070...1023, isLogarithmic: true),
        Function(name: "log near 1", portable: pm_log, reference: log, range: -0.5...0.5, isLogarithmic: true),
        Function(name: "sin", portable: pm_sin, reference: sin, range: -10_000...10_000),
        Function(name: "cos", portable: pm_cos, reference: cos, range: -10_000...10_000),
        Function(name: "pow 2.4", portable: { pm_pow($0, 2.4) }, reference: { pow($0, 2.4) }, range: 0...1),
        Function(name: "pow 78.8", portable: { pm_pow($0, 78.84) }, reference: { pow($0, 78.84) }, range: 0.8...1),
        Function(name: "pow 10", portable: { pm_pow(10, $0) }, reference: { pow(10, $0) }, range: -300...300),
    ]

    /// The C library's are correct to about half an ulp, these to less than one.
    @Test func `every function is near the exact value`() {
        let cases = Seed.cases(20_000)
        let seed = Seed.announced(for: "PortableMathTests", cases: cases)
        for function in Self.functions {
            var random = SplitMix64.forCase(0, of: seed)
            for _ in 0..<cases {
                let drawn = Double.random(in: function.range, using: &random)
                let x = function.isLogarithmic ? exp2(drawn) : drawn
                let (found, exact) = (function.portable(x), function.reference(x))
                let bound = 2 * max(exact.ulp, 0x1p-60 * (function.range.upperBound > 2000 ? 1 : 0))
                if abs(found - exact) > bound {
                    Issue.record("\(function.name)(\(x)) is \(found), not \(exact)")
                    break
                }
            }
        }
    }

    /// The same bits on every machine: any other compiler, processor or library that changes one
    /// fails here.
    @Test func `the bits are what they are everywhere`() {
        var sums: [String: UInt64] = [:]
        for function in Self.functions {
            var random = SplitMix64(seed: 34)
            var sum: UInt64 = 0
            for _ in 0..<10_000 {
                // Made without the C library.
                let share = Double(random.next() >> 11) * 0x1p-53
                let drawn = function.range.lowerBound + (function.range.upperBound - function.range.lowerBound) * share
                let x =
                    function.isLogarithmic
                    ? Double(sign: .plus, exponent: Int(drawn.rounded(.down)), significand: 1 + share) : drawn
                sum = sum &* 31 &+ function.portable(x).bitPattern
            }
            sums[function.name] = sum
        }
        #expect(sums == Self.sums)
    }

    private static let sums: [String: UInt64] = [
        "cos": 0x14731A6123C91796,
        "exp": 0x24D9DEFDCEE350BA,
        "exp2": 0x879A1F792FBC45E2,
        "log": 0xA216E31CF4485934,
        "log near 1": 0xAF9F6374BF5C209D,
        "log10": 0x2CFAEFF5A2D6E76A,
        "log2": 0xF9BD2ABE710895C1,
        "pow 10": 0x9375F71DE0973CF5,
        "pow 2.4": 0xE7368B0BDB76AAD5,
        "pow 78.8": 0x9045CE08552CDA22,
        "sin": 0x792A17A5B11F4C47,
    ]

    @Test func `exact cases and edges`() {
        #expect(pm_exp(0) == 1 && pm_exp2(10) == 1024 && pm_exp2(-1074) == 0x1p-1074 && pm_log(1) == 0)
        #expect(pm_log2(0x1p-1074) == -1074 && pm_log10(1000) == 3 && pm_pow(2, 10) == 1024 && pm_pow(10, -2) == 0.01)
        #expect(pm_sin(0) == 0 && pm_cos(0) == 1 && pm_hypot(3, 4) == 5)
        #expect(pm_exp(1000) == .infinity && pm_exp(-1000) == 0 && pm_exp(.nan).isNaN)
        #expect(pm_log(0) == -.infinity && pm_log(-1).isNaN && pm_log(.infinity) == .infinity && pm_log2(.nan).isNaN)
        for (x, y) in [
            (0.0, 0.0), (0, 2), (0, -2), (-2, 3), (-2, 2), (-2, 0.5), (1, .nan), (.nan, 0), (.nan, 1), (2, .infinity),
            (0.5, .infinity), (0.5, -.infinity), (.infinity, 2), (.infinity, -1), (-.infinity, 3), (1e300, 2),
            (1e-300, 2), (-1, .infinity), (-0.0, -3), (7, 1), (.leastNonzeroMagnitude, 0.5),
        ] as [(Double, Double)] {
            let (found, exact) = (pm_pow(x, y), pow(x, y))
            #expect(found == exact || found.isNaN && exact.isNaN, "\(x) to the power of \(y) is \(found), not \(exact)")
        }
        #expect(pm_sin(.infinity).isNaN && pm_cos(.nan).isNaN && abs(pm_sin(1e300)) <= 1)
    }
}
