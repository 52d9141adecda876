import Composition
import Draft
import Media

/// The pictures of a draft with alpha as a layer's: R′G′B′ as the canvas encodes it, so that nothing is lost on a canvas of HDR.
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
        let colors = try converter.convert(try stored.withoutAlpha(), info: info)
        let floats = FloatPicture(width: info.width, height: info.height)
        floats.read(colors)
        stored.format == .yuva420p ? floats.divide(UInt8.self, 255, stored) : floats.divide(UInt16.self, 1023, stored)
        let made = LayerPicture(pixels: .floats(floats))
        last = (stored, made)
        return made
    }

    func close() { last = nil }
}

extension FloatPicture {
    /// Takes the alpha of a picture of this size, which the colours are multiplied with.
    /// - Parameter opaque: the largest alpha.
    fileprivate func divide<Sample: FixedWidthInteger & UnsignedInteger>(
        _: Sample.Type, _ opaque: Float, _ picture: Picture
    ) {
        for y in 0..<height {
            let row = floats + y * stride / MemoryLayout<Float>.stride
            let alpha = UnsafeRawPointer(picture.plane(3) + y * picture.stride(3)).assumingMemoryBound(to: Sample.self)
            for x in 0..<width {
                let pixel = row + 4 * x
                let share = Float(alpha[x]) / opaque
                let factor = share > 0 ? 1 / share : 0
                for component in 0..<3 { pixel[component] *= factor }
                pixel[3] = share
            }
        }
    }
}
