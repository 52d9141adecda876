import Draft
import Messaging
import Text
import Values

/// Text as a layer, laid out and drawn once; where its parts move, each part is drawn once.
final class TitleLayer: Node {
    private let title: Title
    private let size: Canvas.Size
    private let color: ColorSystem
    private let clock: EffectClock
    private var moving: MovingTitle?
    private var drawn: Drawn?

    private struct Drawn {
        /// The state of a moving text: see ``MovingTitle/state(at:)``.
        var state: [Int]?
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

    func frame(_ number: Int) throws -> PaintedLayer? {
        guard let time = clock.moment(number)?.time else { return nil }
        let opacity = title.opacity.scalar(at: time)
        guard opacity > 0 else { return nil }
        let drawn = try drawn(at: time)
        self.drawn = drawn
        guard let overlay = drawn.overlay else { return nil }
        return PaintedLayer(content: .overlay(overlay), x: drawn.x, y: drawn.y, opacity: opacity)
    }

    func close() { (drawn, moving) = (nil, nil) }

    private func drawn(at time: Time) throws -> Drawn {
        do throws(TitleError) {
            guard title.hasMotion else {
                if let drawn { return drawn }
                return try keep(try TitleRasterizer.render(title, canvas: size), nil)
            }
            if moving == nil { moving = try MovingTitle(title, canvas: size) }
            guard let moving else { throw TitleError(.drawing, "draw", title, reason: "it was not laid out") }
            let state = moving.state(at: time)
            if let drawn, state != nil, drawn.state == state { return drawn }
            self.drawn = nil
            return try keep(try moving.bitmap(at: time), state)
        } catch {
            throw JobFailure(.input, "\(error)")
        }
    }

    private func keep(_ bitmap: TitleBitmap, _ state: [Int]?) throws(TitleError) -> Drawn {
        do {
            return Drawn(state: state, overlay: try Overlay.made(of: bitmap, color), x: bitmap.x, y: bitmap.y)
        } catch {
            throw TitleError(.drawing, "draw", title, reason: "\(error)")
        }
    }
}

extension Overlay {
    /// A text's picture, prepared for a canvas; nil where there is none.
    static func made(of bitmap: TitleBitmap, _ color: ColorSystem) throws -> Overlay? {
        guard !bitmap.isEmpty else { return nil }
        return try bitmap.rgba.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return nil }
            return try Overlay(
                rgba: base, stride: 4 * bitmap.width, width: bitmap.width, height: bitmap.height, color)
        }
    }
}
