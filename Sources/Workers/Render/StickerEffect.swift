import CKernels
import Composition
import Draft
import Media
import Messaging

/// An image, still or animated, over the picture. An animated one plays in a loop.
final class StickerEffect: FrameEffect {
    private let sticker: Sticker
    private let file: MediaFile?
    private let color: ColorSystem
    private let workshop: Workshop
    private var reader: VideoReader?
    /// The picture that is shown, and its overlays by the places that they were made for; those of the last size alone.
    private var shown: (decoded: AnyObject, width: Int, height: Int, overlays: [Overlay.Siting: Overlay])?
    private var still: ImageFile.Still?

    init(_ sticker: Sticker, _ file: MediaFile?, _ color: ColorSystem, _ workshop: Workshop) {
        self.sticker = sticker
        self.file = file
        self.color = color
        self.workshop = workshop
    }

    func apply(to surface: inout Surface, at moment: Moment) throws {
        let opacity = sticker.opacity.scalar(at: moment.time)
        guard opacity > 0 else { return }
        let rect = sticker.rect(at: moment.time)
        try overlay(at: moment.time, rect).blend(onto: surface.writable(), x: rect.x, y: rect.y, opacity: opacity)
    }

    private func overlay(at time: Time, _ rect: Rect) throws -> Overlay {
        guard let file, file.info.kind == .media, let info = file.info.video, info.duration > .zero else {
            return try overlay(of: self, rect) {
                let still = try still ?? ImageFile.Still(path: sticker.path)
                // As large as the file: kept where each frame may ask for another size.
                if !sticker.rect.isConstant { self.still = still }
                return try still.rgba(width: rect.width, height: rect.height)
            }
        }
        let reader = try reader ?? VideoReader(path: file.path, info: file.info, pulse: workshop.libavPulse)
        self.reader = reader
        let decoded = try reader.picture(at: Time(flicks: time.flicks % info.duration.flicks))
        return try overlay(of: decoded, rect) { try decoded.rgba(width: rect.width, height: rect.height, info: info) }
    }

    private func overlay(of decoded: AnyObject, _ rect: Rect, _ stretched: () throws -> Picture) throws -> Overlay {
        if shown.map({ $0.decoded !== decoded || ($0.width, $0.height) != (rect.width, rect.height) }) ?? true {
            shown = (decoded, rect.width, rect.height, [:])
        }
        let siting = Overlay.Siting(x: rect.x, y: rect.y)
        if let known = shown?.overlays[siting] { return known }
        let picture = try stretched()
        let overlay = try Overlay(
            rgba: UnsafePointer(picture.plane(0)), stride: picture.stride(0), width: picture.width,
            height: picture.height,
            siting, color)
        shown?.overlays[siting] = overlay
        return overlay
    }
}
