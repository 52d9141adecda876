import CFFmpeg

/// The weights of red and blue in luma: what a Y′CbCr matrix is made of. Green has the rest.
/// Source: ITU-T H.273, table 4.
struct ColorMatrix: Hashable {
    var red: Double
    var blue: Double

    static let bt709 = ColorMatrix(red: 0.2126, blue: 0.0722)
    static let bt601 = ColorMatrix(red: 0.299, blue: 0.114)
    static let fcc = ColorMatrix(red: 0.30, blue: 0.11)
    static let smpte240 = ColorMatrix(red: 0.212, blue: 0.087)
    static let bt2020 = ColorMatrix(red: 0.2627, blue: 0.0593)

    init(red: Double, blue: Double) {
        self.red = red
        self.blue = blue
    }

    /// From a frame's tag; untagged pictures of less than 720 lines are taken for BT.601, others for BT.709.
    init(tag: AVColorSpace, lines: Int) {
        switch tag {
        case AVCOL_SPC_BT709: self = .bt709
        case AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M: self = .bt601
        case AVCOL_SPC_FCC: self = .fcc
        case AVCOL_SPC_SMPTE240M: self = .smpte240
        case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: self = .bt2020
        default: self = lines < 720 ? .bt601 : .bt709
        }
    }

    /// Luma (0…1) and colour differences (−½…½) of an R′G′B′ colour.
    func encode(_ r: Double, _ g: Double, _ b: Double) -> (y: Double, cb: Double, cr: Double) {
        let y = red * r + (1 - red - blue) * g + blue * b
        return (y, (b - y) / (2 * (1 - blue)), (r - y) / (2 * (1 - red)))
    }

    func decode(_ y: Double, _ cb: Double, _ cr: Double) -> (r: Double, g: Double, b: Double) {
        let r = y + 2 * (1 - red) * cr
        let b = y + 2 * (1 - blue) * cb
        return (r, (y - red * r - blue * b) / (1 - red - blue), b)
    }
}

/// Rewrites limited-range 4:2:0 pictures from one matrix to another, in place and without a detour through RGB, which
/// would clip what lies outside its cube.
///
/// Grey keeps its luma under every matrix, so the change is linear in the colour differences alone. Fixed point with 14
/// bits; each 2×2 block of luma uses its one chroma sample.
struct MatrixChange {
    private let lumaFromCb: Int32, lumaFromCr: Int32
    private let cbFromCb: Int32, cbFromCr: Int32
    private let crFromCb: Int32, crFromCr: Int32

    /// nil where both are the same.
    init?(from source: ColorMatrix, to target: ColorMatrix) {
        guard source != target else { return nil }
        func changed(_ cb: Double, _ cr: Double) -> (y: Double, cb: Double, cr: Double) {
            let rgb = source.decode(0, cb, cr)
            return target.encode(rgb.r, rgb.g, rgb.b)
        }
        func fixed(_ value: Double) -> Int32 { Int32((value * 16_384).rounded()) }
        let (fromCb, fromCr) = (changed(1, 0), changed(0, 1))
        // Luma has 219 steps, the colour differences 224.
        lumaFromCb = fixed(fromCb.y * 219 / 224)
        lumaFromCr = fixed(fromCr.y * 219 / 224)
        (cbFromCb, cbFromCr) = (fixed(fromCb.cb), fixed(fromCr.cb))
        (crFromCb, crFromCr) = (fixed(fromCb.cr), fixed(fromCr.cr))
    }

    func apply(to picture: Picture) {
        let (luma, cb, cr) = (picture.plane(0), picture.plane(1), picture.plane(2))
        let (lumaStride, cbStride, crStride) = (picture.stride(0), picture.stride(1), picture.stride(2))
        let chroma = picture.size(ofPlane: 1)
        for row in 0..<chroma.height {
            let (cbRow, crRow) = (cb + row &* cbStride, cr + row &* crStride)
            let upper = luma + 2 &* row &* lumaStride
            let lower = 2 * row + 1 < picture.height ? upper + lumaStride : upper
            for x in 0..<chroma.width {
                let (u, v) = (Int32(cbRow[x]) &- 128, Int32(crRow[x]) &- 128)
                let shift = (lumaFromCb &* u &+ lumaFromCr &* v &+ 8192) >> 14
                let (left, right) = (2 &* x, min(2 &* x &+ 1, picture.width &- 1))
                upper[left] = Self.clamp(Int32(upper[left]) &+ shift)
                if right != left { upper[right] = Self.clamp(Int32(upper[right]) &+ shift) }
                if lower != upper {
                    lower[left] = Self.clamp(Int32(lower[left]) &+ shift)
                    if right != left { lower[right] = Self.clamp(Int32(lower[right]) &+ shift) }
                }
                cbRow[x] = Self.clamp(((cbFromCb &* u &+ cbFromCr &* v &+ 8192) >> 14) &+ 128)
                crRow[x] = Self.clamp(((crFromCb &* u &+ crFromCr &* v &+ 8192) >> 14) &+ 128)
            }
        }
    }

    @inline(__always)
    private static func clamp(_ value: Int32) -> UInt8 { UInt8(truncatingIfNeeded: max(0, min(255, value))) }
}
