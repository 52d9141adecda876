import Draft
import Messaging

/// Text over the picture, laid out once.
final class TitleEffect: FrameEffect {
    private let title: Title
    /// nil where the text leaves no ink on the canvas.
    private let overlay: Overlay?
    private let (x, y): (Int, Int)

    init(_ title: Title, _ size: Canvas.Size, _ color: ColorSystem) throws {
        self.title = title
        let bitmap: TitleBitmap
        do throws(TitleError) {
            bitmap = try TitleRasterizer.render(title, canvas: size)
        } catch {
            throw JobFailure(.input, "\(error)")
        }
        (x, y) = (bitmap.x, bitmap.y)
        guard bitmap.width > 0, bitmap.height > 0 else {
            overlay = nil
            return
        }
        overlay = try bitmap.rgba.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return nil }
            return try Overlay(
                rgba: base, stride: 4 * bitmap.width, width: bitmap.width, height: bitmap.height,
                Overlay.Siting(x: bitmap.x, y: bitmap.y), color)
        }
    }

    func apply(to surface: inout Surface, at moment: Moment) throws {
        let opacity = title.opacity.scalar(at: moment.time)
        guard let overlay, opacity > 0 else { return }
        overlay.blend(onto: try surface.writable(), x: x, y: y, opacity: opacity)
    }
}
