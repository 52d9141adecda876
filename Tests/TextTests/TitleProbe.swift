import CPango
import Draft

@testable import Text

/// What a title's picture shows, read from its pixels.
struct TitleProbe {
    let bitmap: TitleBitmap
    let canvas: Canvas.Size

    static let canvas = Canvas.Size(width: 640, height: 360)

    init(_ text: String, canvas: Canvas.Size = Self.canvas, _ edit: (inout Title) -> Void = { _ in }) throws {
        var title = Title(text)
        edit(&title)
        self.canvas = canvas
        bitmap = try TitleRasterizer.render(title, canvas: canvas)
    }

    init(_ bitmap: TitleBitmap, canvas: Canvas.Size = Self.canvas) { (self.bitmap, self.canvas) = (bitmap, canvas) }

    /// Red, green, blue and alpha at a place of the canvas; clear outside the bitmap.
    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        guard (bitmap.x..<bitmap.x + bitmap.width).contains(x), (bitmap.y..<bitmap.y + bitmap.height).contains(y) else {
            return [0, 0, 0, 0]
        }
        let offset = ((y - bitmap.y) * bitmap.width + x - bitmap.x) * 4
        return Array(bitmap.rgba[offset..<offset + 4])
    }

    /// The rows and columns of the canvas that have at least half-covered pixels which `counts`
    /// accepts.
    func ink(where counts: ([UInt8]) -> Bool = { $0[3] > 127 }) -> Ink {
        var ink = Ink()
        for y in 0..<bitmap.height {
            for x in 0..<bitmap.width where counts(pixel(bitmap.x + x, bitmap.y + y)) {
                ink.pixels += 1
                ink.columns[bitmap.x + x, default: 0] += 1
                ink.rows[bitmap.y + y, default: 0] += 1
            }
        }
        return ink
    }

    struct Ink {
        var pixels = 0
        /// Pixels by column and by row of the canvas.
        var columns: [Int: Int] = [:]
        var rows: [Int: Int] = [:]

        var left: Int { columns.keys.min() ?? 0 }
        var right: Int { columns.keys.max() ?? 0 }
        var top: Int { rows.keys.min() ?? 0 }
        var bottom: Int { rows.keys.max() ?? 0 }
        var width: Int { pixels == 0 ? 0 : right - left + 1 }
        var height: Int { pixels == 0 ? 0 : bottom - top + 1 }
        /// Stretches of rows with ink, from top to bottom: lines of text, where the letters have no
        /// dots or descenders.
        var bands: [ClosedRange<Int>] {
            rows.keys.sorted().reduce(into: []) { bands, row in
                if let last = bands.last, last.upperBound == row - 1 {
                    bands[bands.count - 1] = last.lowerBound...row
                } else {
                    bands.append(row...row)
                }
            }
        }
    }

    /// The leftmost and rightmost column with ink within some rows.
    func span(of rows: ClosedRange<Int>) -> (left: Int, right: Int) {
        var (left, right) = (Int.max, Int.min)
        for y in rows {
            for x in bitmap.x..<bitmap.x + bitmap.width where pixel(x, y)[3] > 127 {
                left = min(left, x)
                right = max(right, x)
            }
        }
        return (left, right)
    }
}

/// Whether a font that has all of these characters is installed.
func hasFont(for text: String, colors: Bool = false) -> Bool {
    guard let wanted = FcPatternCreate(), let letters = FcCharSetCreate() else { return false }
    defer {
        FcPatternDestroy(wanted)
        FcCharSetDestroy(letters)
    }
    for scalar in text.unicodeScalars { FcCharSetAddChar(letters, scalar.value) }
    FcPatternAddCharSet(wanted, FC_CHARSET, letters)
    if colors { FcPatternAddBool(wanted, FC_COLOR, 1) }
    let properties = FcObjectSetCreate()
    defer { FcObjectSetDestroy(properties) }
    FcObjectSetAdd(properties, FC_FILE)
    guard let fonts = FcFontList(nil, wanted, properties) else { return false }
    defer { FcFontSetDestroy(fonts) }
    return fonts.pointee.nfont > 0
}
