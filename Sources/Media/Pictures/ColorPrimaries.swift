import CFFmpeg

/// The chromaticities of a picture's primaries and white, in CIE 1931 x and y.
/// Source: ITU-T H.273, table 2.
struct ColorPrimaries: Hashable {
    struct Point: Hashable {
        var x: Double
        var y: Double

        init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }

        static let d65 = Point(0.3127, 0.3290)
        /// Illuminant C.
        static let c = Point(0.310, 0.316)
    }

    var red: Point
    var green: Point
    var blue: Point
    var white = Point.d65

    /// sRGB's, too.
    static let bt709 = ColorPrimaries(red: Point(0.640, 0.330), green: Point(0.300, 0.600), blue: Point(0.150, 0.060))
    /// BT.601 with 525 lines, SMPTE 170M and 240M.
    static let bt601Lines525 = ColorPrimaries(
        red: Point(0.630, 0.340), green: Point(0.310, 0.595), blue: Point(0.155, 0.070))
    /// BT.601 with 625 lines, BT.470 system B and G.
    static let bt601Lines625 = ColorPrimaries(
        red: Point(0.640, 0.330), green: Point(0.290, 0.600), blue: Point(0.150, 0.060))
    static let bt470M = ColorPrimaries(
        red: Point(0.670, 0.330), green: Point(0.210, 0.710), blue: Point(0.140, 0.080), white: .c)
    static let film = ColorPrimaries(
        red: Point(0.681, 0.319), green: Point(0.243, 0.692), blue: Point(0.145, 0.049), white: .c)
    static let bt2020 = ColorPrimaries(red: Point(0.708, 0.292), green: Point(0.170, 0.797), blue: Point(0.131, 0.046))
    /// DCI P3 with the cinema's white (SMPTE RP 431-2).
    static let cinemaP3 = ColorPrimaries(
        red: Point(0.680, 0.320), green: Point(0.265, 0.690), blue: Point(0.150, 0.060), white: Point(0.314, 0.351))
    /// SMPTE EG 432-1.
    static let displayP3 = ColorPrimaries(
        red: Point(0.680, 0.320), green: Point(0.265, 0.690), blue: Point(0.150, 0.060))
    static let ebu3213 = ColorPrimaries(red: Point(0.630, 0.340), green: Point(0.295, 0.605), blue: Point(0.155, 0.077))
}

extension ColorPrimaries {
    /// From a frame's tag. Without one, BT.709's: most untagged pictures of few lines were made on
    /// computers, not by the studios of BT.601, and the difference is small.
    init(tag: AVColorPrimaries) {
        switch tag {
        case AVCOL_PRI_BT470M: self = .bt470M
        case AVCOL_PRI_BT470BG: self = .bt601Lines625
        case AVCOL_PRI_SMPTE170M, AVCOL_PRI_SMPTE240M: self = .bt601Lines525
        case AVCOL_PRI_FILM: self = .film
        case AVCOL_PRI_BT2020: self = .bt2020
        case AVCOL_PRI_SMPTE431: self = .cinemaP3
        case AVCOL_PRI_SMPTE432: self = .displayP3
        case AVCOL_PRI_EBU3213: self = .ebu3213
        default: self = .bt709
        }
    }

    /// No primary is further from the other's than BT.601's are from BT.709's.
    func isNear(_ other: ColorPrimaries) -> Bool {
        white == other.white
            && [(red, other.red), (green, other.green), (blue, other.blue)].allSatisfy {
                abs($0.x - $1.x) < 0.0101 && abs($0.y - $1.y) < 0.0171
            }
    }
}
