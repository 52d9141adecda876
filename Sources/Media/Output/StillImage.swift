import CFFmpeg
import Delivery
import Files
import Glibc

/// Writes single pictures.
public enum StillImage {
    /// Writes a canvas picture (BT.709, limited range) as RGB: PNG with 8 bits and no loss but the
    /// conversion's, or JPEG with full chroma at nearly its best quality. JPEG's own Y′CbCr is that
    /// of JFIF: BT.601 and full range.
    ///
    /// The file is complete and on the disk when this returns; nothing is left where it throws. The
    /// picture stays the caller's.
    /// - Parameter isPassing: the picture is needed now and its file is not kept: a PNG is packed
    ///   fast and not well, and the file is not brought to the disk.
    /// - Throws: `encode`, `diskFull` and others that concern the file.
    public static func write(
        _ picture: Picture, to path: String, format: StillFormat, isPassing: Bool = false
    ) throws(MediaError) {
        precondition(picture.format == .yuv420p, "only canvas pictures are written")
        let rgb = try converted(picture.frame, to: AV_PIX_FMT_RGB24, path: path)
        switch format {
        case .png:
            let options = isPassing ? ["pred": "up", "compression_level": "1"] : ["pred": "mixed"]
            try encode(rgb, with: "png", options: options, path: path, isPassing)
        case .jpeg:
            let full = try converted(rgb, to: AV_PIX_FMT_YUVJ444P, path: path)
            try encode(full, with: "mjpeg", options: ["huffman": "optimal"], path: path, isPassing)
        }
    }

    /// mjpeg's quantiser, 2 (best) … 31: 42 dB and 0.25 bytes for each pixel of a film picture.
    private static let jpegQuantizer: Int32 = 2

    private static func converted(_ source: Frame, to format: AVPixelFormat, path: String) throws(MediaError) -> Frame {
        let target = try Frame()
        let (from, to) = (source.raw, target.raw)
        (to.pointee.width, to.pointee.height, to.pointee.format) = (
            from.pointee.width, from.pointee.height, format.rawValue
        )
        try check(av_frame_get_buffer(to, 0), "write", path: path, .outOfMemory)
        // The scaler knows the full-range formats by their plain names only.
        let isJPEG = format == AV_PIX_FMT_YUVJ444P
        let task = Scaler.Task(
            sourceWidth: Int(from.pointee.width), sourceHeight: Int(from.pointee.height),
            sourceFormat: from.pointee.format,
            sourceIsFullRange: isJPEG, sourceMatrix: SWS_CS_ITU709, width: Int(to.pointee.width),
            height: Int(to.pointee.height),
            format: (isJPEG ? AV_PIX_FMT_YUV444P : format).rawValue, isFullRange: isJPEG,
            matrix: isJPEG ? SWS_CS_ITU601 : SWS_CS_ITU709)
        try Scaler().scale(
            task, from: source.planes.map { UnsafePointer($0) }, strides: source.strides, to: target.planes,
            strides: target.strides)
        to.pointee.color_range = AVCOL_RANGE_JPEG
        return target
    }

    private static func encode(
        _ frame: Frame, with name: String, options: [String: String], path: String, _ isPassing: Bool
    ) throws(MediaError) {
        let encoder = try Encoder(name, path: path, options: options) { context in
            context.pointee.width = frame.raw.pointee.width
            context.pointee.height = frame.raw.pointee.height
            context.pointee.pix_fmt = frame.pixelFormat
            context.pointee.color_range = AVCOL_RANGE_JPEG
            context.pointee.time_base = AVRational(num: 1, den: 1)
            context.pointee.flags |= AV_CODEC_FLAG_QSCALE
            context.pointee.global_quality = jpegQuantizer * FF_QP2LAMBDA
        }
        frame.raw.pointee.quality = jpegQuantizer * FF_QP2LAMBDA
        frame.raw.pointee.pts = 0
        let file = try MediaError.writing(path) { () throws(Errno) in
            try OpenFile(path, .writeOnly, [.create, .truncate], permissions: .readableByAll)
        }
        do throws(MediaError) {
            let append: (Packet) throws(MediaError) -> Void = { packet throws(MediaError) in
                try MediaError.writing(path) { () throws(Errno) in try packet.append(to: file) }
                packet.clear()
            }
            try encoder.encode(frame, append)
            try encoder.encode(nil, append)
            if !isPassing { try MediaError.writing(path) { () throws(Errno) in try file.sync() } }
        } catch {
            unlink(path)
            throw error
        }
    }
}
