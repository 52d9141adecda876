import CFFmpeg

/// Canvas pictures in the pixel format that an encoder takes.
///
/// RGB comes through the canvas's matrix at full chroma resolution; Y′CbCr of more samples or bits
/// is scaled.
final class EncoderInput {
    private let format: AVPixelFormat
    private let colors: ColorTags
    private let scaler = Scaler()
    private let fromRGB = Scaler()

    init(_ setup: EncoderSetup) { (format, colors) = (setup.pixelFormat, setup.colors) }

    /// A frame for the encoder. It shares the picture's memory where nothing is converted: the
    /// picture must not be written to before the encoder has taken it.
    func frame(_ picture: Picture) throws(MediaError) -> Frame {
        let frame = picture.frame.pixelFormat == format ? try picture.shared() : try converted(picture)
        colors.apply(to: frame)
        return frame
    }

    private func converted(_ picture: Picture) throws(MediaError) -> Frame {
        let (width, height) = (picture.width, picture.height)
        let canvas = picture.frame
        let output = try blank(width, height, format)
        var task = Scaler.Task(
            sourceWidth: width, sourceHeight: height, sourceFormat: canvas.pixelFormat.rawValue,
            sourceIsFullRange: false,
            width: width, height: height, format: format.rawValue)
        guard format == AV_PIX_FMT_YUVJ420P else {
            try scaler.scale(task, from: canvas, to: output)
            return output
        }
        // Another matrix: by way of RGB.
        let rgb = try blank(width, height, AV_PIX_FMT_RGB24)
        task.format = AV_PIX_FMT_RGB24.rawValue
        try scaler.scale(task, from: canvas, to: rgb)
        task = Scaler.Task(
            sourceWidth: width, sourceHeight: height, sourceFormat: AV_PIX_FMT_RGB24.rawValue, sourceIsFullRange: true,
            width: width, height: height, format: AV_PIX_FMT_YUV420P.rawValue, isFullRange: true, matrix: SWS_CS_ITU601)
        try fromRGB.scale(task, from: rgb, to: output)
        return output
    }

    private func blank(_ width: Int, _ height: Int, _ format: AVPixelFormat) throws(MediaError) -> Frame {
        let frame = try Frame()
        frame.raw.pointee.width = Int32(width)
        frame.raw.pointee.height = Int32(height)
        frame.raw.pointee.format = format.rawValue
        try check(av_frame_get_buffer(frame.raw, 0), "encode a picture", path: nil, .outOfMemory)
        return frame
    }
}

extension Scaler {
    fileprivate func scale(_ task: Task, from: Frame, to: Frame) throws(MediaError) {
        try scale(
            task, from: from.planes.map { UnsafePointer($0) }, strides: from.strides, to: to.planes, strides: to.strides
        )
    }
}

extension Picture {
    /// A frame that shares this picture's memory and carries nothing that a decoder left on it: the
    /// frame type and captions of a source would steer the encoder.
    func shared() throws(MediaError) -> Frame {
        let shared = try Frame()
        let (from, to) = (frame.raw, shared.raw)
        to.pointee.width = from.pointee.width
        to.pointee.height = from.pointee.height
        to.pointee.format = from.pointee.format
        to.pointee.data = from.pointee.data
        to.pointee.linesize = from.pointee.linesize
        to.pointee.buf.0 = from.pointee.buf.0.flatMap { av_buffer_ref($0) }
        to.pointee.buf.1 = from.pointee.buf.1.flatMap { av_buffer_ref($0) }
        to.pointee.buf.2 = from.pointee.buf.2.flatMap { av_buffer_ref($0) }
        return shared
    }
}
