import CKernels
import Draft
import Media
import PluginHosting

/// A canvas picture as RGBA of floats, R′G′B′ as the canvas encodes it; owns its memory.
final class FloatPicture {
    private static let alignment = 64
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

    /// - Parameters:
    ///   - picture: a canvas picture of this size, as in ``write(to:part:)``.
    ///   - part: the part of it that has this size; nil: all of it.
    func read(_ picture: Picture, part: ck_picture? = nil) {
        let (red, blue) = picture.lumaWeights
        ck_rgbaf_from_yuv(floats, stride, part ?? picture.kernel, picture.isTenBits ? 10 : 8, red, blue)
    }

    func write(to picture: Picture, part: ck_picture? = nil) {
        let (red, blue) = picture.lumaWeights
        ck_yuv_from_rgbaf(part ?? picture.kernel, floats, stride, picture.isTenBits ? 10 : 8, red, blue)
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

    /// Lays another one with straight alpha over this one, with its top left at column `x` of row `y`; what lies outside is cut
    /// off.
    /// - Parameter opacity: 0…1 of the other one's alpha.
    func blend(_ other: FloatPicture, x: Int, y: Int, opacity: Double = 1) {
        let columns = max(0, x)..<max(max(0, x), min(width, x + other.width))
        let rows = max(0, y)..<max(max(0, y), min(height, y + other.height))
        guard !columns.isEmpty, !rows.isEmpty else { return }
        let to = memory + rows.lowerBound * stride + 16 * columns.lowerBound
        let from = other.memory + (rows.lowerBound - y) * other.stride + 16 * (columns.lowerBound - x)
        ck_rgbaf_over(
            to.assumingMemoryBound(to: Float.self), stride, from.assumingMemoryBound(to: Float.self), other.stride,
            Int32(columns.count), Int32(rows.count), Float(opacity))
    }

    /// Valid while this object lives.
    func lent(_ color: PluginColor) -> PluginFrame {
        PluginFrame(
            format: .rgbaFloat, width: width, height: height, planes: [memory.assumingMemoryBound(to: UInt8.self)],
            strides: [stride], color: color)
    }
}

extension Picture {
    /// The weights of red and blue in a canvas picture's luma: BT.2020's on an HDR canvas, else BT.709's (ITU-T H.273, table 4).
    var lumaWeights: (red: Double, blue: Double) { isTenBits ? (0.2627, 0.0593) : (0.2126, 0.0722) }
}
