/// A file type for single pictures.
public enum StillFormat: String, Hashable, Sendable, Codable, CaseIterable {
    case png, jpeg

    /// By a file name's suffix, in any case; nil for others.
    public init?(suffix: String) {
        switch suffix.lowercased() {
        case "png": self = .png
        case "jpg", "jpeg": self = .jpeg
        default: return nil
        }
    }

    /// The usual suffix, without the dot.
    public var suffix: String { self == .png ? "png" : "jpg" }
}
