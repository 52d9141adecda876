import Draft

/// Says which fonts are drawn where titles ask for others.
public struct FontJob: Sendable, Codable, Hashable {
    public var fonts: [TitleFont]

    public init(fonts: [TitleFont]) { self.fonts = fonts }

    public struct Reply: Sendable, Codable {
        /// For each of the job's fonts the family that is drawn in its place; nil where it is there.
        public var substitutes: [String?]

        public init(substitutes: [String?]) { self.substitutes = substitutes }
    }
}
