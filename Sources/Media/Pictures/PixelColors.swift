import CKernels
import Draft
import Values

/// Changes the colours of single pixels to those of a canvas.
///
/// ``CanvasConverter`` works on 4:2:0, where pixels share chroma. Pixels of a picture with alpha
/// must not: the colour of a faint pixel is a small number divided by a small number, so it is
/// imprecise. Multiplied with its alpha again, it does no harm. As a part of the chroma of an
/// opaque pixel, it does.
public struct PixelColors {
    private let change: ColorChange
    private let source: ColorMatrix
    private let target: ColorSystem

    /// - Parameters:
    ///   - picture: has the coding from which the colours are changed; of limited range.
    ///   - info: of its stream.
    ///   - target: the canvas's.
    public init(of picture: Picture, _ info: VideoStreamInfo, to target: ColorSystem) throws(MediaError) {
        let coding = SourcePixels(picture.frame).coding(isRGB: false, peak: info.peak)
        change = try ColorChange(from: coding, to: .canvas(target))
        source = coding.matrix
        self.target = target
    }

    /// Whether the colours stay as they are.
    public var isNone: Bool { change.isNone }

    /// Columns of a pixel in the strip. A chroma sample lies in every even column and is the mean
    /// of three, so that of the third column is this pixel's own.
    private static let columns = 4

    /// Changes R′G′B′ in place; the alpha stays.
    /// - Parameters:
    ///   - rgba: floats with straight alpha. Pixels with alpha 0 stay as they are.
    ///   - stride: bytes from one row to the next.
    public func apply(
        _ rgba: UnsafeMutablePointer<Float>, stride: Int, width: Int, height: Int
    ) throws(MediaError) {
        guard !isNone, width > 0 else { return }
        let fine = try Picture(width: Self.columns * width, height: 1, format: .yuv420p10)
        let coded = target.isHDR ? fine : try Picture(width: Self.columns * width, height: 1, format: .yuv420p)
        var strip = [Float](repeating: 0, count: 4 * Self.columns * width)
        for y in 0..<height {
            let row = UnsafeMutableRawPointer(rgba).advanced(by: y * stride).assumingMemoryBound(to: Float.self)
            strip.withUnsafeMutableBufferPointer { apply(row, width, $0.baseAddress!, fine, coded) }
        }
    }

    /// Changes the pixels of a row that have alpha.
    private func apply(
        _ row: UnsafeMutablePointer<Float>, _ width: Int, _ strip: UnsafeMutablePointer<Float>, _ fine: Picture,
        _ coded: Picture
    ) {
        let length = 4 * Self.columns
        var count = 0
        for x in 0..<width where row[4 * x + 3] > 0 {
            for column in 0..<Self.columns {
                (strip + count * length + 4 * column).update(from: row + 4 * x, count: 4)
            }
            count += 1
        }
        guard count > 0 else { return }
        let columns = Self.columns * count
        let (from, to) = (
            fine.kernel(x: 0, y: 0, width: columns, height: 1), coded.kernel(x: 0, y: 0, width: columns, height: 1)
        )
        ck_yuv_from_rgbaf(from, strip, 16 * columns, 10, source.red, source.blue, CK_CHROMA_MEAN)
        if target.isHDR {
            change.apply(inPlace: to)
        } else {
            change.apply(from, isTenBits: true, to: to)
        }
        let matrix = PictureCoding.canvas(target).matrix
        ck_rgbaf_from_yuv(strip, 16 * columns, to, target.isHDR ? 10 : 8, matrix.red, matrix.blue)
        var next = strip + 8
        for x in 0..<width where row[4 * x + 3] > 0 {
            (row + 4 * x).update(from: next, count: 3)
            next += length
        }
    }
}
