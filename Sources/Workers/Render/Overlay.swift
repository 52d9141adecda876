import CKernels
import Draft
import Media
import Messaging

/// A picture with alpha, prepared for blending; owns the kernel's planes.
final class Overlay {
    private enum Planes {
        case eightBits(OpaquePointer)
        case tenBits(OpaquePointer)
    }

    /// How its pixels lie over the canvas's chroma samples, which are two pixels wide and high.
    struct Siting: Hashable {
        fileprivate var isOddX: Bool
        fileprivate var isOddY: Bool

        /// - Parameter x: the left pixel on the canvas; may be negative.
        init(x: Int, y: Int) { (isOddX, isOddY) = (x & 1 == 1, y & 1 == 1) }
    }

    private let planes: Planes
    private let siting: Siting

    /// Copies what it needs of `rgba` (straight alpha).
    /// - Parameters:
    ///   - siting: the siting of the places at which it will be blended.
    ///   - color: the canvas's. On an HDR one the overlay's white is the HDR reference white.
    init(
        rgba: UnsafePointer<UInt8>, stride: Int, width: Int, height: Int, _ siting: Siting, _ color: ColorSystem
    ) throws {
        let (w, h, oddX, oddY) = (
            Int32(width), Int32(height), Int32(siting.isOddX ? 1 : 0), Int32(siting.isOddY ? 1 : 0)
        )
        let planes: Planes? =
            if color.isHDR {
                try CanvasLight.of(color).withTable { ck_overlay_10_prepare(rgba, stride, w, h, oddX, oddY, $0) }
                    .map(Planes.tenBits)
            } else {
                ck_overlay_prepare(rgba, stride, w, h, oddX, oddY).map(Planes.eightBits)
            }
        guard let planes else {
            throw JobFailure(.resource, "There is no memory left for an overlay of \(width)×\(height) pixels.")
        }
        self.planes = planes
        self.siting = siting
    }

    /// Copies what it needs of a picture in RGBA with straight alpha.
    convenience init(_ rgba: Picture, _ siting: Siting, _ color: ColorSystem) throws {
        try self.init(
            rgba: UnsafePointer(rgba.plane(0)), stride: rgba.stride(0), width: rgba.width, height: rgba.height, siting,
            color)
    }

    deinit {
        switch planes {
        case .eightBits(let overlay): ck_overlay_free(overlay)
        case .tenBits(let overlay): ck_overlay_10_free(overlay)
        }
    }

    /// - Parameters:
    ///   - x: the left pixel on the canvas, of the overlay's siting; may be negative.
    ///   - opacity: 0…1 of the overlay's own alpha.
    func blend(onto canvas: Picture, x: Int, y: Int, opacity: Double) {
        precondition(Siting(x: x, y: y) == siting)
        let (x, y) = (Int32(x), Int32(y))
        let strength = Int32((min(1, max(0, opacity)) * Double(CK_ONE)).rounded())
        switch planes {
        case .eightBits(let overlay): ck_overlay_blend(canvas.kernel, overlay, x, y, strength)
        case .tenBits(let overlay): ck_overlay_10_blend(canvas.kernel, overlay, x, y, strength)
        }
    }
}
