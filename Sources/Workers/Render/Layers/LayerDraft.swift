import CKernels
import Composition
import Draft
import Media
import Messaging
import Values

/// The pictures of a draft with alpha as a layer's: R′G′B′ as the canvas encodes it, so that
/// nothing is lost on a canvas of HDR.
final class LayerDraft: Node {
    private let source: any Node<StoredPicture>
    private let info: VideoStreamInfo
    private let converter: CanvasConverter
    /// The picture that was made last, which several frames may show.
    private var last: (stored: Picture, made: LayerPicture)?

    /// - Parameters:
    ///   - info: of the draft's pictures.
    ///   - color: the canvas's.
    init(_ source: any Node<StoredPicture>, _ info: VideoStreamInfo, _ color: ColorSystem) {
        (self.source, self.info) = (source, info)
        converter = CanvasConverter(width: info.width, height: info.height, mode: .stretch, color: color)
    }

    func frame(_ number: Int) throws -> LayerPicture? {
        guard let stored = try source.frame(number)?.picture else { return nil }
        if let last, last.stored === stored { return last.made }
        let plain = try stored.withoutAlpha()
        let floats = FloatPicture(width: info.width, height: info.height)
        if try converter.convert(plain, info: info) === plain {
            floats.read(premultiplied: plain, alpha: stored)
        } else {
            try read(plain, alpha: stored, into: floats)
        }
        let made = LayerPicture(pixels: .floats(floats))
        last = (stored, made)
        return made
    }

    func close() { last = nil }

    /// Reads a draft's picture in another colour system. Premultiplied values cannot be converted,
    /// so they are divided by alpha first.
    private func read(_ plain: Picture, alpha stored: Picture, into floats: FloatPicture) throws {
        floats.read(premultiplied: plain, alpha: stored)
        guard ck_spread_rgbaf(floats.floats, floats.stride, Int32(floats.width), Int32(floats.height)) == 0 else {
            throw JobFailure(.resource, "There is no memory left for a draft's picture with alpha.")
        }
        let straight = try plain.copy()
        floats.write(to: straight, CK_CHROMA_MEAN)
        floats.read(try converter.convert(straight, info: info))
        stored.writeAlpha(to: floats)
    }
}
