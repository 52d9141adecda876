import CFFmpeg
import Draft

/// Puts decoded pictures on the canvas: 8-bit 4:2:0, BT.709, limited range.
///
/// The order of the work: cut (for *fill*), scale to the final size, change the matrix, turn, and where the picture has
/// alpha, lay it over the background. The scaler runs first, since it mostly makes the picture smaller; range is its
/// business too. Wide gamuts and HDR transfer are not mapped yet: their place is between scaling and turning.
public final class CanvasConverter {
    private let canvas: (width: Int, height: Int)
    private let mode: ContentMode
    private let background: Color
    private let planarScaler = PlanarScaler()
    private let scaler = Scaler()
    private let paletteScaler = Scaler()
    private var last: (input: Picture, info: VideoStreamInfo, output: Picture)?

    /// - Parameters:
    ///   - background: what shows beside a fitted picture and through a transparent one; its own alpha is ignored.
    public init(width: Int, height: Int, mode: ContentMode, background: Color = .black) {
        canvas = (width, height)
        self.mode = mode
        self.background = background
    }

    /// The picture on the canvas, shared: with the converter, which gives the same object while the input stays the same
    /// object, and with the decoder where the input already is what the canvas needs.
    /// - Parameter info: the stream's, for rotation and shape.
    public func convert(_ picture: Picture, info: VideoStreamInfo) throws(MediaError) -> Picture {
        if let last, last.input === picture, last.info == info { return last.output }
        // The previous output's memory goes back to the pool before the next is taken.
        last = nil
        let output = try draw(picture, info)
        last = (picture, info, output)
        return output
    }

    private func draw(_ picture: Picture, _ info: VideoStreamInfo) throws(MediaError) -> Picture {
        var pixels = SourcePixels(picture.frame)
        let isTurned = info.rotation % 180 != 0
        let place = Placement(
            stored: (pixels.width, pixels.height), shown: (info.width, info.height), isTurned: isTurned, canvas: canvas,
            mode: mode)
        let isUpright = info.rotation == 0 && !picture.isMirrored
        if isUpright, picture.format == .yuv420p, !pixels.isFullRange, pixels.matrix == .bt709,
            (pixels.width, pixels.height) == canvas, (place.width, place.height) == canvas, place.crop == canvas
        {
            return picture
        }
        let output = try Picture(width: canvas.width, height: canvas.height, format: .yuv420p)
        let fill = BackgroundFill(background)
        let isOpaque = !pixels.hasAlpha
        if !isOpaque { fill.fill(output) } else { fill.fillAround(place, of: output) }
        // The scaler takes no palette together with alpha.
        if pixels.isPaletted { pixels = try expandPalette(pixels) }

        let matrix = pixels.isRGB ? nil : MatrixChange(from: pixels.matrix, to: .bt709)
        let fillsCanvas = (place.width, place.height) == canvas
        let target =
            isUpright && isOpaque && (matrix == nil || fillsCanvas)
            ? output
            : try Picture(
                width: isTurned ? place.height : place.width, height: isTurned ? place.width : place.height,
                format: isOpaque ? .yuv420p : .yuva420p)
        var turn = Orientation()
        (turn.rotation, turn.isMirrored) = (info.rotation, picture.isMirrored)
        try scale(pixels, place, to: target, turn: turn, isInPlace: target === output)
        matrix?.apply(to: target)
        guard target !== output else { return output }
        let upright = isOpaque ? nil : try Picture(width: place.width, height: place.height, format: .yuva420p)
        Self.turn(target, by: info.rotation, isMirrored: picture.isMirrored, to: upright ?? output, at: upright == nil ? place : nil)
        if let upright { AlphaBlend.lay(upright, over: output, x: place.x, y: place.y) }
        return output
    }

    private func scale(
        _ pixels: SourcePixels, _ place: Placement, to target: Picture, turn: Orientation, isInPlace: Bool
    ) throws(MediaError) {
        let isTurned = turn.rotation % 180 != 0
        let task = Scaler.Task(
            sourceWidth: place.crop.width, sourceHeight: place.crop.height, sourceFormat: pixels.format,
            sourceIsFullRange: pixels.isFullRange, width: isTurned ? place.height : place.width,
            height: isTurned ? place.width : place.height, format: target.frame.raw.pointee.format)
        let planes = (0..<4).map { index -> UnsafeMutablePointer<UInt8>? in
            guard index < target.planeCount else { return nil }
            guard isInPlace else { return target.plane(index) }
            return target.plane(index) + Self.offset(place, plane: index, stride: target.stride(index))
        }
        let siting = ChromaSiting.beforeTurning(turn.rotation, isMirrored: turn.isMirrored)
        if target.format == .yuv420p,
            let task = PlanarScaler.Task(
                pixels, cropped: place.crop, width: task.width, height: task.height, targetSiting: siting)
        {
            try planarScaler.scale(
                task, from: pixels.planes(croppedTo: place.crop), strides: pixels.frame.strides, to: planes,
                strides: target.frame.strides)
            return
        }
        try scaler.scale(
            task, from: pixels.planes(croppedTo: place.crop), strides: pixels.frame.strides, to: planes,
            strides: target.frame.strides)
    }

    private static func turn(_ source: Picture, by degrees: Int, isMirrored: Bool, to target: Picture, at place: Placement?) {
        for plane in 0..<source.planeCount {
            let size = source.size(ofPlane: plane)
            let offset = place.map { Self.offset($0, plane: plane, stride: target.stride(plane)) } ?? 0
            Turn.copy(
                source.plane(plane), stride: source.stride(plane), width: size.width, height: size.height,
                degrees: degrees, isMirrored: isMirrored, to: target.plane(plane) + offset,
                targetStride: target.stride(plane))
        }
    }

    private static func offset(_ place: Placement, plane: Int, stride: Int) -> Int {
        plane == 1 || plane == 2 ? place.y / 2 * stride + place.x / 2 : place.y * stride + place.x
    }

    private func expandPalette(_ pixels: SourcePixels) throws(MediaError) -> SourcePixels {
        let rgba = try Picture(width: pixels.width, height: pixels.height, format: .rgba)
        let task = Scaler.Task(
            sourceWidth: pixels.width, sourceHeight: pixels.height, sourceFormat: pixels.format, sourceIsFullRange: true,
            width: pixels.width, height: pixels.height, format: AV_PIX_FMT_RGBA.rawValue)
        try paletteScaler.scale(
            task, from: pixels.frame.planes.map { UnsafePointer($0) }, strides: pixels.frame.strides,
            to: rgba.frame.planes, strides: rgba.frame.strides)
        return SourcePixels(rgba.frame)
    }
}
