import CKernels
import Values

extension Picture {
    /// A picture of an HDR canvas as one of an SDR canvas, by the same tone mapping that HDR
    /// sources go through there. The caller's own.
    /// - Parameters:
    ///   - color: HDR.
    ///   - peak: cd/m² of the brightest content; only PQ looks at it.
    public func toneMapped(from color: ColorSystem, peak: Int) throws(MediaError) -> Picture {
        precondition(format == .yuv420p10 && color.isHDR, "only pictures of an HDR canvas are tone-mapped")
        var coding = PictureCoding.canvas(color)
        if color == .pq { coding.transfer = .pq(peak: peak) }
        let change = try ColorChange(from: coding, to: .bt709)
        // The tone map works in place.
        let fine = try copy()
        let output = try Picture(width: width, height: height, format: .yuv420p)
        change.apply(
            fine.kernel(x: 0, y: 0, width: width, height: height), isTenBits: true,
            to: output.kernel(x: 0, y: 0, width: width, height: height))
        return output
    }
}
