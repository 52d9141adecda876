/// What the numbers of a picture mean as light.
public enum ColorSystem: String, Sendable, CaseIterable, Codable {
    /// BT.709 and its kin: white is the white of paper.
    case sdr
    /// Hybrid log-gamma (ITU-R BT.2100, table 5).
    case hlg
    /// Perceptual quantisation (ITU-R BT.2100, table 4).
    case pq

    public var isHDR: Bool { self != .sdr }

    /// The name as people write it.
    public var name: String { rawValue.uppercased() }
}
