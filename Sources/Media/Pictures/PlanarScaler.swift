import CFFmpeg
import CKernels

/// Scales planar Y′CbCr of 8 bits to limited-range 4:2:0 with the kernels of this project, which
/// take about a third of swscale's time and keep chroma where it is sited. Filters are made anew
/// only when the task changes.
final class PlanarScaler {
    /// One scaling: everything that decides the filters.
    struct Task: Hashable {
        /// The part of the source that is used.
        var sourceWidth: Int
        var sourceHeight: Int
        /// Luma samples for one of chroma, as a power of two.
        var log2ChromaWidth: Int
        var log2ChromaHeight: Int
        var siting: ChromaSiting
        var isFullRange: Bool
        var width: Int
        var height: Int
        /// Where the target's chroma is to lie.
        var targetSiting: ChromaSiting

        /// nil where the pixels are not planar Y′CbCr of 8 bits without alpha.
        init?(
            _ pixels: SourcePixels, cropped crop: (width: Int, height: Int), width: Int, height: Int,
            targetSiting: ChromaSiting
        ) {
            let flags = UInt64(AV_PIX_FMT_FLAG_PLANAR)
            guard let description = av_pix_fmt_desc_get(AVPixelFormat(pixels.format))?.pointee,
                description.nb_components == 3,
                description.flags == flags, description.comp.0.depth == 8, description.comp.0.step == 1,
                description.comp.1.step == 1
            else { return nil }
            (sourceWidth, sourceHeight) = crop
            (log2ChromaWidth, log2ChromaHeight) = (Int(description.log2_chroma_w), Int(description.log2_chroma_h))
            siting = pixels.siting
            isFullRange = pixels.isFullRange
            (self.width, self.height, self.targetSiting) = (width, height, targetSiting)
        }
    }

    private var task: Task?
    private var luma: OpaquePointer?
    private var chroma: OpaquePointer?

    deinit {
        ck_scaler_free(luma)
        ck_scaler_free(chroma)
    }

    /// Scales planes into planes. Both belong to the caller, who keeps them alive during the call.
    func scale(
        _ task: Task, from source: [UnsafePointer<UInt8>?], strides: [Int32], to target: [UnsafeMutablePointer<UInt8>?],
        strides targetStrides: [Int32]
    ) throws(MediaError) {
        if task != self.task { try prepare(task) }
        for plane in 0..<3 {
            guard let from = source[plane], let to = target[plane] else { continue }
            let (scaler, rows) = plane == 0 ? (luma, task.height) : (chroma, (task.height + 1) / 2)
            let (stride, sourceStride) = (Int(targetStrides[plane]), Int(strides[plane]))
            guard ThreadPool.shared.width > 1 else {
                ck_scale(scaler, to, stride, from, sourceStride)
                continue
            }
            ThreadPool.shared.bands(of: rows, multiple: 1) { rows in
                let scratch = UnsafeMutableRawPointer.allocate(byteCount: ck_scale_scratch(scaler), alignment: 16)
                defer { scratch.deallocate() }
                ck_scale_rows(
                    scaler, to, stride, from, sourceStride, Int32(rows.lowerBound), Int32(rows.upperBound), scratch)
            }
        }
    }

    private func prepare(_ task: Task) throws(MediaError) {
        ck_scaler_free(luma)
        ck_scaler_free(chroma)
        self.task = nil
        luma = ck_scaler_make(Self.lumaScaling(task))
        chroma = ck_scaler_make(Self.chromaScaling(task))
        guard luma != nil, chroma != nil else {
            throw MediaError(
                .unsupported, "convert a picture", path: nil,
                reason: "no scaling from \(task.sourceWidth)×\(task.sourceHeight) to \(task.width)×\(task.height)")
        }
        self.task = task
    }

    private static func lumaScaling(_ task: Task) -> ck_scaling {
        let (x, y) = (Double(task.sourceWidth) / Double(task.width), Double(task.sourceHeight) / Double(task.height))
        // 8-bit luma: full range 0…255, limited 16…235.
        let gain = task.isFullRange ? 219.0 / 255 : 1
        return ck_scaling(
            in_width: Int32(task.sourceWidth), in_height: Int32(task.sourceHeight), out_width: Int32(task.width),
            out_height: Int32(task.height), scale_x: x, scale_y: y, first_x: 0.5 * x - 0.5, first_y: 0.5 * y - 0.5,
            gain: gain,
            offset: task.isFullRange ? 16 : 0)
    }

    private static func chromaScaling(_ task: Task) -> ck_scaling {
        let (stepX, stepY) = (Double(1 << task.log2ChromaWidth), Double(1 << task.log2ChromaHeight))
        // Along one direction: the target's first chroma sample and the distance of two, in chroma
        // samples of the source.
        func place(_ source: Int, _ target: Int, _ step: Double, _ siting: Double, _ targetSiting: Double) -> (
            Double, Double
        ) {
            let ratio = Double(source) / Double(target)
            let first = (targetSiting + 0.5) * ratio - 0.5 - (step > 1 ? siting * (step - 1) : 0)
            return (first / step, 2 * ratio / step)
        }
        let (firstX, scaleX) = place(task.sourceWidth, task.width, stepX, task.siting.x, task.targetSiting.x)
        let (firstY, scaleY) = place(task.sourceHeight, task.height, stepY, task.siting.y, task.targetSiting.y)
        func samples(_ size: Int, _ log2: Int) -> Int32 { Int32((size + (1 << log2) - 1) >> log2) }
        // 8-bit chroma: full range 0…255 around 128, limited 16…240.
        let gain = task.isFullRange ? 224.0 / 255 : 1
        return ck_scaling(
            in_width: samples(task.sourceWidth, task.log2ChromaWidth),
            in_height: samples(task.sourceHeight, task.log2ChromaHeight),
            out_width: samples(task.width, 1), out_height: samples(task.height, 1), scale_x: scaleX, scale_y: scaleY,
            first_x: firstX, first_y: firstY, gain: gain, offset: 128 - 128 * gain)
    }
}
