import CFFmpeg

/// Scales canvas pictures to another size, as pictures of a source are scaled on their way to the
/// canvas; nothing else about them changes. Not for several threads at once.
public final class PictureScaler {
    private let width: Int
    private let height: Int
    private let planar = PlanarScaler()
    private let wide = Scaler()

    /// - Parameters:
    ///   - width: pixels, even, as is `height`.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// A new picture of the same content.
    /// - Precondition: the picture is one of a canvas, of 8 or 10 bits.
    public func scale(_ picture: Picture) throws(MediaError) -> Picture {
        precondition(picture.format == .yuv420p || picture.format == .yuv420p10, "only canvas pictures are scaled")
        let output = try Picture(width: width, height: height, format: picture.format)
        let source = (0..<3).map { UnsafePointer<UInt8>?(picture.plane($0)) }
        let target = (0..<3).map { UnsafeMutablePointer<UInt8>?(output.plane($0)) }
        if picture.format == .yuv420p {
            let task = PlanarScaler.Task(
                canvasWidth: picture.width, height: picture.height, toWidth: width, toHeight: height)
            try planar.scale(
                task, from: source, strides: picture.frame.strides, to: target, strides: output.frame.strides)
        } else {
            let format = picture.frame.pixelFormat.rawValue
            let task = Scaler.Task(
                sourceWidth: picture.width, sourceHeight: picture.height, sourceFormat: format,
                sourceIsFullRange: false, width: width, height: height, format: format, sourceSiting: .canvas,
                siting: .canvas)
            try wide.scale(
                task, from: source + [nil], strides: picture.frame.strides, to: target + [nil],
                strides: output.frame.strides)
        }
        return output
    }
}

extension PlanarScaler.Task {
    /// From one canvas to another.
    init(canvasWidth: Int, height sourceHeight: Int, toWidth width: Int, toHeight height: Int) {
        (sourceWidth, self.sourceHeight) = (canvasWidth, sourceHeight)
        (log2ChromaWidth, log2ChromaHeight) = (1, 1)
        (siting, targetSiting) = (.canvas, .canvas)
        isFullRange = false
        (self.width, self.height) = (width, height)
    }
}
