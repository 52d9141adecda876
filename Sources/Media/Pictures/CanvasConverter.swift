import CFFmpeg
import Draft
import Values

/// Puts decoded pictures on the canvas: 8-bit 4:2:0 of BT.709, or 10-bit 4:2:0 of BT.2100, limited
/// range.
///
/// The order of the work: cut (for *fill*), lay what has alpha over the background, scale to the
/// final size, change the colours, turn. The scaler runs first, since it mostly makes the picture
/// smaller; range is its business too. What is HDR or of a wide gamut keeps 10 bits from the scaler
/// to its ``ColorChange``.
public final class CanvasConverter {
    private let canvas: (width: Int, height: Int)
    private let mode: ContentMode
    private let background: Color
    private let color: ColorSystem
    private let planarScaler = PlanarScaler()
    private let scaler = Scaler()
    private var last: (input: Picture, info: VideoStreamInfo, output: Picture)?

    /// - Parameters:
    ///   - background: what shows beside a fitted picture and through a transparent one; its own
    ///     alpha is ignored.
    ///   - color: the canvas's.
    public init(width: Int, height: Int, mode: ContentMode, background: Color = .black, color: ColorSystem = .sdr) {
        canvas = (width, height)
        self.color = color
        self.mode = mode
        self.background = background
    }

    /// The picture on the canvas, shared: with the converter, which gives the same object while the
    /// input stays the same object, and with the decoder where the input already is what the canvas
    /// needs.
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
        let pixels = SourcePixels(picture.frame)
        let isTurned = info.rotation % 180 != 0
        let place = FittedRect(
            stored: (pixels.width, pixels.height), shown: (info.width, info.height), isTurned: isTurned, canvas: canvas,
            mode: mode)
        let backdrop =
            color.isHDR
            ? try BackgroundFill.color(background, in: pixels.coding(isRGB: pixels.isRGB, peak: info.peak)) : background
        let flattened =
            pixels.hasAlpha
            ? try FlattenedRows(pixels, croppedTo: place.crop, background: backdrop, matte: info.matte) : nil
        let coding = pixels.coding(isRGB: flattened?.isRGB ?? pixels.isRGB, peak: info.peak)
        let change = try ColorChange(from: coding, to: .canvas(color))
        let isUpright = info.rotation == 0 && !picture.isMirrored
        let format = color.pictureFormat
        if isUpright, picture.format == format, !pixels.isFullRange, change.isNone,
            (pixels.width, pixels.height) == canvas, (place.width, place.height) == canvas, place.crop == canvas
        {
            return picture
        }
        let output = try Picture(width: canvas.width, height: canvas.height, format: format)
        let (width, height) = isTurned ? (place.height, place.width) : (place.width, place.height)
        let target = isUpright ? output : try Picture(width: width, height: height, format: format)
        var turn = Orientation()
        (turn.rotation, turn.isMirrored) = (info.rotation, picture.isMirrored)
        let (x, y) = target === output ? (place.x, place.y) : (0, 0)
        let part = target.kernel(x: x, y: y, width: width, height: height)
        if color.isHDR {
            try scale(pixels, flattened, place, to: target, turn: turn, isInPlace: target === output)
            change.apply(inPlace: part)
        } else if change.wantsTenBits(sourceBits: pixels.bits) {
            let fine = try Picture(width: width, height: height, format: .yuv420p10)
            try scale(pixels, flattened, place, to: fine, turn: turn, isInPlace: false)
            change.apply(fine.kernel(x: 0, y: 0, width: width, height: height), isTenBits: true, to: part)
        } else {
            try scale(pixels, flattened, place, to: target, turn: turn, isInPlace: target === output)
            change.apply(part, isTenBits: false, to: part)
        }
        // Only now: with 10 bits the scaler writes whole groups of eight samples, beyond the row's
        // end.
        try BackgroundFill(background, color).fillAround(place, of: output)
        guard target !== output else { return output }
        Self.turn(target, turn, to: output, at: place)
        return output
    }

    private func scale(
        _ pixels: SourcePixels, _ flattened: FlattenedRows?, _ place: FittedRect, to target: Picture, turn: Orientation,
        isInPlace: Bool
    ) throws(MediaError) {
        let isTurned = turn.rotation % 180 != 0
        let siting = ChromaSiting.beforeTurning(turn.rotation, isMirrored: turn.isMirrored)
        var task = Scaler.Task(
            sourceWidth: place.crop.width, sourceHeight: place.crop.height,
            sourceFormat: flattened?.format ?? pixels.format,
            sourceIsFullRange: flattened?.isFullRange ?? pixels.isFullRange,
            width: isTurned ? place.height : place.width,
            height: isTurned ? place.width : place.height, format: target.frame.raw.pointee.format)
        let planes = (0..<4).map { index -> UnsafeMutablePointer<UInt8>? in
            guard index < target.planeCount else { return nil }
            guard isInPlace else { return target.plane(index) }
            return target.plane(index) + Self.offset(place, plane: index, of: target)
        }
        (task.sourceSiting, task.siting) = (pixels.siting, siting)
        if let flattened { return try scaler.scale(task, from: flattened, to: planes, strides: target.frame.strides) }
        if target.format == .yuv420p,
            let task = PlanarScaler.Task(
                pixels, cropped: place.crop, width: task.width, height: task.height, targetSiting: siting)
        {
            try planarScaler.scale(
                task, from: pixels.planes(croppedTo: place.crop), strides: pixels.strides, to: planes,
                strides: target.frame.strides)
            return
        }
        try scaler.scale(
            task, from: pixels.planes(croppedTo: place.crop), strides: pixels.strides, to: planes,
            strides: target.frame.strides)
    }

    private static func turn(_ source: Picture, _ turn: Orientation, to target: Picture, at place: FittedRect) {
        for plane in 0..<source.planeCount {
            let size = source.size(ofPlane: plane)
            let copy = target.format == .yuv420p10 ? Turn.copyWide : Turn.copy
            copy(
                source.plane(plane), source.stride(plane), size.width, size.height, turn.rotation, turn.isMirrored,
                target.plane(plane) + Self.offset(place, plane: plane, of: target), target.stride(plane))
        }
    }

    private static func offset(_ place: FittedRect, plane: Int, of picture: Picture) -> Int {
        let shift = plane == 1 || plane == 2 ? 1 : 0
        let bytes = picture.format == .yuv420p10 ? 2 : 1
        return (place.y >> shift) * picture.stride(plane) + (place.x >> shift) * bytes
    }
}
