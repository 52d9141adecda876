import CKernels
import Composition
import Draft
import Media
import Messaging

/// An image, still or animated, over the picture. An animated one plays in a loop.
final class StickerEffect: FrameEffect {
    private let sticker: Sticker
    private let source: Source?
    private let color: ColorSystem
    private let workshop: Workshop
    private var reader: VideoSource?
    private var shown: (decoded: Picture, overlay: Overlay)?
    private var still: Overlay?

    init(_ sticker: Sticker, _ source: Source?, _ color: ColorSystem, _ workshop: Workshop) {
        self.sticker = sticker
        self.source = source
        self.color = color
        self.workshop = workshop
    }

    func apply(to surface: inout Surface, at moment: Moment) throws {
        let opacity = sticker.opacity.scalar(at: moment.time)
        guard opacity > 0 else { return }
        try overlay(at: moment.time).blend(onto: surface.writable(), opacity: opacity)
    }

    private func overlay(at time: Time) throws -> Overlay {
        guard let source, source.info.kind == .media, let info = source.info.video, info.duration > .zero else {
            if let still { return still }
            let overlay = try prepare(
                try ImageFile.rgba(path: sticker.path, width: sticker.rect.width, height: sticker.rect.height))
            still = overlay
            return overlay
        }
        let reader = try reader ?? VideoSource(path: source.path, info: source.info, pulse: workshop.libavPulse)
        self.reader = reader
        let decoded = try reader.picture(at: Time(flicks: time.flicks % info.duration.flicks))
        if let shown, shown.decoded === decoded { return shown.overlay }
        let overlay = try prepare(try decoded.rgba(width: sticker.rect.width, height: sticker.rect.height, info: info))
        shown = (decoded, overlay)
        return overlay
    }

    private func prepare(_ picture: Picture) throws -> Overlay {
        try Overlay(
            rgba: UnsafePointer(picture.plane(0)), stride: picture.stride(0), width: picture.width, height: picture.height,
            x: sticker.rect.x, y: sticker.rect.y, color)
    }
}
