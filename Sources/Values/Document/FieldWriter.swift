/// Builds an object's value; what has its default is left out, so that a document says only what
/// was decided.
package struct FieldWriter {
    /// Where relative paths are to start; nil: paths are absolute.
    package let folder: String?
    package private(set) var fields: [String: Value] = [:]

    package init(folder: String? = nil) { self.folder = folder }

    package mutating func put(_ key: String, _ value: Value?) {
        if let value { fields[key] = value }
    }

    package mutating func remove(_ key: String) { fields[key] = nil }

    package mutating func put(_ key: String, _ text: String?) { put(key, text.map(Value.string)) }
    package mutating func put(_ key: String, path: String?) { put(key, path.map(written)) }
    package mutating func put(_ key: String, _ time: Time?) { put(key, time.map { .string($0.description) }) }
    package mutating func put(_ key: String, _ range: TimeRange?) {
        put(key, range.map(\.value))
    }
    package mutating func put(_ key: String, _ integer: Int?) { put(key, integer.map { .number(Double($0)) }) }
    package mutating func put(_ key: String, _ number: Double?) { put(key, number.map(Value.number)) }

    /// Returns an absolute path as it is written.
    package func written(path: String) -> String { folder.map { relativePath(path, to: $0) } ?? path }

    package var value: Value { .object(fields) }
}

extension Rational {
    /// A number where that is exact and short (`1.5`, `30`), else a fraction.
    package var value: Value {
        let number = doubleValue
        return Rational(number, maximumDenominator: 1000) == self ? .number(number) : .string(description)
    }
}

extension Animated {
    package var value: Value { value(of: Animated.value) }

    /// - Parameter form: what one time's numbers are written as.
    package func value(of form: ([Double]) -> Value) -> Value {
        switch self {
        case .constant(let value): return form(value)
        case .keyframes(let keys):
            return .array(
                keys.map { key in
                    let easing: [Value] = key.easing == .linear ? [] : [.string(key.easing.description)]
                    return .array([.string(key.time.description), form(key.value)] + easing)
                })
        case .function(let id): return .function(id)
        }
    }

    private static func value(of components: [Double]) -> Value {
        components.count == 1 ? .number(components[0]) : .array(components.map(Value.number))
    }
}

extension TimeRange {
    /// `[start, duration]`, exact.
    package var value: Value { .array([.string(start.description), .string(duration.description)]) }
}
