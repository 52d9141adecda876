import CKernels
import Media
import Messaging
import Values

/// A picture with alpha, prepared for blending; owns the kernel's planes.
final class Overlay {
    private enum Planes {
        case eightBits(OpaquePointer)
        case tenBits(OpaquePointer)
    }

    private let planes: Planes

    /// Copies what it needs of `rgba` (straight alpha).
    /// - Parameter color: the canvas's. On an HDR one the overlay's white is the HDR reference
    ///   white.
    init(rgba: UnsafePointer<UInt8>, stride: Int, width: Int, height: Int, _ color: ColorSystem) throws {
        let (w, h) = (Int32(width), Int32(height))
        let planes: Planes? =
            if color.isHDR {
                try CanvasLight.of(color).withTable { ck_overlay_10_prepare(rgba, stride, w, h, $0) }
                    .map(Planes.tenBits)
            } else {
                ck_overlay_prepare(rgba, stride, w, h).map(Planes.eightBits)
            }
        guard let planes else {
            throw JobFailure(.resource, "There is no memory left for an overlay of \(width)×\(height) pixels.")
        }
        self.planes = planes
    }

    /// Copies what it needs of a picture in RGBA with straight alpha.
    convenience init(_ rgba: Picture, _ color: ColorSystem) throws {
        try self.init(
            rgba: UnsafePointer(rgba.plane(0)), stride: rgba.stride(0), width: rgba.width, height: rgba.height, color)
    }

    deinit {
        switch planes {
        case .eightBits(let overlay): ck_overlay_free(overlay)
        case .tenBits(let overlay): ck_overlay_10_free(overlay)
        }
    }

    /// Blends the overlay; what lies outside the canvas is cut off.
    /// - Parameter opacity: 0…1 of the overlay's own alpha.
    func blend(onto canvas: inout ck_canvas, x: Int32, y: Int32, opacity: Double) {
        let strength = Int32((min(1, max(0, opacity)) * Double(CK_ONE)).rounded())
        switch planes {
        case .eightBits(let overlay): ck_canvas_overlay(&canvas, overlay, x, y, strength)
        case .tenBits(let overlay): ck_canvas_overlay_10(&canvas, overlay, x, y, strength)
        }
    }
}
