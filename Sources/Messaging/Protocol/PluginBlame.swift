/// Which plugin's effect a job failed in.
public struct PluginBlame: Hashable, Sendable, Codable {
    /// The library's, absolute.
    public var path: String
    /// Empty where it was the library as a whole.
    public var effectID: String
    /// The output's; nil where it was in no frame.
    public var frame: Int?
    /// The message without the plugin and the place, for who names the object instead; nil where there is nothing else.
    public var reason: String?

    public init(path: String, effectID: String = "", frame: Int? = nil, reason: String? = nil) {
        self.path = path
        self.effectID = effectID
        self.frame = frame.flatMap { (0...Self.lastFrame).contains($0) ? $0 : nil }
        self.reason = reason
    }

    /// No output has a later frame, so the time of one that a worker names is always a time.
    private static let lastFrame = 1 << 40

    /// A worker may say anything: a frame that no output has is left out.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            path: try fields.decode(String.self, forKey: .path),
            effectID: try fields.decode(String.self, forKey: .effectID),
            frame: try fields.decodeIfPresent(Int.self, forKey: .frame),
            reason: try fields.decodeIfPresent(String.self, forKey: .reason))
    }
}
