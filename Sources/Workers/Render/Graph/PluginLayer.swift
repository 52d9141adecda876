import Composition
import Draft
import Values

/// The pictures of a plugin's source as a layer, at the size of its rectangle.
final class PluginLayer: Node {
    private let source: any Node<PluginPicture>
    private let rect: Rect
    private let opacity: Animated
    private let clock: EffectClock
    private let color: ColorSystem

    /// - Parameters:
    ///   - rect: the source's size, and where it lies.
    ///   - opacity: in the time of `clock`.
    ///   - color: the canvas's.
    init(
        _ source: any Node<PluginPicture>, _ rect: Rect, opacity: Animated, _ clock: EffectClock, _ color: ColorSystem
    ) {
        self.source = source
        self.rect = rect
        self.opacity = opacity
        self.clock = clock
        self.color = color
    }

    func frame(_ number: Int) throws -> PaintedLayer? {
        // A source that is not seen is asked all the same: one with state counts on every frame.
        guard let time = clock.moment(number)?.time, let made = try source.frame(number) else { return nil }
        let opacity = opacity.scalar(at: time)
        guard opacity > 0 else { return nil }
        switch made {
        case .bytes(let rgba):
            let overlay = try Overlay(rgba, color)
            return PaintedLayer(content: .overlay(overlay), x: rect.x, y: rect.y, opacity: opacity)
        case .floats(let floats):
            return PaintedLayer(content: .floats(floats), x: rect.x, y: rect.y, opacity: opacity)
        // 4:2:0 has no alpha, and is not offered.
        case .canvas: return nil
        }
    }
}
