import CKernels
import Values

extension Picture {
    /// A canvas picture of one colour, the caller's own.
    /// - Parameter color: on a canvas of `system`; its alpha is ignored.
    public static func background(
        _ color: Color, width: Int, height: Int, _ system: ColorSystem
    ) throws(MediaError) -> Picture {
        let picture = try Picture(width: width, height: height, format: system.pictureFormat)
        try BackgroundFill(color, system).fill(picture)
        return picture
    }
}

/// Fills canvas pictures, or what a placed picture leaves free of them, with one colour.
struct BackgroundFill {
    /// Y, Cb and Cr in the canvas's own depth.
    private let values: [UInt16]

    var luma: Int32 { Int32(values[0]) }

    /// - Parameter color: on a canvas of `system`; its alpha is ignored.
    init(_ color: Color, _ system: ColorSystem = .sdr) throws(MediaError) {
        if system.isHDR {
            let light = try ColorTable.table(.light, from: .bt709, to: .canvas(system))
            var codes: [UInt16] = [0, 0, 0]
            ck_light_color(light.kernel, [color.red, color.green, color.blue], &codes)
            values = codes
            return
        }
        // BT.709, limited range: 219 steps of luma from 16, 224 of the colour differences around
        // 128.
        let encoded = ColorMatrix.bt709.encode(
            Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255)
        values = [16 + 219 * encoded.y, 128 + 224 * encoded.cb, 128 + 224 * encoded.cr].map { UInt16($0.rounded()) }
    }

    /// The colour as R′G′B′ of a picture of HDR, to lie under one with alpha; 8 bits are few for
    /// that, but what lies there is one colour.
    static func color(_ color: Color, in coding: PictureCoding) throws(MediaError) -> Color {
        guard coding.transfer != .sdr else { return color }
        let light = try ColorTable.table(.light, from: .bt709, to: coding.withoutPeak)
        var codes: [UInt16] = [0, 0, 0]
        ck_light_color(light.kernel, [color.red, color.green, color.blue], &codes)
        let rgb = coding.matrix.decode(
            (Double(codes[0]) - 64) / 876, (Double(codes[1]) - 512) / 896, (Double(codes[2]) - 512) / 896)
        let bytes = [rgb.r, rgb.g, rgb.b].map { UInt8((min(max($0, 0), 1) * 255).rounded()) }
        return Color(red: bytes[0], green: bytes[1], blue: bytes[2])
    }

    func fill(_ picture: Picture) {
        for plane in 0..<3 {
            let size = picture.size(ofPlane: plane)
            for row in 0..<size.height { paint(picture, plane, row: row, 0..<size.width) }
        }
    }

    func fillAround(_ place: FittedRect, of picture: Picture) {
        guard place.width < picture.width || place.height < picture.height else { return }
        for plane in 0..<3 {
            let size = picture.size(ofPlane: plane)
            let shift = plane == 0 ? 0 : 1
            let columns = (place.x >> shift)..<((place.x + place.width + shift) >> shift)
            let rows = (place.y >> shift)..<((place.y + place.height + shift) >> shift)
            for row in 0..<size.height {
                guard rows.contains(row) else {
                    paint(picture, plane, row: row, 0..<size.width)
                    continue
                }
                paint(picture, plane, row: row, 0..<columns.lowerBound)
                paint(picture, plane, row: row, min(columns.upperBound, size.width)..<size.width)
            }
        }
    }

    private func paint(_ picture: Picture, _ plane: Int, row: Int, _ columns: Range<Int>) {
        let start = UnsafeMutableRawPointer(picture.plane(plane) + row * picture.stride(plane))
        if picture.format == .yuv420p10 {
            (start.assumingMemoryBound(to: UInt16.self) + columns.lowerBound)
                .update(repeating: values[plane], count: columns.count)
        } else {
            (start.assumingMemoryBound(to: UInt8.self) + columns.lowerBound)
                .update(repeating: UInt8(truncatingIfNeeded: values[plane]), count: columns.count)
        }
    }
}
