import Draft

/// A value that a script asks for from outside, as `cutroom.params` declares it and `--set` gives it.
public struct ScriptParameter: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case string, number, integer, boolean
        /// `#rgb`, `#rrggbb` or `#rrggbbaa`.
        case color
        /// Relative to the working folder where it is given from outside, to the script where it is the default;
        /// absolute when the script sees it.
        case path
    }

    public var name: String
    public var kind: Kind
    public var help: String
    /// Used where no value is given; null: a value must be given.
    public var initial: Value
    /// Where it is not empty, the only values there are.
    public var choices: [Value]
    /// For numbers and integers.
    public var minimum: Double?
    public var maximum: Double?
    public var value: Value
}
