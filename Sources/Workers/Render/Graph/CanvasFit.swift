import Composition
import Draft
import Media
import Messaging
import Values

/// The way in which pictures come to lie on a canvas: in its colours, at its size, over its
/// background.
struct CanvasFit {
    var size: Canvas.Size
    var mode: ContentMode
    var background: Color = .black
    var color: ColorSystem = .sdr

    func makeConverter() -> CanvasConverter {
        CanvasConverter(width: size.width, height: size.height, mode: mode, background: background, color: color)
    }
}

extension MediaFile {
    var hasNoPicture: JobFailure { JobFailure(.input, "‘\(path)’ has no picture.") }
}
