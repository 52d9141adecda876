import CKernels
import Draft
import Media
import Messaging

/// A picture with alpha, prepared for blending at one place of the canvas; owns the kernel's planes.
final class Overlay {
    private enum Planes {
        case eightBits(OpaquePointer)
        case tenBits(OpaquePointer)
    }

    private let planes: Planes
    private let x: Int32
    private let y: Int32

    /// Copies what it needs of `rgba` (straight alpha).
    /// - Parameters:
    ///   - x: the left pixel on the canvas; may be negative.
    ///   - color: the canvas's. On an HDR one the overlay's white is the HDR reference white.
    init(
        rgba: UnsafePointer<UInt8>, stride: Int, width: Int, height: Int, x: Int, y: Int, _ color: ColorSystem
    ) throws {
        let (w, h, oddX, oddY) = (Int32(width), Int32(height), Int32(x & 1), Int32(y & 1))
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
        self.x = Int32(x)
        self.y = Int32(y)
    }

    deinit {
        switch planes {
        case .eightBits(let overlay): ck_overlay_free(overlay)
        case .tenBits(let overlay): ck_overlay_10_free(overlay)
        }
    }

    /// - Parameter opacity: 0…1 of the overlay's own alpha.
    func blend(onto canvas: Picture, opacity: Double) {
        let strength = Int32((min(1, max(0, opacity)) * Double(CK_ONE)).rounded())
        switch planes {
        case .eightBits(let overlay): ck_overlay_blend(canvas.kernel, overlay, x, y, strength)
        case .tenBits(let overlay): ck_overlay_10_blend(canvas.kernel, overlay, x, y, strength)
        }
    }
}
