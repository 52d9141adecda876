import CFFmpeg
import Values

/// From decoded pixels to RGBA with straight alpha, and RGBA to other sizes.
enum RGBAConversion {
    /// A new picture that stands upright, stretched to the size that it shall be shown at (nil: its
    /// own), with straight alpha. Nothing of the source's size is made beside the source where it
    /// is made smaller.
    static func upright(
        _ pixels: SourcePixels, _ orientation: Orientation, width: Int?, height: Int?, matte: Color?
    ) throws(MediaError) -> Picture {
        let isTurned = orientation.rotation % 180 != 0
        let (across, down) = isTurned ? (height, width) : (width, height)
        let scaled = try scale(pixels, width: across ?? pixels.width, height: down ?? pixels.height, matte: matte)
        return orientation == Orientation() ? scaled : try turn(scaled, orientation)
    }

    private static func scale(
        _ pixels: SourcePixels, width: Int, height: Int, matte: Color?
    ) throws(MediaError) -> Picture {
        let isSameSize = (width, height) == (pixels.width, pixels.height)
        guard pixels.hasAlpha else {
            return isSameSize ? try convert(pixels, 0..<pixels.height) : try stretchOpaque(pixels, width, height)
        }
        if isSameSize && matte == nil { return try convert(pixels, 0..<pixels.height) }
        guard pixels.hasHalvedRows else {
            return try stretch(pixels.width, pixels.height, to: width, height, matte: matte) {
                rows throws(MediaError) in
                (try convert(pixels, rows), 0)
            }
        }
        // Its chroma must be interpolated over the edges of bands.
        let whole = try convert(pixels, 0..<pixels.height)
        return try stretch(pixels.width, pixels.height, to: width, height, matte: matte) { (whole, $0.lowerBound) }
    }

    private static func stretchOpaque(_ pixels: SourcePixels, _ width: Int, _ height: Int) throws(MediaError) -> Picture
    {
        let output = try Picture(width: width, height: height, format: .rgba)
        let task = Scaler.Task(
            sourceWidth: pixels.width, sourceHeight: pixels.height, sourceFormat: pixels.format,
            sourceIsFullRange: pixels.isFullRange || pixels.isRGB, sourceMatrix: pixels.scalerMatrix,
            width: width, height: height, format: AV_PIX_FMT_RGBA.rawValue, sourceSiting: pixels.siting)
        try Scaler().scale(
            task, from: pixels.planes(croppedTo: (pixels.width, pixels.height)), strides: pixels.strides,
            to: output.frame.planes, strides: output.frame.strides)
        return output
    }

    /// A new picture of the rows `rows`. Exact for RGB of 8 bits and, up to rounding, of 16.
    private static func convert(_ pixels: SourcePixels, _ rows: Range<Int>) throws(MediaError) -> Picture {
        let output = try Picture(width: pixels.width, height: rows.count, format: .rgba)
        switch AVPixelFormat(pixels.format) {
        case AV_PIX_FMT_RGB48BE: narrow(pixels, rows, to: output, channels: 3, highByte: 0)
        case AV_PIX_FMT_RGB48LE: narrow(pixels, rows, to: output, channels: 3, highByte: 1)
        case AV_PIX_FMT_RGBA64BE: narrow(pixels, rows, to: output, channels: 4, highByte: 0)
        case AV_PIX_FMT_RGBA64LE: narrow(pixels, rows, to: output, channels: 4, highByte: 1)
        default:
            let task = Scaler.Task(
                sourceWidth: pixels.width, sourceHeight: rows.count, sourceFormat: pixels.format,
                sourceIsFullRange: pixels.isFullRange || pixels.isRGB, sourceMatrix: pixels.scalerMatrix,
                width: pixels.width, height: rows.count, format: AV_PIX_FMT_RGBA.rawValue,
                sourceSiting: pixels.siting)
            try Scaler().scale(
                task, from: pixels.planes(croppedTo: (pixels.width, pixels.height), from: rows.lowerBound),
                strides: pixels.strides, to: output.frame.planes, strides: output.frame.strides)
        }
        return output
    }

    /// 16 bits to 8 with rounding; the scaler would go through Y′CbCr.
    private static func narrow(
        _ pixels: SourcePixels, _ rows: Range<Int>, to output: Picture, channels: Int, highByte: Int
    ) {
        guard let source = pixels.planes(croppedTo: (pixels.width, pixels.height), from: rows.lowerBound)[0] else {
            return
        }
        for row in 0..<rows.count {
            var from = source + row * Int(pixels.strides[0])
            var to = output.plane(0) + row * output.stride(0)
            for _ in 0..<pixels.width {
                to[3] = 255
                for channel in 0..<channels {
                    let value = UInt32(from[2 * channel + highByte]) << 8 | UInt32(from[2 * channel + 1 - highByte])
                    to[channel] = UInt8((value * 255 + 32_767) / 65_535)
                }
                from += 2 * channels
                to += 4
            }
        }
    }

    /// Upright; the result is a new picture.
    private static func turn(_ picture: Picture, _ orientation: Orientation) throws(MediaError) -> Picture {
        let isTurned = orientation.rotation % 180 != 0
        let output = try Picture(
            width: isTurned ? picture.height : picture.width, height: isTurned ? picture.width : picture.height,
            format: .rgba)
        // The four channels are turned as planes of their own.
        let area = picture.width * picture.height
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * area) { planes in
            guard let split = planes.baseAddress else { return }
            let turned = split + area
            for channel in 0..<4 {
                for row in 0..<picture.height {
                    let from = picture.plane(0) + row * picture.stride(0) + channel
                    for column in 0..<picture.width { split[row * picture.width + column] = from[4 * column] }
                }
                Turn.copy(
                    split, stride: picture.width, width: picture.width, height: picture.height,
                    degrees: orientation.rotation, isMirrored: orientation.isMirrored, to: turned,
                    targetStride: output.width)
                for row in 0..<output.height {
                    let to = output.plane(0) + row * output.stride(0) + channel
                    for column in 0..<output.width { to[4 * column] = turned[row * output.width + column] }
                }
            }
        }
        return output
    }

    /// A new picture of another size. Colours are weighted by their alpha, so that the hidden
    /// colour of transparent pixels does not leave a fringe; 16 bits in between keep faint pixels
    /// from losing theirs. The filter overshoots at edges, in alpha and colour alike: half of the
    /// 16 bits' range is left for that, since a colour divided by an alpha that was cut off is
    /// another colour.
    /// - Parameter band: gives a picture with the rows asked for, and which of its rows is the
    ///   first of them.
    private static func stretch(
        _ sourceWidth: Int, _ sourceHeight: Int, to width: Int, _ height: Int, matte: Color?,
        _ band: (Range<Int>) throws(MediaError) -> (picture: Picture, row: Int)
    ) throws(MediaError) -> Picture {
        let wide = try WidePixels(width: sourceWidth, height: min(sourceHeight, FlattenedRows.bandHeight))
        let scaled = try WidePixels(width: width, height: height)
        let task = Scaler.Task(
            sourceWidth: sourceWidth, sourceHeight: sourceHeight, sourceFormat: AV_PIX_FMT_RGBA64LE.rawValue,
            sourceIsFullRange: true, width: width, height: height, format: AV_PIX_FMT_RGBA64LE.rawValue)
        try Scaler().scale(task, to: [scaled.bytes, nil, nil, nil], strides: [Int32(scaled.stride), 0, 0, 0]) {
            rows throws(MediaError) in
            let (picture, first) = try band(rows)
            for row in 0..<rows.count {
                multiply(picture.plane(0) + (first + row) * picture.stride(0), into: wide.row(row), sourceWidth, matte)
            }
            return ([UnsafePointer(wide.bytes), nil, nil, nil], [Int32(wide.stride), 0, 0, 0])
        }
        let output = try Picture(width: width, height: height, format: .rgba)
        for row in 0..<height {
            let from = scaled.row(row)
            let to = output.plane(0) + row * output.stride(0)
            for x in Swift.stride(from: 0, to: 4 * width, by: 4) {
                let alpha = UInt32(from[x + 3])
                for channel in 0..<3 {
                    let color = alpha == 0 ? 0 : (UInt32(from[x + channel]) * 255 + alpha / 2) / alpha
                    to[x + channel] = UInt8(min(255, color))
                }
                to[x + 3] = UInt8(min(255, (alpha + opaque / 510) / (opaque / 255)))
            }
        }
        return output
    }

    /// Alpha of 1 between the two: 128 for each step of 8 bits.
    private static let opaque: UInt32 = 255 * 128

    /// A row of 8 bits to 16, weighted by its alpha; what was laid over a matte already is freed of
    /// it.
    private static func multiply(
        _ from: UnsafePointer<UInt8>, into to: UnsafeMutablePointer<UInt16>, _ width: Int, _ matte: Color?
    ) {
        let mattes = matte.map { [Int32($0.red), Int32($0.green), Int32($0.blue)] }
        for x in Swift.stride(from: 0, to: 4 * width, by: 4) {
            let alpha = UInt32(from[x + 3])
            for channel in 0..<3 {
                let value = UInt32(from[x + channel])
                if let mattes {
                    let rest = Int32(value) * 255 - mattes[channel] * Int32(255 - alpha)
                    to[x + channel] = UInt16(min(max(rest * 128 / 255, 0), Int32(alpha * 128)))
                } else {
                    to[x + channel] = UInt16((value * alpha * 128 + 127) / 255)
                }
            }
            to[x + 3] = UInt16(alpha * 128)
        }
    }
}

/// Owns RGBA rows of 16 bits each.
private final class WidePixels {
    let stride: Int
    private let storage: UnsafeMutableBufferPointer<UInt16>

    init(width: Int, height: Int) throws(MediaError) {
        guard width > 0, height > 0, width <= 32_768, height <= 32_768 else {
            throw MediaError(
                .unsupported, "stretch a picture", path: nil,
                reason: "a size of \(width)×\(height) is outside 1…32768 pixels")
        }
        stride = (width * 8 + 63) & ~63
        // The scaler may touch a few bytes past the last row.
        storage = .allocate(capacity: (stride * height + 128) / 2)
        storage.initialize(repeating: 0)
    }

    deinit { storage.deallocate() }

    var bytes: UnsafeMutablePointer<UInt8> {
        UnsafeMutableRawPointer(storage.baseAddress!).assumingMemoryBound(to: UInt8.self)
    }

    func row(_ index: Int) -> UnsafeMutablePointer<UInt16> { storage.baseAddress! + index * stride / 2 }
}
