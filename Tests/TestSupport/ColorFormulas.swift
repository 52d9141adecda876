import Foundation

/// Published colour formulas in double precision, written down once more for tests, with the
/// matrices as they are printed.
public enum ColorFormulas {
    public typealias Triple = [Double]

    public enum Curve: Sendable {
        case sdr, hlg
        case pq(peak: Double)
    }

    /// A coding of pictures: luma's weights, linear RGB to that of BT.709, and the curve.
    public struct Coding: Sendable, CustomStringConvertible {
        public var description: String
        public var red: Double
        public var blue: Double
        var toBT709: [Triple]
        public var curve: Curve
        /// ffmpeg's names: `-colorspace`, `-color_primaries`, `-color_trc`.
        public var tags: [String]
    }

    static let same: [Triple] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    /// ITU-R BT.2087-0, 3.3 (M2 inverted) and ITU-R BT.2407-0.
    static let bt709From2020: [Triple] = [
        [1.660491, -0.587641, -0.072850], [-0.124550, 1.132900, -0.008349], [-0.018151, -0.100579, 1.118730],
    ]

    public static let bt709 = Coding(
        description: "BT.709", red: 0.2126, blue: 0.0722, toBT709: same, curve: .sdr,
        tags: ["bt709", "bt709", "bt709"])
    public static let lines525 = Coding(
        description: "BT.601, 525 lines", red: 0.299, blue: 0.114,
        toBT709: [[0.939542, 0.050181, 0.010277], [0.017772, 0.965793, 0.016435], [-0.001622, -0.004371, 1.005993]],
        curve: .sdr, tags: ["smpte170m", "smpte170m", "smpte170m"])
    public static let lines625 = Coding(
        description: "BT.601, 625 lines", red: 0.299, blue: 0.114,
        toBT709: [[1.044043, -0.044043, 0], [0, 1, 0], [0, 0.011793, 0.988207]], curve: .sdr,
        tags: ["bt470bg", "bt470bg", "smpte170m"])
    public static let displayP3 = Coding(
        description: "Display P3", red: 0.2126, blue: 0.0722,
        toBT709: [[1.224940, -0.224940, 0], [-0.042057, 1.042057, 0], [-0.019638, -0.078636, 1.098274]],
        curve: .sdr, tags: ["bt709", "smpte432", "iec61966-2-1"])
    public static let sdr2020 = Coding(
        description: "BT.2020", red: 0.2627, blue: 0.0593, toBT709: bt709From2020, curve: .sdr,
        tags: ["bt2020nc", "bt2020", "bt2020-10"])
    public static let hlg = Coding(
        description: "BT.2100 HLG", red: 0.2627, blue: 0.0593, toBT709: bt709From2020, curve: .hlg,
        tags: ["bt2020nc", "bt2020", "arib-std-b67"])

    public static func pq(peak: Double = 1000) -> Coding {
        Coding(
            description: "BT.2100 PQ, \(peak) cd/m²", red: 0.2627, blue: 0.0593, toBT709: bt709From2020,
            curve: .pq(peak: peak), tags: ["bt2020nc", "bt2020", "smpte2084"])
    }

    // MARK: Code values, of 8 bits with fractions, limited range

    /// Y′CbCr codes of an R′G′B′ colour.
    public static func encode(_ rgb: Triple, _ coding: Coding) -> Triple {
        let y = coding.red * rgb[0] + (1 - coding.red - coding.blue) * rgb[1] + coding.blue * rgb[2]
        return [
            16 + 219 * y, 128 + 112 * (rgb[2] - y) / (1 - coding.blue), 128 + 112 * (rgb[0] - y) / (1 - coding.red),
        ]
    }

    public static func decode(_ codes: Triple, _ coding: Coding) -> Triple {
        let (y, cb, cr) = ((codes[0] - 16) / 219, (codes[1] - 128) / 224, (codes[2] - 128) / 224)
        let (r, b) = (y + 2 * (1 - coding.red) * cr, y + 2 * (1 - coding.blue) * cb)
        return [r, (y - coding.red * r - coding.blue * b) / (1 - coding.red - coding.blue), b]
    }

    // MARK: From R′G′B′ of a coding to R′G′B′ of BT.709 on an SDR display, clipped

    public static func sdr(_ rgb: Triple, from coding: Coding) -> Triple {
        switch coding.curve {
        case .sdr: sdr(wide: rgb, coding)
        case .hlg:
            {
                let scene = rgb.map(hlgScene)
                let luminance = 0.2627 * scene[0] + 0.6780 * scene[1] + 0.0593 * scene[2]
                return mapped(scene.map { 1000 * pow(luminance, 0.2) * $0 }, peak: 1000)
            }()
        case .pq(let peak): mapped(rgb.map(pqLight), peak: peak)
        }
    }

    /// BT.2087 by way of BT.709's opto-electronic curve, then BT.2407's clipping.
    private static func sdr(wide rgb: Triple, _ coding: Coding) -> Triple {
        let linear = rgb.map { $0 < 0.081 ? $0 / 4.5 : pow(($0 + 0.099) / 1.099, 1 / 0.45) }
        return times(coding.toBT709, linear).map { min(max(0, $0), 1) }.map {
            $0 < 0.018 ? 4.5 * $0 : 1.099 * pow($0, 0.45) - 0.099
        }
    }

    /// BT.2446-1 method A on light of BT.2020 in cd/m²; its SDR signal is one of BT.2020.
    private static func mapped(_ light: Triple, peak: Double) -> Triple {
        let p = light.map { pow(max(0, $0 / peak), 1 / 2.4) }
        let y = 0.2627 * p[0] + 0.6780 * p[1] + 0.0593 * p[2]
        guard y > 0 else { return [0, 0, 0] }
        let hdr = 1 + 32 * pow(peak / 10_000, 1 / 2.4), rho = 1 + 32 * pow(100.0 / 10_000, 1 / 2.4)
        let yp = log(1 + (hdr - 1) * y) / log(hdr)
        let yc = yp <= 0.7399 ? 1.077 * yp : yp < 0.9909 ? -1.151 * yp * yp + 2.7811 * yp - 0.6302 : 0.5 * yp + 0.5
        let ysdr = (pow(rho, yc) - 1) / (rho - 1)
        let f = ysdr / (1.1 * y)
        let cb = f * (p[2] - y) / 1.8814, cr = f * (p[0] - y) / 1.4746
        let ytmo = ysdr - max(0.1 * cr, 0)
        let (r, b) = (ytmo + 1.4746 * cr, ytmo + 1.8814 * cb)
        let g = (ytmo - 0.2627 * r - 0.0593 * b) / 0.6780
        return sdr(wide: [r, g, b], sdr2020)
    }

    // MARK: Curves of BT.2100

    public static func hlgScene(_ x: Double) -> Double {
        x <= 0.5 ? x * x / 3 : (exp((x - 0.55991073) / 0.17883277) + 0.28466892) / 12
    }

    /// cd/m².
    public static func pqLight(_ x: Double) -> Double {
        let n = pow(x, 1 / 78.84375)
        return 10_000 * pow(max(n - 0.8359375, 0) / (18.8515625 - 18.6875 * n), 1 / 0.1593017578125)
    }

    public static func times(_ m: [Triple], _ v: Triple) -> Triple {
        m.map { $0[0] * v[0] + $0[1] * v[1] + $0[2] * v[2] }
    }

    /// Colours as a test chart has them: greys from black to white, a skin, foliage and sky, and
    /// bars of three saturations at 75 %. In R′G′B′.
    public static let chart: [Triple] =
        stride(from: 0.0, through: 1.0, by: 0.125).map { [$0, $0, $0] }
        + [
            [0.76, 0.58, 0.50], [0.45, 0.32, 0.26], [0.34, 0.42, 0.26], [0.36, 0.48, 0.61], [0.86, 0.48, 0.17],
            [0.28, 0.35, 0.65],
        ]
        + [0.0, 0.25, 0.5].flatMap { low -> [Triple] in
            let h = 0.75
            return [[h, h, low], [low, h, h], [low, h, low], [h, low, h], [h, low, low], [low, low, h]]
        }
}
