import Composition
import Draft
import Media
import Values

/// A file's pictures as a layer: with their alpha, at the size and the place that a rectangle has
/// in each frame.
///
/// A picture is stretched and prepared once for each size.
final class LayerPlacement: Node {
    private let source: any Node<StoredPicture>
    private let isStill: Bool
    private let sticker: Sticker
    private let clock: EffectClock
    private let color: ColorSystem
    /// The picture that is shown, at the last size.
    private var shown: (picture: Picture, width: Int, height: Int, overlay: Overlay)?

    /// - Parameters:
    ///   - isStill: the source shows the same picture in every frame, and is asked only for another
    ///     size.
    ///   - sticker: the rectangle and the opacity, in the time of `clock`.
    ///   - color: the canvas's.
    init(
        _ source: any Node<StoredPicture>, isStill: Bool, _ sticker: Sticker, _ clock: EffectClock, _ color: ColorSystem
    ) {
        self.source = source
        self.isStill = isStill
        self.sticker = sticker
        self.clock = clock
        self.color = color
    }

    func frame(_ number: Int) throws -> PaintedLayer? {
        guard let time = clock.moment(number)?.time else { return nil }
        let opacity = sticker.opacity.scalar(at: time)
        guard opacity > 0 else { return nil }
        let rect = sticker.rect(at: time)
        return try overlay(number, rect).map {
            PaintedLayer(content: .overlay($0), x: rect.x, y: rect.y, opacity: opacity)
        }
    }

    func close() { shown = nil }

    private func overlay(_ number: Int, _ rect: Rect) throws -> Overlay? {
        let known = shown.flatMap { ($0.width, $0.height) == (rect.width, rect.height) ? $0 : nil }
        if isStill, let known { return known.overlay }
        guard let stored = try source.frame(number) else { return nil }
        if let known, known.picture === stored.picture { return known.overlay }
        let overlay = try Overlay(try stored.rgba(width: rect.width, height: rect.height), color)
        shown = (stored.picture, rect.width, rect.height, overlay)
        return overlay
    }
}
