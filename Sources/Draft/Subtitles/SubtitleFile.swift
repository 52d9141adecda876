import Values

/// What a subtitle file says: cues in the order of their beginnings, and of ASS also what they are
/// drawn with.
public struct SubtitleFile: Hashable, Sendable, Codable {
    /// By its value, the suffix of such files.
    public enum Format: String, Hashable, Sendable, Codable, CaseIterable {
        case subRip = "srt"
        case webVTT = "vtt"
        /// Advanced SubStation Alpha and its elder kin, SSA.
        case ass
    }

    public var format: Format
    /// The cues by their beginnings; equal ones in the file's order.
    public var cues: [SubtitleCue]
    /// Everything of an ASS file but cues, fonts and pictures: the script's information and its
    /// styles.
    public var header: String?
    /// True where an ASS file brings fonts, which are read where it is drawn.
    public var hasFonts: Bool?
    /// The first few warnings about the file: valid, but probably mistakes. They name the line.
    public var remarks: [String]

    /// Why a text is no subtitle file: one sentence without the file's name.
    public struct Defect: Error, Hashable, Sendable, CustomStringConvertible {
        /// From 1; nil where the defect is in no line.
        public var line: Int?
        public var reason: String

        public init(line: Int? = nil, _ reason: String) {
            self.line = line
            self.reason = reason
        }

        public var description: String { line.map { "line \($0): \(reason)" } ?? reason }
    }

    /// A file of more is a mistake: a film has two thousand.
    public static let mostCues = 200_000
    /// Bytes of a cue's text.
    public static let longestText = 20_000

    /// By the suffix of a file's name; nil for other files.
    public static func format(of path: String) -> Format? {
        guard let dot = path.lastIndex(of: ".") else { return nil }
        let suffix = path[path.index(after: dot)...].lowercased()
        return suffix == "ssa" ? .ass : Format(rawValue: suffix)
    }

    public init(_ text: String, format: Format) throws(Defect) {
        let lines = SubtitleLines(text)
        switch format {
        case .subRip: self = try SubRipParser(lines).file()
        case .webVTT: self = try WebVTTParser(lines).file()
        case .ass: self = try ASSParser(lines).file()
        }
    }

    /// - Parameter cues: in the file's order.
    init(_ format: Format, _ cues: [SubtitleCue], header: String? = nil, remarks: SubtitleRemarks) {
        self.format = format
        self.cues = cues.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
            .map(\.element)
        self.header = header
        self.remarks = remarks.sentences
    }

    /// When the last cue ends; zero where there is none.
    public var duration: Time { cues.map(\.end).max() ?? .zero }
}

/// Remarks on a file, of which people are told the first few.
struct SubtitleRemarks {
    private static let most = 3
    private var told: [String] = []
    private var count = 0

    mutating func add(line: Int, _ text: String) {
        count += 1
        if told.count < Self.most { told.append("line \(line): \(text)") }
    }

    var sentences: [String] {
        count > told.count ? told + ["\(count - told.count) more cues of its file are such"] : told
    }
}
