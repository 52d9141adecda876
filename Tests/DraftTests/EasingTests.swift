import Foundation
import TestSupport
import Testing
import Values

@testable import Draft

@Suite struct EasingTests {
    private static let swinging: Set<Easing.Curve> = [.back, .elastic, .bounce]

    @Test(arguments: Easing.named + [.steps(1), .steps(7), .bezier(x1: 0.4, y1: 0, x2: 0.2, y2: 1)])
    func `it goes from 0 to 1, and is read as it is written`(easing: Easing) throws {
        #expect(easing.ease(0) == 0)
        #expect(easing == .hold ? easing.ease(0.999) == 0 : easing.ease(1) == 1)
        #expect(Easing(easing.description) == easing)
        let data = try JSONEncoder().encode([easing])
        #expect(try JSONDecoder().decode([Easing].self, from: data) == [easing])
        if case .curve(let curve, _) = easing, Self.swinging.contains(curve) { return }
        let values = stride(from: 0.0, through: 1, by: 0.01).map(easing.ease)
        #expect(zip(values, values.dropFirst()).allSatisfy { $0 <= $1 } && values.allSatisfy { (0...1).contains($0) })
    }

    @Test func `there are Penner's thirty, and each has its own name`() {
        #expect(Easing.named.count == 2 + 30)
        #expect(Set(Easing.named.map(\.description)).count == Easing.named.count)
        #expect(Easing("ease_in_cubic") == .easeIn && Easing.easeIn.description == "ease_in")
    }

    /// Values of Penner's formulas as Robert Penner's own code gives them.
    @Test func `the curves are the ones that are named`() {
        func value(_ name: String, _ p: Double) -> Double { Easing(name)?.ease(p) ?? .nan }
        let expected: [(String, Double, Double)] = [
            ("linear", 0.25, 0.25), ("ease_in", 0.5, 0.125), ("ease_out", 0.5, 0.875), ("ease_in_out", 0.25, 0.0625),
            ("ease_in_out", 0.75, 0.9375), ("ease_in_quad", 0.5, 0.25), ("ease_in_quart", 0.5, 0.0625),
            ("ease_in_quint", 0.5, 0.03125), ("ease_in_sine", 0.5, 1 - cos(.pi / 4)), ("ease_in_circ", 0.6, 0.2),
            ("ease_in_expo", 0.5, 0.03125), ("ease_out_back", 0.5, 1.0876975), ("ease_in_back", 0.5, -0.0876975),
            ("ease_in_elastic", 0.5, -pow(2, -5) * sin(-5.75 * 2 * .pi / 3)), ("ease_out_bounce", 0.5, 0.765625),
            ("ease_in_out_elastic", 0.25, -pow(2, -5) * sin((20 * 0.25 - 11.125) * 2 * .pi / 4.5) / 2),
            ("steps(4)", 0.3, 0.25), ("steps(4)", 0.25, 0.25), ("cubic-bezier(0, 0, 1, 1)", 0.3, 0.3),
            // CSS: ease at its middle.
            ("cubic-bezier(0.25, 0.1, 0.25, 1)", 0.5, 0.8024034),
        ]
        for (name, p, wanted) in expected {
            #expect(abs(value(name, p) - wanted) < 1e-6, "\(name) at \(p): \(value(name, p))")
        }
    }

    @Test(arguments: [
        "", "bounce", "ease_in_out_", "cubic-bezier()", "cubic-bezier(0,0,1)", "cubic-bezier(-0.1,0,1,1)",
        "cubic-bezier(0,0,nan,1)", "cubic-bezier(0,11,1,1)", "cubic-bezier(0,0,1,1", "steps(0)", "steps(1.5)",
        "steps(1001)",
        "steps(4, start)",
    ])
    func `what is no easing is refused`(name: String) { #expect(Easing(name) == nil) }

    @Test func `the functions are those of mathematics`() {
        for x in stride(from: -7.0, through: 7, by: 0.0137) {
            #expect(abs(PortableMath.sinPi(x) - sin(.pi * x)) < 1e-11, "sin \(x)")
            #expect(abs(PortableMath.cosPi(x) - cos(.pi * x)) < 1e-11, "cos \(x)")
            #expect(abs(PortableMath.exp2(3 * x) / pow(2, 3 * x) - 1) < 1e-12, "2^\(3 * x)")
        }
        #expect([0, 0.5, 1, 1.5, 2, -0.5].map(PortableMath.sinPi) == [0, 1, 0, -1, 0, -1])
        #expect([-10, 0, 1, 20].map(PortableMath.exp2) == [1 / 1024, 1, 2, 1_048_576])
    }
}
