import CKernels
import Composition
import Draft
import Media

/// A plugin's source over the picture, made at the size of its rectangle.
final class OverlayEffect: FrameEffect {
    private let overlay: SourceOverlay
    private let rect: Rect
    private let color: ColorSystem
    private let run: PluginRun
    private let made: PluginPicture

    init(_ overlay: SourceOverlay, _ use: CompositionEffect, _ slice: Slice, _ workshop: Workshop) throws {
        self.overlay = overlay
        rect = overlay.rect ?? Rect(x: 0, y: 0, width: slice.size.width, height: slice.size.height)
        color = slice.color
        run = try PluginRun(use, slice.overlayStage(rect.size), workshop)
        made =
            try PluginPicture.rgba(run.format, width: rect.width, height: rect.height)
            ?? .floats(FloatPicture(width: rect.width, height: rect.height))
    }

    func apply(to surface: inout Surface, at moment: Moment) throws {
        let opacity = overlay.opacity.scalar(at: moment.time)
        // A source that is not seen is asked all the same: one with state counts on every frame.
        try run.make(made, at: moment)
        guard opacity > 0 else { return }
        let canvas = try surface.writable()
        switch made {
        case .bytes(let rgba):
            let prepared = try Overlay(
                rgba: UnsafePointer(rgba.plane(0)), stride: rgba.stride(0), width: rect.width, height: rect.height,
                .init(x: rect.x, y: rect.y), color)
            prepared.blend(onto: canvas, x: rect.x, y: rect.y, opacity: opacity)
        case .floats(let floats): blend(floats, onto: canvas, opacity: min(1, opacity))
        case .canvas: break
        }
    }

    /// In floats, and only in the part of the canvas that the rectangle touches: whole blocks of pixels that share their chroma.
    private func blend(_ floats: FloatPicture, onto canvas: Picture, opacity: Double) {
        let (left, top) = (max(0, rect.x) & ~1, max(0, rect.y) & ~1)
        let right = min(canvas.width, rect.x + rect.width + 1) & ~1
        let bottom = min(canvas.height, rect.y + rect.height + 1) & ~1
        guard left < right, top < bottom else { return }
        let bytes = canvas.isTenBits ? 2 : 1
        func start(_ plane: Int) -> UnsafeMutablePointer<UInt8> {
            let shift = plane == 0 ? 0 : 1
            return canvas.plane(plane) + (top >> shift) * canvas.stride(plane) + (left >> shift) * bytes
        }
        let part = ck_make_picture(
            start(0), canvas.stride(0), start(1), canvas.stride(1), start(2), canvas.stride(2), Int32(right - left),
            Int32(bottom - top))
        let under = FloatPicture(width: right - left, height: bottom - top)
        under.read(canvas, part: part)
        under.blend(floats, x: rect.x - left, y: rect.y - top, opacity: opacity)
        under.write(to: canvas, part: part)
    }
}
