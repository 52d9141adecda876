import CFFmpeg
import Draft

/// How a decoded picture must be turned to stand upright: first clockwise by `rotation`, then
/// mirrored left to right.
struct Orientation: Hashable {
    /// 0, 90, 180 or 270.
    var rotation = 0
    var isMirrored = false

    init() {}

    /// From a display matrix of nine 32-bit numbers; nil bytes mean upright. Angles between are
    /// rounded to the nearest.
    init(displayMatrix bytes: UnsafeRawPointer?, count: Int) {
        guard let bytes, count >= 36 else { return }
        var matrix = (0..<9).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Int32.self) }
        let determinant = Int64(matrix[0]) * Int64(matrix[4]) - Int64(matrix[1]) * Int64(matrix[3])
        if determinant < 0 {
            isMirrored = true
            av_display_matrix_flip(&matrix, 1, 0)
        }
        // libav counts counter-clockwise.
        let degrees = -av_display_rotation_get(&matrix)
        guard degrees.isFinite else { return }
        rotation = ((Int((degrees / 90).rounded()) % 4) + 4) % 4 * 90
    }

    init(stream: Demuxer.Stream) {
        var size = 0
        let bytes = av_stream_get_side_data(stream.raw, AV_PKT_DATA_DISPLAYMATRIX, &size)
        self.init(displayMatrix: bytes, count: size)
    }

    /// The orientation that follows from what the decoder attached to the frame, such as a photo's
    /// EXIF orientation.
    init(frame: Frame) {
        let data = av_frame_get_side_data(frame.raw, AV_FRAME_DATA_DISPLAYMATRIX)
        self.init(displayMatrix: data?.pointee.data, count: data?.pointee.size ?? 0)
    }

    /// A size as shown: with the pixel aspect (which widens or narrows the stored picture) and then
    /// the rotation.
    func shownSize(width: Int, height: Int, pixelAspect: AVRational) -> (width: Int, height: Int) {
        var shown = width
        if pixelAspect.num > 0, pixelAspect.den > 0 {
            let aspect = Double(pixelAspect.num) / Double(pixelAspect.den)
            // Beyond this it is a broken header rather than an anamorphic picture.
            if aspect > 0.1 && aspect < 10 { shown = max(1, Int((Double(width) * aspect).rounded())) }
        }
        return rotation % 180 == 0 ? (shown, height) : (height, shown)
    }
}
