/// A tree of plain data: what a draft's document, a script's tables and an object's properties have
/// in common. One schema (the `init(reading:)` and `value` of each model type) serves all three;
/// what scripts write of plugins goes through ``ShortForm``.
public enum Value: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([Value])
    case object([String: Value])
    /// A script's function, by the number its script knows it under; never in a document.
    case function(Int)

    public var kindName: String {
        switch self {
        case .null: "nothing"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "a table"
        case .function: "a function"
        }
    }

    /// For messages: short, and never more than a line.
    public var forPeople: String {
        switch self {
        case .null: return "nothing"
        case .bool(let value): return "\(value)"
        case .number(let value): return Value.text(of: value)
        case .string(let value): return Value.quoted(value)
        case .array, .object, .function: return kindName
        }
    }

    /// A text for a message: in quotes, on one line and at most 60 characters of it.
    package static func quoted(_ text: String) -> String {
        let line = text.prefix(61).map { $0.isNewline ? "⏎" : String($0) }
        return line.count > 60 ? "‘\(line.prefix(57).joined())…’" : "‘\(line.joined())’"
    }

    /// The shortest text that reads back as the same number, without a needless `.0`; words for
    /// what is no number.
    public static func text(of number: Double) -> String {
        if number.isNaN { return "0/0, which is not a number" }
        if number.isInfinite { return number > 0 ? "infinity" : "-infinity" }
        if number == number.rounded(), number.magnitude < 1e15 { return "\(Int64(number))" }
        return "\(number)"
    }
}

extension Value {
    /// The entries of a list; none where it is no list.
    package var items: [Value] { if case .array(let items) = self { items } else { [] } }
    /// The fields of a table; none where it is no table.
    package var fields: [String: Value] { if case .object(let fields) = self { fields } else { [:] } }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(integerLiteral value: Int) { self = .number(Double(value)) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}
