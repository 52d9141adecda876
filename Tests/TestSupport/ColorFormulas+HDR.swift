import Foundation

/// What an HDR canvas makes of its sources, by the formulas.
extension ColorFormulas {
    /// ITU-R BT.2087-0, 3.3, M2.
    static let bt2020From709: [Triple] = [
        [0.627404, 0.329283, 0.043313], [0.069097, 0.919540, 0.011362], [0.016391, 0.088013, 0.895595],
    ]
    static let weights = [0.2627, 0.6780, 0.0593]

    /// R′G′B′ of `coding` as R′G′B′ of BT.2100: HLG, or PQ. SDR is BT.709 or BT.2020.
    public static func hdr(_ rgb: Triple, from coding: Coding, to target: Curve) -> Triple {
        var light: Triple
        switch coding.curve {
        case .sdr:
            // ITU-R BT.1886, white at 203 cd/m² (ITU-R BT.2408).
            light = rgb.map { 203 * pow(max(0, $0), 2.4) }
            if coding.description == bt709.description { light = times(bt2020From709, light) }
        case .hlg:
            let scene = rgb.map(hlgScene)
            let luminance = zip(weights, scene).map { $0 * $1 }.reduce(0, +)
            light = scene.map { 1000 * pow(luminance, 0.2) * $0 }
        case .pq: light = rgb.map(pqLight)
        }
        guard case .hlg = target else { return light.map(pqSignal) }
        let shown = light.map { min(1, max(0, $0 / 1000)) }
        let luminance = zip(weights, shown).map { $0 * $1 }.reduce(0, +)
        return shown.map { luminance > 0 ? hlgSignal(min(1, $0 * pow(luminance, 1 / 1.2 - 1))) : 0 }
    }

    /// ITU-R BT.2100, table 4: from cd/m².
    public static func pqSignal(_ light: Double) -> Double {
        let y = pow(min(max(light / 10_000, 0), 1), 0.1593017578125)
        return pow((0.8359375 + 18.8515625 * y) / (1 + 18.6875 * y), 78.84375)
    }

    /// ITU-R BT.2100, table 5: from scene light 0…1.
    public static func hlgSignal(_ scene: Double) -> Double {
        scene <= 1.0 / 12 ? sqrt(3 * scene) : 0.17883277 * log(12 * scene - 0.28466892) + 0.55991073
    }
}
