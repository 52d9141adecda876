import Values

extension Title {
    /// Two lengths in pixels, across and down.
    public struct Pair: Hashable, Sendable, Codable {
        public var x: Double
        public var y: Double

        public init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }
    }

    /// Colours one after another, evenly spaced.
    public struct Gradient: Hashable, Sendable, Codable {
        /// Two or more.
        public var colors: [Color]
        /// Degrees, clockwise: at 0 it runs from left to right, at 90 from top to bottom.
        public var angle: Double

        public init(_ colors: [Color], angle: Double = 90) {
            self.colors = colors
            self.angle = angle
        }
    }

    /// The text's own shape, elsewhere and soft.
    public struct Shadow: Hashable, Sendable, Codable {
        public var color: Color
        /// Pixels to the right and down.
        public var offset: Pair
        /// Pixels over which its edge is spread, as CSS counts them: twice the standard deviation.
        public var blur: Double

        public init(_ color: Color, offset: Pair = Pair(x: 2, y: 2), blur: Double = 4) {
            self.color = color
            self.offset = offset
            self.blur = blur
        }
    }

    /// The shares of the box that lie at (x, y).
    public var anchorShares: Pair {
        if let anchor { return Pair(x: anchor.x, y: anchor.y) }
        func share(_ coordinate: Coordinate) -> Double {
            switch coordinate {
            case .pixels, .start: 0
            case .center, .share: 0.5
            case .end: 1
            }
        }
        return Pair(x: share(x), y: share(y))
    }
}
