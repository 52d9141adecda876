/// A title's picture: everything that it shows on its canvas and nothing around it.
package struct TitleBitmap: Hashable, Sendable, CustomStringConvertible {
    /// The left edge on the canvas, in pixels; never negative.
    package var x: Int
    /// The top edge on the canvas, in pixels; never negative.
    package var y: Int
    /// Pixels; 0 where nothing of the title is on the canvas. `x + width` never exceeds the canvas.
    package var width: Int
    package var height: Int
    /// `width × height` pixels of red, green, blue and straight alpha in sRGB, top row first, rows
    /// without padding.
    package var rgba: [UInt8]

    package static let empty = TitleBitmap(x: 0, y: 0, width: 0, height: 0, rgba: [])

    package var description: String { "\(width)×\(height) pixels at (\(x), \(y))" }

    package var isEmpty: Bool { rgba.isEmpty }
}

extension TitleBitmap {
    /// - Parameters:
    ///   - pixels: red, green, blue and alpha, premultiplied, of which 65025 is all; rows of the
    ///     area, without padding.
    ///   - area: on the canvas.
    init(premultiplied pixels: [SIMD4<UInt32>], _ area: TitleArea) {
        self.init(x: area.left, y: area.top, width: area.width, height: area.height, rgba: [])
        rgba = [UInt8](unsafeUninitializedCapacity: pixels.count * 4) { bytes, count in
            for (index, pixel) in pixels.enumerated() {
                let alpha = max(1, pixel.w)
                for part in 0..<3 { bytes[4 * index + part] = UInt8(min(255, (pixel[part] * 255 + alpha / 2) / alpha)) }
                bytes[4 * index + 3] = UInt8(min(255, (pixel.w + 127) / 255))
            }
            count = pixels.count * 4
        }
    }

    /// Bitmaps one over another.
    package init(stack: [TitleBitmap]) {
        let parts = stack.filter { !$0.isEmpty }
        guard parts.count > 1 else {
            self = parts.first ?? .empty
            return
        }
        let area = parts.reduce(TitleArea.nothing) {
            $0.union(TitleArea(left: $1.x, top: $1.y, right: $1.x + $1.width, bottom: $1.y + $1.height))
        }
        var pixels = [SIMD4<UInt32>](repeating: .zero, count: area.width * area.height)
        for part in parts {
            for y in 0..<part.height {
                let start = (part.y + y - area.top) * area.width + part.x - area.left
                for x in 0..<part.width {
                    let place = 4 * (y * part.width + x)
                    let alpha = UInt32(part.rgba[place + 3])
                    guard alpha > 0 else { continue }
                    let color = SIMD4<UInt32>(
                        UInt32(part.rgba[place]), UInt32(part.rgba[place + 1]), UInt32(part.rgba[place + 2]), 255)
                    pixels[start + x] = color &* alpha &+ (pixels[start + x] &* (255 - alpha) &+ 127) / 255
                }
            }
        }
        self.init(premultiplied: pixels, area)
    }
}
