import Values

/// A plugin's effect with the values of its parameters.
public struct PluginEffect: Hashable, Sendable, Codable {
    public var effectID: String
    public var parameters: [String: ParameterValue]

    public init(effectID: String, parameters: [String: ParameterValue] = [:]) {
        self.effectID = effectID
        self.parameters = parameters
    }
}

/// A value of a plugin's parameter; the plugin's descriptor decides what it must be.
public enum ParameterValue: Hashable, Sendable, Codable {
    /// Numbers: one, or as many as the parameter has components. A switch is 0 or 1.
    case numbers(Animated)
    /// The names of an enumeration's values, by keys. Names, because a later version of the plugin
    /// may give them other indices. Sorted by time; never empty.
    case choices([ChoiceKey])
    /// A text, the name of an enumeration's value or a colour such as `#ff8800`.
    case text(String)
    /// A file's absolute path.
    case path(String)
}
