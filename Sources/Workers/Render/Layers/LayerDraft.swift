import Composition
import Draft
import Media
import Values

/// The pictures of a draft with alpha as a layer's: R′G′B′ as the canvas encodes it, so that
/// nothing is lost on a canvas of HDR.
final class LayerDraft: Node {
    private let source: any Node<StoredPicture>
    private let info: VideoStreamInfo
    private let color: ColorSystem
    /// The picture that was made last, which several frames may show.
    private var last: (stored: Picture, made: LayerPicture)?

    /// - Parameters:
    ///   - info: of the draft's pictures.
    ///   - color: the canvas's.
    init(_ source: any Node<StoredPicture>, _ info: VideoStreamInfo, _ color: ColorSystem) {
        (self.source, self.info, self.color) = (source, info, color)
    }

    func frame(_ number: Int) throws -> LayerPicture? {
        guard let stored = try source.frame(number)?.picture else { return nil }
        if let last, last.stored === stored { return last.made }
        let plain = try stored.withoutAlpha()
        let floats = FloatPicture(width: info.width, height: info.height)
        floats.read(premultiplied: plain, alpha: stored)
        try PixelColors(of: plain, info, to: color)
            .apply(floats.floats, stride: floats.stride, width: floats.width, height: floats.height)
        let made = LayerPicture(pixels: .floats(floats))
        last = (stored, made)
        return made
    }

    func close() { last = nil }
}
