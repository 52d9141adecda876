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
        self.frame = frame
        self.reason = reason
    }
}
