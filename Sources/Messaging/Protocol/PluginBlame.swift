/// The plugin's effect in which a job failed.
public struct PluginBlame: Hashable, Sendable, Codable {
    /// The library's absolute path.
    public var path: String
    /// The id of the effect; empty if the library as a whole is to blame.
    public var effectID: String
    /// The output frame; nil if the failure is in no frame.
    public var frame: Int?
    /// The message without the plugin and the place, for callers that name the object instead; nil
    /// if nothing else is known.
    public var reason: String?

    public init(path: String, effectID: String = "", frame: Int? = nil, reason: String? = nil) {
        self.path = path
        self.effectID = effectID
        self.frame = frame.flatMap { (0...Self.lastFrame).contains($0) ? $0 : nil }
        self.reason = reason
    }

    /// The largest frame number of any output, so a frame that a worker names always has a time.
    private static let lastFrame = 1 << 40

    /// Decodes a blame. A frame number that no output has, which a worker may send, is left out.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            path: try fields.decode(String.self, forKey: .path),
            effectID: try fields.decode(String.self, forKey: .effectID),
            frame: try fields.decodeIfPresent(Int.self, forKey: .frame),
            reason: try fields.decodeIfPresent(String.self, forKey: .reason))
    }
}
