import Values

/// The shape of a layer, elsewhere and soft, that lies below it.
public struct LayerShadow: Hashable, Sendable, Codable {
    public var color: Color
    /// Canvas pixels to the right and down.
    public var offset: Animated
    /// Canvas pixels over which its edge is spread, as CSS counts them: twice the standard
    /// deviation.
    public var blur: Animated

    public static let usualColor = Color(red: 0, green: 0, blue: 0, alpha: 160)
    public static let offsetRange = -1000.0...1000
    public static let blurRange = 0.0...200

    public init(_ color: Color = usualColor) {
        self.color = color
        offset = .constant([2, 2])
        blur = .constant([4])
    }

    /// A shadow at one moment.
    public struct Cast: Hashable, Sendable {
        /// Canvas pixels.
        public var x: Double
        public var y: Double
        /// The standard deviation, in canvas pixels.
        public var sigma: Double

        /// How far from the layer's edges there may be something of it, to each side.
        public var reach: (left: Double, right: Double, top: Double, bottom: Double) {
            let soft = (3 * sigma).rounded(.up) + 1
            return (max(0, soft - x), max(0, soft + x), max(0, soft - y), max(0, soft + y))
        }
    }

    /// What is beyond the bounds counts as the nearest.
    public func cast(at time: Time) -> Cast {
        let offset = offset.value(at: time)
        func bounded(_ number: Double, _ range: ClosedRange<Double>) -> Double {
            number.isNaN ? 0 : min(range.upperBound, max(range.lowerBound, number))
        }
        return Cast(
            x: bounded(offset.first ?? 0, Self.offsetRange),
            y: bounded(offset.last ?? 0, Self.offsetRange),
            sigma: bounded(blur.scalar(at: time), Self.blurRange) / 2)
    }

    /// How far from the layer there may be something of it at any time.
    var reach: Double {
        guard case .constant = offset, case .constant = blur else {
            return Self.offsetRange.upperBound + 1.5 * Self.blurRange.upperBound + 2
        }
        let reach = cast(at: .zero).reach
        return max(reach.left, reach.right, reach.top, reach.bottom)
    }

    var isConstant: Bool { offset.isConstant && blur.isConstant }

    /// Calls `change` with the name of every value that may change with time, and the value.
    mutating func changeValues(_ change: (String, inout Animated) throws -> Void) rethrows {
        try change("shadow_offset", &offset)
        try change("shadow_blur", &blur)
    }
}
