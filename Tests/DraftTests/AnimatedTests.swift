import TestSupport
import Testing
import Values

@testable import Draft

@Suite struct AnimatedTests {
    private func at(_ seconds: Double) -> Time { Time(seconds: seconds) ?? .zero }

    @Test func valuesBetweenKeys() {
        let animated = Animated.keyframes([
            Keyframe(time: at(1), value: [0, 10]), Keyframe(time: at(2), value: [1, 20], easing: .hold),
            Keyframe(time: at(3), value: [5, 0], easing: .easeIn), Keyframe(time: at(4), value: [6, 8]),
        ])
        #expect(animated.value(at: .zero) == [0, 10])
        #expect(animated.value(at: at(1.5)) == [0.5, 15])
        #expect(animated.value(at: at(2)) == [1, 20] && animated.value(at: at(2.999)) == [1, 20])
        #expect(animated.value(at: at(3.5)) == [5.125, 1])
        #expect(animated.value(at: at(4)) == [6, 8] && animated.value(at: at(400)) == [6, 8])
        #expect(animated.keyValues.count == 4 && !animated.isConstant && animated.scalar(at: at(4)) == 6)
        #expect(Animated.constant(3).value(at: at(7)) == [3] && Animated.constant(3).isConstant)
        #expect(Animated.function(1).value(at: .zero).isEmpty && Animated.function(1).scalar(at: .zero) == 0)
        #expect(
            Animated.keyframes([]).value(at: .zero).isEmpty
                && Animated.keyframes([]).trimmed(to: .zero) == .keyframes([]))
    }

    @Test func trimmingChangesNothingInside() {
        let seed = Seed.announced(for: "trimmed keyframes", cases: 1000)
        for index in 0..<1000 {
            var generator = RandomDraft(.forCase(index, of: seed))
            let animated = generator.animated()
            let range = generator.range(within: 4)
            let trimmed = animated.trimmed(to: range)
            for step in 0...20 {
                let time = range.start + Time(flicks: range.duration.flicks / 20 * Int64(step))
                #expect(trimmed.value(at: time) == animated.value(at: time), "case \(index)")
            }
            if case .keyframes(let keys) = trimmed, keys.count > 2 {
                #expect(keys.dropFirst().dropLast().allSatisfy(range.contains(keyTime:)))
            }
        }
    }

    @Test func `between keys a whole number is whole and a choice is the earlier one`() {
        let keys = Animated.keyframes([
            Keyframe(time: seconds(1), value: [0]), Keyframe(time: seconds(3), value: [3], easing: .easeIn),
        ])
        func values(_ kind: ParameterDescriptor.Kind) -> [Double] {
            let parameter = ParameterDescriptor(
                id: "a", kind: kind, label: "", unit: "", help: "", isAnimatable: true, minimum: 0, maximum: 3,
                initial: [0], initialText: "", choices: ["a", "b", "c", "d"])
            return [0, 1, 1.5, 2.5, 3, 9].map { parameter.numbers(of: keys, at: seconds($0))[0] }
        }
        #expect(values(.double) == [0, 0, 0.75, 2.25, 3, 3])
        #expect(values(.int) == [0, 0, 1, 2, 3, 3])
        #expect(values(.enum) == [0, 0, 0, 0, 3, 3] && values(.bool) == values(.enum))
        #expect(
            ParameterDescriptor(
                id: "b", kind: .bool, label: "", unit: "", help: "", isAnimatable: true, minimum: 0, maximum: 1,
                initial: [0], initialText: "", choices: []
            ).numbers(of: .constant(1), at: seconds(2)) == [1])
    }

    @Test func `an easing that goes too far stays at the parameter's bounds`() {
        func parameter(_ kind: ParameterDescriptor.Kind, to maximum: Double) -> ParameterDescriptor {
            ParameterDescriptor(
                id: "a", kind: kind, label: "", unit: "", help: "", isAnimatable: true, minimum: 0, maximum: maximum,
                initial: [0], initialText: "", choices: [])
        }
        for easing in [Easing.curve(.back, .inOut), .curve(.elastic, .out)] {
            let keys = Animated.keyframes([
                Keyframe(time: .zero, value: [0], easing: easing), Keyframe(time: seconds(2), value: [9]),
            ])
            let times = (0...60).map { seconds(Double($0) / 30) }
            #expect(times.contains { keys.scalar(at: $0) > 9.5 })
            for kind in [ParameterDescriptor.Kind.double, .int] {
                let values = times.map { parameter(kind, to: 9).numbers(of: keys, at: $0)[0] }
                #expect(values.allSatisfy { (0...9).contains($0) } && values.contains(9))
                // One without a range takes all.
                #expect(times.contains { parameter(kind, to: 0).numbers(of: keys, at: $0)[0] > 9.4 })
            }
        }
    }
}

extension TimeRange {
    fileprivate func contains(keyTime key: Keyframe) -> Bool { contains(key.time) }
}
