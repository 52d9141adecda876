import Values

/// How a picture can be encoded, and what may be chosen about it. These are Cutroom's own rules.
/// Whether the installed media libraries have the encoder is a separate question
/// (`Catalog.missingCodecs` of a draft).
public enum VideoCodec: String, Sendable, CaseIterable, Codable {
    case h264, hevc, vp9, av1, prores
    /// A picture of its own for each frame, without loss.
    case png
    /// A picture of its own for each frame.
    case jpeg

    /// How a quality is given: smaller is better in every codec.
    public struct Quality: Sendable {
        public var range: ClosedRange<Double>
        /// The default where neither quality nor rate is set: visually close to the source at usual
        /// sizes, and about the same picture with each codec.
        public var usual: Double
        /// The smallest difference that the encoder makes.
        public var step: Double
        /// 0 is without any loss.
        public var startsLossless: Bool
        /// By how much it must grow for half the bits, roughly: where the search for a bit rate
        /// begins.
        public var halving: Double
    }

    /// nil where the profile alone decides, or nothing is lost.
    public var quality: Quality? {
        switch self {
        case .h264: Quality(range: 0...51, usual: 21, step: 0.5, startsLossless: true, halving: 6)
        case .hevc: Quality(range: 0...51, usual: 23, step: 0.5, startsLossless: true, halving: 6)
        case .vp9: Quality(range: 0...63, usual: 32, step: 1, startsLossless: true, halving: 10)
        case .av1: Quality(range: 1...63, usual: 32, step: 1, startsLossless: false, halving: 10)
        case .jpeg: Quality(range: 1...31, usual: 2, step: 1, startsLossless: false, halving: 10)
        case .prores, .png: nil
        }
    }

    /// The qualities among which a bit rate is searched for; nil where none can be asked for.
    public var searchRange: ClosedRange<Double>? {
        guard self != .jpeg, let quality else { return nil }
        return max(1, quality.range.lowerBound)...quality.range.upperBound
    }

    /// The encoder's trades of speed for size, fastest first; empty where there is none.
    public var presets: [String] {
        switch self {
        case .h264, .hevc, .vp9, .av1:
            ["ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow"]
        case .prores, .png, .jpeg: []
        }
    }

    public var usualPreset: String { presets.isEmpty ? "" : "veryfast" }

    /// On an SDR canvas; empty where there is no choice.
    public var profiles: [String] {
        switch self {
        case .h264: ["baseline", "main", "high"]
        case .hevc: ["main"]
        case .prores: ["proxy", "lt", "standard", "hq", "4444"]
        case .vp9, .av1, .png, .jpeg: []
        }
    }

    /// Empty where there is no choice. An HDR canvas has 10 bits, which only some profiles carry.
    public func profiles(for color: ColorSystem) -> [String] {
        switch self {
        case .h264 where color.isHDR: ["high10"]
        case .hevc where color.isHDR: ["main10"]
        default: profiles
        }
    }

    /// On any canvas.
    var allProfiles: [String] { profiles + profiles(for: .hlg).filter { !profiles.contains($0) } }

    public func usualProfile(for color: ColorSystem) -> String {
        switch self {
        case .h264, .hevc: color.isHDR ? profiles(for: color)[0] : usualProfile
        default: usualProfile
        }
    }

    /// Whether it carries 10 bits and can say what they mean.
    public func carries(_ color: ColorSystem) -> Bool { !color.isHDR || (self != .png && self != .jpeg) }

    private var usualProfile: String {
        switch self {
        case .h264: "high"
        case .hevc: "main"
        case .prores: "standard"
        case .vp9, .av1, .png, .jpeg: ""
        }
    }

    /// False where each frame stands for itself.
    public var hasKeyFrames: Bool { self != .prores && self != .png && self != .jpeg }

    /// Pixels: the smallest width and height that the encoder takes.
    public var smallestSide: Int { self == .av1 ? 64 : PictureBounds.sides.lowerBound }

    /// How many times the bits H.264 needs for the same picture, roughly.
    public var efficiency: Double {
        switch self {
        case .hevc, .vp9: 1.5
        case .av1: 2
        case .h264, .prores, .png, .jpeg: 1
        }
    }

    /// What people also call it.
    static let otherNames: [String: VideoCodec] = ["h265": .hevc, "avc": .h264]
}
