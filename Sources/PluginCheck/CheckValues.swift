import Draft
import PluginABI
import PluginHosting

/// A value for each parameter of an effect.
struct CheckValues {
    /// The name for messages: "default values".
    var name: String
    var values: [ParameterBinding.Value]

    private static let texts = ["", "grüße", String(repeating: "x", count: 1000)]
    /// The range of numbers without bounds, which may be anything.
    private static let unbounded = -10_000.0...10_000

    static func defaults(_ binding: ParameterBinding) -> CheckValues {
        CheckValues(name: "default values", values: binding.defaults)
    }

    static func minima(_ binding: ParameterBinding) -> CheckValues {
        CheckValues(
            name: "values at their minimum",
            values: binding.parameters.map { extreme($0, \.lowerBound, text: texts[0]) })
    }

    static func maxima(_ binding: ParameterBinding) -> CheckValues {
        CheckValues(
            name: "values at their maximum",
            values: binding.parameters.map { extreme($0, \.upperBound, text: texts[2]) })
    }

    /// Defaults, but one parameter at an end of its range.
    static func single(_ index: Int, _ end: KeyPath<ClosedRange<Double>, Double>, _ binding: ParameterBinding)
        -> CheckValues
    {
        var values = binding.defaults
        values[index] = extreme(binding.parameters[index], end, text: texts[1])
        let isLower = end == \ClosedRange<Double>.lowerBound
        return CheckValues(
            name: "‘\(binding.parameters[index].id)’ at its \(isLower ? "minimum" : "maximum")", values: values)
    }

    static func random(_ binding: ParameterBinding, using random: inout CheckRandom) -> CheckValues {
        let values = binding.parameters.map { parameter -> ParameterBinding.Value in
            let count = parameter.kind.componentCount
            if count == 0 { return text(parameter, texts[Int(random.next() % 3)]) }
            let bounds = range(parameter)
            var vector = SIMD4<Double>()
            for i in 0..<count {
                let number = Double.random(in: bounds, using: &random)
                vector[i] = isWhole(parameter) ? number.rounded() : number
            }
            return .numbers(vector)
        }
        return CheckValues(name: "random values", values: values)
    }

    private static func extreme(
        _ parameter: ParameterDescriptor, _ end: KeyPath<ClosedRange<Double>, Double>, text: String
    ) -> ParameterBinding.Value {
        let count = parameter.kind.componentCount
        if count == 0 { return self.text(parameter, text) }
        var vector = SIMD4<Double>()
        for i in 0..<count { vector[i] = range(parameter)[keyPath: end] }
        return .numbers(vector)
    }

    /// A path is absolute. Its file is missing here, as one that vanishes during a render.
    private static func text(_ parameter: ParameterDescriptor, _ text: String) -> ParameterBinding.Value {
        .text(parameter.kind == .path && !text.isEmpty ? "/nonexistent/" + text.prefix(200) : text)
    }

    private static func range(_ parameter: ParameterDescriptor) -> ClosedRange<Double> {
        let bounds = parameter.bounds ?? (parameter.kind == .color ? 0...1 : unbounded)
        guard isWhole(parameter) else { return bounds }
        // A render gives whole numbers only.
        let (low, high) = (bounds.lowerBound.rounded(.up), bounds.upperBound.rounded(.down))
        return low <= high ? low...high : bounds
    }

    static func isWhole(_ parameter: ParameterDescriptor) -> Bool { [.int, .bool, .enum].contains(parameter.kind) }

    /// The name and, where they are not the defaults, the values.
    func forPeople(_ binding: ParameterBinding) -> String {
        guard values != binding.defaults else { return name }
        let list = zip(binding.parameters, values).map { parameter, value in
            switch value {
            case .text(let text): "\(parameter.id) ‘\(text.count > 20 ? text.prefix(20) + "…" : text)’"
            case .numbers(let n):
                "\(parameter.id) \((0..<parameter.kind.componentCount).map { "\(n[$0])" }.joined(separator: " "))"
            }
        }
        return "\(name) (\(list.joined(separator: ", ")))"
    }
}
