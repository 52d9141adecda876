/// A title's picture: everything that it shows on its canvas and nothing around it.
struct TitleBitmap: Hashable, Sendable, CustomStringConvertible {
    /// The left edge on the canvas, in pixels; never negative.
    var x: Int
    /// The top edge on the canvas, in pixels; never negative.
    var y: Int
    /// Pixels; 0 where nothing of the title is on the canvas. `x + width` never exceeds the canvas.
    var width: Int
    var height: Int
    /// `width × height` pixels of red, green, blue and straight alpha in sRGB, top row first, rows without padding.
    var rgba: [UInt8]

    static let empty = TitleBitmap(x: 0, y: 0, width: 0, height: 0, rgba: [])

    var description: String { "\(width)×\(height) pixels at (\(x), \(y))" }

    var isEmpty: Bool { rgba.isEmpty }
}
