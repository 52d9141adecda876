import Composition
import Draft
import Media

/// A file's pictures as a layer: with their alpha, at the size and the place that a rectangle has in each frame.
///
/// A picture is stretched and prepared once for each size, and for each way in which it lies over the canvas's chroma.
final class LayerPlacement: Node {
    private let source: any Node<StoredPicture>
    private let isStill: Bool
    private let sticker: Sticker
    private let clock: EffectClock
    private let color: ColorSystem
    /// The picture that is shown, and its overlays by the places that they were made for; those of the last size alone.
    private var shown: (picture: Picture, width: Int, height: Int, overlays: [Overlay.Siting: Overlay])?

    /// - Parameters:
    ///   - isStill: the source shows the same picture in every frame, and is asked only for another size or siting.
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
        let siting = Overlay.Siting(x: rect.x, y: rect.y)
        let isSameSize = shown.map { ($0.width, $0.height) == (rect.width, rect.height) } ?? false
        if isStill, isSameSize, let known = shown?.overlays[siting] { return known }
        guard let stored = try source.frame(number) else { return nil }
        if !isSameSize || !isStill && shown?.picture !== stored.picture {
            shown = (stored.picture, rect.width, rect.height, [:])
        }
        if let known = shown?.overlays[siting] { return known }
        let overlay = try Overlay(try stored.rgba(width: rect.width, height: rect.height), siting, color)
        shown?.overlays[siting] = overlay
        return overlay
    }
}
