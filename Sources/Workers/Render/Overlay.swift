import CKernels
import Media
import Messaging

/// A picture with alpha, prepared for blending at one place of the canvas; owns the kernel's planes.
final class Overlay {
    private let overlay: OpaquePointer
    private let x: Int32
    private let y: Int32

    /// Copies what it needs of `rgba` (straight alpha).
    /// - Parameters:
    ///   - x: the left pixel on the canvas; may be negative.
    init(rgba: UnsafePointer<UInt8>, stride: Int, width: Int, height: Int, x: Int, y: Int) throws(JobFailure) {
        guard let overlay = ck_overlay_prepare(rgba, stride, Int32(width), Int32(height), Int32(x & 1), Int32(y & 1)) else {
            throw JobFailure(.resource, "There is no memory left for an overlay of \(width)×\(height) pixels.")
        }
        self.overlay = overlay
        self.x = Int32(x)
        self.y = Int32(y)
    }

    deinit { ck_overlay_free(overlay) }

    /// - Parameter opacity: 0…1 of the overlay's own alpha.
    func blend(onto canvas: Picture, opacity: Double) {
        ck_overlay_blend(canvas.kernel, overlay, x, y, Int32((min(1, max(0, opacity)) * Double(CK_ONE)).rounded()))
    }
}
