import CKernels
import Media
import PluginHosting
import Values

/// A canvas picture as RGBA of floats, R′G′B′ as the canvas encodes it; owns its memory.
final class FloatPicture {
    static let alignment = 64
    private let memory: UnsafeMutableRawPointer
    let width: Int
    let height: Int
    /// Bytes from one row to the next.
    let stride: Int

    /// The content is undefined.
    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        stride = (16 * width + Self.alignment - 1) & ~(Self.alignment - 1)
        memory = IdleMemory.shared.take(stride * height, alignment: Self.alignment)
    }

    deinit { IdleMemory.shared.give(memory, stride * height) }

    /// The first pixel; valid while this object lives.
    var floats: UnsafeMutablePointer<Float> { memory.assumingMemoryBound(to: Float.self) }

    /// Reads a canvas picture of this size.
    func read(_ picture: Picture) {
        let (red, blue) = picture.lumaWeights
        ck_rgbaf_from_yuv(floats, stride, picture.kernel, picture.isTenBits ? 10 : 8, red, blue)
    }

    /// Reads a picture in the canvas' colours that is multiplied with an alpha, which becomes
    /// straight.
    /// - Parameters:
    ///   - picture: its colours, of this size.
    ///   - alpha: a picture of the same size and depth with the alpha.
    func read(premultiplied picture: Picture, alpha: Picture) {
        let (red, blue) = picture.lumaWeights
        ck_rgbaf_from_yuva(
            floats, stride, picture.kernel, alpha.plane(3), alpha.stride(3), picture.isTenBits ? 10 : 8, red, blue)
    }

    /// Writes a canvas picture of this size.
    func write(to picture: Picture, _ filter: ck_chroma_filter) {
        let (red, blue) = picture.lumaWeights
        ck_yuv_from_rgbaf(picture.kernel, floats, stride, picture.isTenBits ? 10 : 8, red, blue, filter)
    }

    /// Reads RGBA with straight alpha.
    /// - Parameters:
    ///   - rgba: at least as large.
    ///   - color: an HDR canvas's.
    func read(rgba: Picture, _ color: ColorSystem) throws {
        try CanvasLight.of(color).withTable {
            ck_rgbaf_from_srgb(floats, stride, rgba.plane(0), rgba.stride(0), Int32(width), Int32(height), $0)
        }
    }

    /// Valid while this object lives.
    func lent(_ color: PluginColor) -> PluginFrame {
        PluginFrame(
            format: .rgbaFloat, width: width, height: height, planes: [memory.assumingMemoryBound(to: UInt8.self)],
            strides: [stride], color: color)
    }
}

extension Picture {
    /// The weights of red and blue in a canvas picture's luma: BT.2020's on an HDR canvas, else
    /// BT.709's (ITU-T H.273, table 4).
    var lumaWeights: (red: Double, blue: Double) { isTenBits ? (0.2627, 0.0593) : (0.2126, 0.0722) }
}
