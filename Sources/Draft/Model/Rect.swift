/// A rectangle of the canvas, in pixels.
public struct Rect: Hashable, Sendable, Codable {
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int

    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    var numbers: [Int] { [x, y, width, height] }
    public var size: Canvas.Size { Canvas.Size(width: width, height: height) }
}
