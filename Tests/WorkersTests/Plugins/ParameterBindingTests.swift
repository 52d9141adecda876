import Draft
import Testing

@testable import PluginHosting

@Suite struct ParameterBindingTests {
    private let binding = ParameterBinding([
        parameter("amount", .double, unit: "px", 0, 500, [8]), parameter("count", .int, 1, 9, [3]),
        parameter("on", .bool, 0, 0, [1]),
        parameter("mode", .enum, 0, 0, [1], choices: ["soft", "hard", "very_hard"]),
        parameter("tint", .color, 0, 1, [0, 0, 0, 1]),
        parameter("centre", .point, 0, 0, [0.5, 0.5]), parameter("label", .string, 0, 0, [], text: "hi"),
        parameter("file", .path, 0, 0, []),
    ])

    @Test func defaultsFillTheGaps() throws {
        let values = try binding.resolve([:])
        #expect(values == binding.defaults)
        #expect(values[0] == .numbers([8, 0, 0, 0]) && values[6] == .text("hi") && values[7] == .text(""))
    }

    @Test func textsBecomeNumbers() throws {
        let values = try binding.resolve([
            "tint": .text("#f80"), "mode": .text("very_hard"), "centre": .numbers([-4, 9000]), "on": .numbers([0]),
        ])
        #expect(values[4] == .numbers([1, Double(0x88) / 255, 0, 1]))
        #expect(values[3] == .numbers([2, 0, 0, 0]))
        #expect(values[5] == .numbers([-4, 9000, 0, 0]))
        #expect(values[2] == .numbers([0, 0, 0, 0]))
        #expect(try binding.resolve(["tint": .numbers([1, 0.5, 0])])[4] == .numbers([1, 0.5, 0, 1]))
    }

    @Test(arguments: [
        ("amuont", ParameterInput.numbers([1]), "has no parameter ‘amuont’; did you mean ‘amount’?"),
        ("amount", .numbers([900]), "parameter ‘amount’ is 900, but must lie between 0 and 500 px"),
        ("amount", .numbers([.nan]), "is 0/0, which is not a number, but must be a number"),
        ("amount", .numbers([.infinity]), "is infinity, but"),
        ("amount", .numbers([1, 2]), "has 2 numbers, but must be a number"), ("amount", .numbers([]), "has 0 numbers"),
        ("amount", .text("much"), "but must be a number"), ("count", .numbers([2.5]), "whole number"),
        ("count", .numbers([10]), "between 1 and 9"), ("on", .numbers([2]), "true or false"),
        ("mode", .text("hrad"), "did you mean ‘hard’?"),
        ("mode", .numbers([3]), "one of soft, hard, very_hard"), ("tint", .text("reddish"), "#ff8800"),
        ("tint", .numbers([2, 0, 0]), "between 0 and 1"),
        ("label", .numbers([1]), "must be a text"), ("file", .text("a\u{0}b"), "zero byte"),
    ])
    func mistakesAreNamed(id: String, input: ParameterInput, words: String) {
        let rejection = #expect(throws: ParameterBinding.Rejection.self) { try binding.resolve([id: input]) }
        #expect(rejection?.reason.contains(words) == true, "\(rejection?.reason ?? "")")
    }
}

private func parameter(
    _ id: String, _ kind: ParameterDescriptor.Kind, unit: String = "", _ minimum: Double, _ maximum: Double,
    _ initial: [Double],
    text: String = "", choices: [String] = []
) -> ParameterDescriptor {
    ParameterDescriptor(
        id: id, kind: kind, label: id, unit: unit, help: "", isAnimatable: true, minimum: minimum, maximum: maximum,
        initial: initial,
        initialText: text, choices: choices)
}
