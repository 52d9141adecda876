import Draft

/// Reads the descriptors of the plugins on a search path.
public struct InspectJob: Sendable, Codable, Hashable {
    public var searchPaths: [String]
    /// Libraries on it that are not to be opened.
    public var leftOut: [String] = []

    public init(searchPaths: [String]) { self.searchPaths = searchPaths }

    /// Reads those of one library.
    public init(_ library: String) { self.init(searchPaths: [library]) }

    public struct Reply: Sendable, Codable {
        public var effects: [EffectDescriptor]
        /// Libraries that could not be used, each with its path and the reason.
        public var problems: [String]

        public init(effects: [EffectDescriptor], problems: [String]) {
            self.effects = effects
            self.problems = problems
        }
    }
}
