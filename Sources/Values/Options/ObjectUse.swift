/// The objects that share a table of options: which of them have an option, and which of them an
/// object is. Modules name their own (``init(rawValue:)``).
package struct ObjectUse: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// All objects of a table; the only one where all objects are alike.
    package static let all = ObjectUse(rawValue: ~0)
}
