/// How a picture of another shape is placed on the canvas.
public enum ContentMode: String, Sendable, CaseIterable, Codable {
    /// All of it is seen; the rest of the canvas shows the background.
    case fit
    /// The canvas is full; what does not fit is cut off equally on both sides.
    case fill
    /// Width and height are scaled apart.
    case stretch
}
