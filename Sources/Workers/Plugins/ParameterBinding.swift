import Draft
import PluginABI

/// A value for a parameter at one time, as a draft gives it.
enum ParameterInput: Hashable, Sendable {
    /// As many as the parameter has components; a colour may leave alpha out. A switch is 0 or 1.
    case numbers([Double])
    /// A text, a path, the name of an enumeration's value, or a colour such as `#ff8800`.
    case text(String)
}

/// Gives an effect's parameters their values: what is given is checked and resolved, what is not takes its default.
struct ParameterBinding: Sendable {
    /// A parameter's value in the interface's terms.
    enum Value: Hashable, Sendable {
        case numbers(SIMD4<Double>)
        case text(String)
    }

    let parameters: [ParameterDescriptor]
    private let indices: [String: Int]
    /// Every parameter's default, in the parameters' order.
    let defaults: [Value]

    init(_ parameters: [ParameterDescriptor]) {
        self.parameters = parameters
        indices = Dictionary(parameters.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        defaults = parameters.map { parameter in
            if parameter.kind.componentCount == 0 { return .text(parameter.initialText) }
            return .numbers(Self.vector(parameter.initial))
        }
    }

    /// What is wrong with a value: a sentence without a subject, for example
    /// `parameter ‘amount’ is 900 px; it must be in 0…500 px`.
    struct Rejection: Error, Hashable {
        var reason: String
    }

    /// A value for each parameter, in their order.
    func resolve(_ inputs: [String: ParameterInput]) throws(Rejection) -> [Value] {
        var values = defaults
        // In order of name, so that of several mistakes the same one is always reported.
        for (id, input) in inputs.sorted(by: { $0.key < $1.key }) {
            guard let index = indices[id] else {
                let hint = parameters.isEmpty ? "; it has none" : suggestion(for: id, in: parameters.map(\.id))
                throw Rejection(reason: "has no parameter ‘\(id)’\(hint)")
            }
            values[index] = try resolve(input, for: parameters[index])
        }
        return values
    }

    private func resolve(_ input: ParameterInput, for parameter: ParameterDescriptor) throws(Rejection) -> Value {
        let name = "parameter ‘\(parameter.id)’"
        switch (input, parameter.kind) {
        case (.text(let text), .string), (.text(let text), .path):
            guard !text.utf8.contains(0) else { throw Rejection(reason: "\(name) contains a zero byte; texts must not") }
            return .text(text)
        case (.numbers, .string), (.numbers, .path):
            throw Rejection(reason: "\(name) is a text, not a number; write it in quotes")
        case (.text(let text), .enum):
            guard let index = parameter.choices.firstIndex(of: text) else {
                throw Rejection(reason: "\(name) cannot be ‘\(text)’\(suggestion(for: text, in: parameter.choices))")
            }
            return .numbers([Double(index), 0, 0, 0])
        case (.text(let text), .color):
            guard let color = Color(text) else {
                throw Rejection(reason: "\(name) is ‘\(text)’; a colour is written #rrggbb or #rrggbbaa")
            }
            let bytes = [color.red, color.green, color.blue, color.alpha]
            return .numbers(Self.vector(bytes.map { Double($0) / 255 }))
        case (.text(let text), _):
            throw Rejection(reason: "\(name) is the text ‘\(text)’; it must be a number")
        case (.numbers(let numbers), _):
            return .numbers(try check(numbers, for: parameter, name: name))
        }
    }

    private func check(
        _ given: [Double], for parameter: ParameterDescriptor, name: String
    ) throws(Rejection) -> SIMD4<Double> {
        let count = parameter.kind.componentCount
        let numbers = parameter.kind == .color && given.count == 3 ? given + [1] : given
        guard numbers.count == count else {
            throw Rejection(reason: "\(name) has \(given.count) numbers; it takes \(count)")
        }
        let unit = parameter.unit.isEmpty ? "" : " " + parameter.unit
        for number in numbers {
            guard number.isFinite else { throw Rejection(reason: "\(name) is not a finite number") }
            if parameter.kind != .double, parameter.kind != .color, parameter.kind != .point, number != number.rounded() {
                throw Rejection(reason: "\(name) is \(number); it must be a whole number")
            }
            guard let bounds = Self.bounds(of: parameter), !bounds.contains(number) else { continue }
            throw Rejection(
                reason: "\(name) is \(Self.text(number))\(unit); it must be in "
                    + "\(Self.text(bounds.lowerBound))…\(Self.text(bounds.upperBound))\(unit)")
        }
        return Self.vector(numbers)
    }

    /// The range of every component; nil where there is none.
    static func bounds(of parameter: ParameterDescriptor) -> ClosedRange<Double>? {
        switch parameter.kind {
        case .bool: 0...1
        case .enum: 0...Double(max(parameter.choices.count, 1) - 1)
        default: parameter.minimum < parameter.maximum ? parameter.minimum...parameter.maximum : nil
        }
    }

    private static func vector(_ numbers: [Double]) -> SIMD4<Double> {
        var vector = SIMD4<Double>()
        for (index, number) in numbers.prefix(4).enumerated() { vector[index] = number }
        return vector
    }

    /// `8`, not `8.0`.
    private static func text(_ number: Double) -> String {
        number == number.rounded() && number.magnitude < 1e15 ? "\(Int64(number))" : "\(number)"
    }
}
