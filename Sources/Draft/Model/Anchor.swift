/// A place on a canvas or in a picture: its corners, the middles of its sides, its middle.
public enum Anchor: String, Hashable, Sendable, Codable, CaseIterable {
    case topLeft = "top_left"
    case top
    case topRight = "top_right"
    case left
    case center
    case right
    case bottomLeft = "bottom_left"
    case bottom
    case bottomRight = "bottom_right"

    /// - Parameters:
    ///   - column: 0 (left) … 2.
    ///   - row: 0 (top) … 2.
    public init(column: Int, row: Int) { self = Self.allCases[3 * min(2, max(0, row)) + min(2, max(0, column))] }

    private var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    /// Shares of the width and the height.
    public var x: Double { Double(index % 3) / 2 }
    public var y: Double { Double(index / 3) / 2 }
}
