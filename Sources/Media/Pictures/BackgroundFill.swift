import Draft

/// Fills canvas pictures, or what a placed picture leaves free of them, with one colour.
struct BackgroundFill {
    private let values: (y: UInt8, cb: UInt8, cr: UInt8)

    /// The colour in BT.709, limited range: 219 steps of luma from 16, 224 of the colour differences around 128.
    init(_ color: Color) {
        let encoded = ColorMatrix.bt709.encode(
            Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255)
        values = (
            UInt8((16 + 219 * encoded.y).rounded()), UInt8((128 + 224 * encoded.cb).rounded()),
            UInt8((128 + 224 * encoded.cr).rounded())
        )
    }

    func fill(_ picture: Picture) {
        for plane in 0..<3 {
            let size = picture.size(ofPlane: plane)
            for row in 0..<size.height { paint(picture, plane, row: row, 0..<size.width) }
        }
    }

    func fillAround(_ place: Placement, of picture: Picture) {
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
        let value = plane == 0 ? values.y : plane == 1 ? values.cb : values.cr
        (picture.plane(plane) + row * picture.stride(plane) + columns.lowerBound)
            .update(repeating: value, count: columns.count)
    }
}
