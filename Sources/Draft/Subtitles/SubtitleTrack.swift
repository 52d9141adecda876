/// Subtitles as a track of the file.
public struct SubtitleTrack: Hashable, Sendable, Codable {
    public var language: String?
    public var name: String?
    public var format: SubtitleFile.Format
    /// The head of an ASS file: see ``SubtitleFile/header``.
    public var header: String?
    /// By their beginnings, in output time.
    public var cues: [SubtitleCue]

    public init(_ format: SubtitleFile.Format, _ cues: [SubtitleCue], header: String? = nil) {
        self.format = format
        self.cues = cues
        self.header = header
    }
}
