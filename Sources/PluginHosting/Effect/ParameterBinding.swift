import Draft
import PluginABI
import Values

/// A value for a parameter at one time, as a draft gives it.
package enum ParameterInput: Hashable, Sendable {
    /// A number for each component of the parameter; a colour may leave alpha out. A switch is 0 or
    /// 1.
    case numbers([Double])
    /// A text, a path, the name of an enumeration's value, or a colour such as `#ff8800`.
    case text(String)
}

/// Gives an effect's parameters their values: what is given is checked and resolved, what is not
/// takes its default.
package struct ParameterBinding: Sendable {
    /// A parameter's value in the interface's terms.
    package enum Value: Hashable, Sendable {
        case numbers(SIMD4<Double>)
        case text(String)
    }

    package let parameters: [ParameterDescriptor]
    private let indices: [String: Int]
    /// Every parameter's default, in the parameters' order.
    package let defaults: [Value]

    package init(_ parameters: [ParameterDescriptor]) {
        self.parameters = parameters
        indices = Dictionary(parameters.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        defaults = parameters.map { parameter in
            if parameter.kind.componentCount == 0 { return .text(parameter.initialText) }
            return .numbers(Self.vector(parameter.initial))
        }
    }

    /// What is wrong with a value: a sentence without a subject, for example
    /// `parameter ‘amount’ is 900, but must lie between 0 and 500 px`.
    struct Rejection: Error, Hashable {
        var reason: String
    }

    /// A value for each parameter, in their order.
    func resolve(_ inputs: [String: ParameterInput]) throws(Rejection) -> [Value] {
        var values = defaults
        // In order of name, so that of several mistakes the same one is always reported.
        for (id, input) in inputs.sorted(by: { $0.key < $1.key }) {
            guard let index = indices[id] else {
                let offered = parameters.filter { !$0.isHidden }.map(\.id)
                let hint = offered.isEmpty ? "; it has none" : suggestion(for: id, in: offered)
                throw Rejection(reason: "has no parameter ‘\(id)’\(hint)")
            }
            values[index] = try resolve(input, for: parameters[index])
        }
        return values
    }

    private func resolve(_ input: ParameterInput, for parameter: ParameterDescriptor) throws(Rejection) -> Value {
        let refusal =
            switch input {
            case .text(let text): parameter.refusal(of: text)
            case .numbers(let numbers): parameter.refusal(of: numbers)
            }
        if let refusal { throw Rejection(reason: "parameter ‘\(parameter.id)’ \(refusal)") }
        switch input {
        case .numbers(let numbers):
            let isOpaque = parameter.kind == .color && numbers.count == 3
            return .numbers(Self.vector(isOpaque ? numbers + [1] : numbers))
        case .text(let text):
            if let choice = parameter.choices.firstIndex(of: text) { return .numbers([Double(choice), 0, 0, 0]) }
            guard parameter.kind == .color, let color = Color(text) else { return .text(text) }
            return .numbers(Self.vector([color.red, color.green, color.blue, color.alpha].map { Double($0) / 255 }))
        }
    }

    private static func vector(_ numbers: [Double]) -> SIMD4<Double> {
        var vector = SIMD4<Double>()
        for (index, number) in numbers.prefix(4).enumerated() { vector[index] = number }
        return vector
    }
}
