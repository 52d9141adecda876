import CKernels
import Media

/// A canvas picture as RGBA of floats, R′G′B′ as the canvas encodes it; owns its memory.
final class FloatPicture {
    private static let alignment = 64
    private let memory: UnsafeMutableRawPointer
    private let width: Int
    private let height: Int
    /// Bytes.
    private let stride: Int

    /// The content is undefined.
    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        stride = (16 * width + Self.alignment - 1) & ~(Self.alignment - 1)
        memory = .allocate(byteCount: stride * height, alignment: Self.alignment)
    }

    deinit { memory.deallocate() }

    private var floats: UnsafeMutablePointer<Float> { memory.assumingMemoryBound(to: Float.self) }

    /// - Parameter picture: a canvas picture of this size, as in ``write(to:)``.
    func read(_ picture: Picture) {
        let (red, blue) = picture.lumaWeights
        ck_rgbaf_from_yuv(floats, stride, picture.kernel, picture.isTenBits ? 10 : 8, red, blue)
    }

    func write(to picture: Picture) {
        let (red, blue) = picture.lumaWeights
        ck_yuv_from_rgbaf(picture.kernel, floats, stride, picture.isTenBits ? 10 : 8, red, blue)
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
    fileprivate var lumaWeights: (red: Double, blue: Double) { isTenBits ? (0.2627, 0.0593) : (0.2126, 0.0722) }
}
