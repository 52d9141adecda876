import CFFmpeg
import Values

/// The rows of a picture with alpha, laid over one colour, a band at a time: what ``Scaler`` reads
/// instead of the picture.
///
/// It is done before scaling, since then no colour that hides under transparent pixels reaches its
/// neighbours as a fringe: scaling what lies over the background is scaling premultiplied colours.
/// And by bands, so that a large picture is held once and not twice.
final class FlattenedRows {
    /// The format of the bands; alpha, where the format still has it, means nothing any more.
    let format: Int32
    let isFullRange: Bool
    let isRGB: Bool

    private let pixels: SourcePixels
    private let crop: (width: Int, height: Int)
    private let band: Frame
    /// Brings formats that ``blend`` does not know to RGBA; nil where that is not needed.
    private let scaler: Scaler?
    private let components: [Component]
    private let alpha: Component
    private let isPremultiplied: Bool

    /// Rows at a time.
    static let bandHeight = 64

    /// One component of the bands' pixels: where its samples lie and what it is laid over.
    private struct Component {
        var plane: Int
        /// Bytes from the row's start, and from sample to sample.
        var offset: Int
        var step: Int
        /// Binary logarithms of the luma samples for each of this one's.
        var shiftX: Int
        var shiftY: Int
        var maximum: UInt32
        var background: UInt32 = 0
        /// What transparent pixels of a premultiplied picture hold.
        var matte: UInt32 = 0
    }

    /// - Parameters:
    ///   - pixels: with alpha.
    ///   - crop: the centred part that is read.
    ///   - matte: the colour that the picture was multiplied with; nil: straight alpha.
    init(
        _ pixels: SourcePixels, croppedTo crop: (width: Int, height: Int), background: Color, matte: Color?
    ) throws(MediaError) {
        self.pixels = pixels
        self.crop = crop
        isPremultiplied = matte != nil
        let isKnown = Self.isKnown(AVPixelFormat(pixels.format))
        let format = isKnown ? AVPixelFormat(pixels.format) : pixels.isDeep ? AV_PIX_FMT_RGBA64LE : AV_PIX_FMT_RGBA
        self.format = format.rawValue
        isRGB = Scaler.isRGB(format.rawValue)
        isFullRange = isRGB || pixels.isFullRange
        scaler = isKnown ? nil : Scaler()
        band = try Frame()
        (band.raw.pointee.width, band.raw.pointee.height) = (
            Int32(crop.width), Int32(min(Self.bandHeight, crop.height))
        )
        band.raw.pointee.format = format.rawValue
        guard let description = av_pix_fmt_desc_get(format), av_frame_get_buffer(band.raw, 0) >= 0 else {
            throw .outOfMemory("convert a picture")
        }
        let raw = description.pointee.comp
        let isRGB = isRGB
        let all = [raw.0, raw.1, raw.2, raw.3].enumerated().map { index, component in
            let isChroma = (index == 1 || index == 2) && !isRGB
            return Component(
                plane: Int(component.plane), offset: Int(component.offset), step: Int(component.step),
                shiftX: isChroma ? Int(description.pointee.log2_chroma_w) : 0,
                shiftY: isChroma ? Int(description.pointee.log2_chroma_h) : 0,
                maximum: (1 << UInt32(component.depth)) - 1)
        }
        alpha = all[3]
        let (matrix, isFullRange) = (pixels.matrix, isFullRange)
        func encode(_ color: Color, _ maximum: UInt32) -> [UInt32] {
            let rgb = [color.red, color.green, color.blue].map { Double($0) / 255 }
            let top = Double(maximum)
            if isRGB { return rgb.map { UInt32(($0 * top).rounded()) } }
            let (y, cb, cr) = matrix.encode(rgb[0], rgb[1], rgb[2])
            let unit = Double((maximum + 1) >> 8)
            let values =
                isFullRange
                ? [y * top, cb * top + 128 * unit, cr * top + 128 * unit]
                : [(16 + 219 * y) * unit, (128 + 224 * cb) * unit, (128 + 224 * cr) * unit]
            return values.map { UInt32(min(max($0.rounded(), 0), top)) }
        }
        components = (0..<3).map { index in
            var component = all[index]
            component.background = encode(background, component.maximum)[index]
            component.matte = encode(matte ?? .black, component.maximum)[index]
            return component
        }
    }

    /// Whole samples of one to sixteen bits in native order, four to a pixel.
    private static func isKnown(_ format: AVPixelFormat) -> Bool {
        guard let description = av_pix_fmt_desc_get(format)?.pointee, description.nb_components == 4 else {
            return false
        }
        let refused = AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BE
        let (a, b, c, d) = description.comp
        return description.flags & UInt64(refused) == 0
            && [a, b, c, d].allSatisfy { $0.shift == 0 && (8...16).contains($0.depth) && $0.depth == a.depth }
    }

    /// The rows `rows` of the part that is read, laid over the background; valid until the next
    /// call. They begin at a multiple of ``bandHeight`` and are at most as many.
    func rows(_ rows: Range<Int>) throws(MediaError) -> (planes: [UnsafePointer<UInt8>?], strides: [Int32]) {
        let source = pixels.planes(croppedTo: crop, from: rows.lowerBound)
        if let scaler {
            let task = Scaler.Task(
                sourceWidth: crop.width, sourceHeight: rows.count, sourceFormat: pixels.format,
                sourceIsFullRange: pixels.isFullRange || pixels.isRGB, sourceMatrix: pixels.scalerMatrix,
                width: crop.width, height: rows.count, format: format, sourceSiting: pixels.siting,
                siting: pixels.siting)
            try scaler.scale(task, from: source, strides: pixels.strides, to: band.planes, strides: band.strides)
        } else {
            var (targets, lines, sources) = (band.planes, band.strides, source)
            var sourceLines = pixels.strides
            av_image_copy(
                &targets, &lines, &sources, &sourceLines, AVPixelFormat(format), Int32(crop.width), Int32(rows.count))
        }
        if alpha.maximum > 255 { blend(UInt16.self, rows.count) } else { blend(UInt8.self, rows.count) }
        return (band.planes.map { UnsafePointer($0) }, band.strides)
    }

    private func blend<Sample: FixedWidthInteger & UnsignedInteger>(_: Sample.Type, _ rows: Int) {
        let (planes, strides) = (band.planes, band.strides)
        guard let mask = planes[alpha.plane] else { return }
        let (maximum, maskStep, maskStride) = (alpha.maximum, alpha.step, Int(strides[alpha.plane]))
        // Chroma that lies on its left column spans the column before it, too.
        let isBeside = pixels.siting.x == 0
        for component in components {
            guard let plane = planes[component.plane] else { continue }
            let (blockX, blockY) = (1 << component.shiftX, 1 << component.shiftY)
            for row in 0..<(rows + blockY - 1) >> component.shiftY {
                var sample = plane + row * Int(strides[component.plane]) + component.offset
                let top = row << component.shiftY
                let maskRows = min(blockY, rows - top)
                for column in 0..<(crop.width + blockX - 1) >> component.shiftX {
                    let left = column << component.shiftX
                    let maskColumns = min(blockX, crop.width - left)
                    var (sum, count) = (UInt32(0), UInt32(0))
                    func add(_ x: Int, _ y: Int, _ weight: UInt32) {
                        let from = mask + (top + y) * maskStride + x * maskStep + alpha.offset
                        sum &+= weight &* UInt32(UnsafeRawPointer(from).load(as: Sample.self))
                        count &+= weight
                    }
                    for y in 0..<maskRows {
                        if isBeside && blockX == 2 {
                            // The row goes on as its mirror image does around its first and last
                            // pixel.
                            add(left, y, 2)
                            add(left > 0 ? left - 1 : min(1, crop.width - 1), y, 1)
                            add(left + 1 < crop.width ? left + 1 : max(0, left - 1), y, 1)
                        } else {
                            for x in left..<left + maskColumns { add(x, y, 1) }
                        }
                    }
                    // The mean alpha of the luma samples that have a share in a sample of chroma.
                    let opacity = count == 1 ? sum : (sum &+ count / 2) / count
                    if opacity != maximum {
                        let at = UnsafeMutableRawPointer(sample)
                        let value = mix(UInt32(at.load(as: Sample.self)), opacity, component, maximum)
                        at.storeBytes(of: Sample(truncatingIfNeeded: value), as: Sample.self)
                    }
                    sample += component.step
                }
            }
        }
    }

    @inline(__always)
    private func mix(_ value: UInt32, _ opacity: UInt32, _ component: Component, _ maximum: UInt32) -> UInt32 {
        let free = maximum &- opacity
        if isPremultiplied {
            // What is there already holds the matte's share: value + (background − matte) · (1 −
            // alpha).
            let change = (Int64(component.background) - Int64(component.matte)) * Int64(free)
            let rounded = (change + (change < 0 ? -1 : 1) * Int64(maximum / 2)) / Int64(maximum)
            return UInt32(min(max(Int64(value) + rounded, 0), Int64(component.maximum)))
        }
        let sum = UInt64(value) &* UInt64(opacity) &+ UInt64(component.background) &* UInt64(free)
        return UInt32(truncatingIfNeeded: (sum &+ UInt64(maximum / 2)) / UInt64(maximum))
    }
}
