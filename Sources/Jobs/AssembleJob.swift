import Composition
import Delivery
import Draft
import Values

/// Joins segments and sound into the output file.
public struct AssembleJob: WorkerJob {
    public static let kind = "assemble"

    public struct Part: Sendable, Codable, Hashable {
        public var path: String
        public var file: RenderedFile

        public init(path: String, file: RenderedFile) {
            self.path = path
            self.file = file
        }
    }

    /// One of the two says something: the file, or which parts are not what their workers wrote.
    public struct Reply: Sendable, Codable, Hashable {
        public var written: WrittenFile?
        /// Paths.
        public var damaged: [String]

        public init(written: WrittenFile?, damaged: [String] = []) {
            self.written = written
            self.damaged = damaged
        }

        mutating func translate(_ terms: ReplyTerms) {
            if let path = written?.path { written?.path = terms.path(path) }
            damaged = damaged.map(terms.path)
        }
    }

    /// In order: each segment is put after those before it. One file may come more than once.
    public var segments: [Part]
    public var sound: Part?
    public var frameRate: Rational
    public var size: Canvas.Size
    public var color: ColorSystem
    public var container: ExportSettings.Container
    public var indexFirst: Bool
    /// A temporary name in the folder beside the output or of the parts, to which the worker adds
    /// the run's epoch; the host moves it into place. A picture sequence becomes a folder of
    /// `1.png`, `2.png` and so on.
    public var output: String
    /// Tracks besides; nil: none.
    public var subtitles: [SubtitleTrack]?

    public init(
        segments: [Part], sound: Part?, frameRate: Rational, size: Canvas.Size, color: ColorSystem,
        container: ExportSettings.Container, indexFirst: Bool, output: String,
        subtitles: [SubtitleTrack]? = nil
    ) {
        self.segments = segments
        self.sound = sound
        self.frameRate = frameRate
        self.size = size
        self.color = color
        self.container = container
        self.indexFirst = indexFirst
        self.output = output
        self.subtitles = subtitles
    }
}

extension AssembleJob {
    public static var mayRunTwice: Bool { true }

    public var joinedBytes: Int64? { (segments + (sound.map { [$0] } ?? [])).reduce(0) { $0 + $1.file.size } }

    public mutating func mapPaths(_ change: PathChange) {
        for index in segments.indices { segments[index].path = change(segments[index].path, .joins) }
        if let path = sound?.path { sound?.path = change(path, .joins) }
        output = change(output, .writes)
    }

    public func translate(_ reply: inout Reply, _ terms: ReplyTerms) { reply.translate(terms) }
}
