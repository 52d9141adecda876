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

    /// From a frame's tag; untagged pictures of less than 720 lines are taken for BT.601, others
    /// for BT.709.
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
