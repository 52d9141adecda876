import Draft
import Messaging

/// Text as a layer, laid out and drawn once.
final class TitleLayer: Node {
    private let title: Title
    private let size: Canvas.Size
    private let color: ColorSystem
    private let clock: EffectClock
    private var drawn: Drawn?

    private struct Drawn {
        /// nil where the text leaves no ink on the canvas.
        var overlay: Overlay?
        var x: Int
        var y: Int
    }

    /// - Parameters:
    ///   - size: the canvas's.
    ///   - color: the canvas's.
    init(_ title: Title, _ size: Canvas.Size, _ color: ColorSystem, _ clock: EffectClock) {
        self.title = title
        self.size = size
        self.color = color
        self.clock = clock
    }

    func frame(_ number: Int) throws -> Layer? {
        guard let time = clock.moment(number)?.time else { return nil }
        let drawn = try drawn ?? draw()
        self.drawn = drawn
        let opacity = title.opacity.scalar(at: time)
        guard let overlay = drawn.overlay, opacity > 0 else { return nil }
        return Layer(content: .overlay(overlay), x: drawn.x, y: drawn.y, opacity: opacity)
    }

    func close() { drawn = nil }

    private func draw() throws -> Drawn {
        let bitmap: TitleBitmap
        do throws(TitleError) {
            bitmap = try TitleRasterizer.render(title, canvas: size)
        } catch {
            throw JobFailure(.input, "\(error)")
        }
        guard bitmap.width > 0, bitmap.height > 0 else { return Drawn(overlay: nil, x: bitmap.x, y: bitmap.y) }
        let overlay: Overlay? = try bitmap.rgba.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return nil }
            return try Overlay(
                rgba: base, stride: 4 * bitmap.width, width: bitmap.width, height: bitmap.height,
                Overlay.Siting(x: bitmap.x, y: bitmap.y), color)
        }
        return Drawn(overlay: overlay, x: bitmap.x, y: bitmap.y)
    }
}
