import Composition
import Values

/// Measures how far a file's sound goes up and down, for a drawing of it.
public struct PeaksJob: WorkerJob {
    public static let kind = "peaks"

    public var file: MediaFile
    /// In source time.
    public var range: TimeRange
    /// Equal parts of the range.
    public var points: Int

    public init(_ file: MediaFile, range: TimeRange, points: Int) {
        (self.file, self.range, self.points) = (file, range, points)
    }

    /// For each point the lowest and the highest sample of any channel, −1…1; 0 where the file has
    /// no sound.
    public struct Reply: Sendable, Codable {
        public var minimum: [Float]
        public var maximum: [Float]

        public init(minimum: [Float], maximum: [Float]) { (self.minimum, self.maximum) = (minimum, maximum) }
    }
}

extension PeaksJob {
    public mutating func mapPaths(_ change: PathChange) { file.path = change(file.path, .reads(file.info)) }
}
