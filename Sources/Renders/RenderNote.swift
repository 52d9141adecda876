/// A line of a render's log.
public struct RenderNote: Hashable, Sendable, Codable {
    public enum Level: String, Hashable, Sendable, Codable { case info, warning, error }

    /// In seconds since 1970.
    public var time: Double
    public var level: Level
    public var text: String

    public init(time: Double, _ level: Level, _ text: String) {
        (self.time, self.level, self.text) = (time, level, text)
    }
}
