import Composition
import Delivery
import Draft
import Values

/// Reads a finished file back and compares it with what it should be.
public struct VerifyJob: WorkerJob {
    public static let kind = "verify"

    public var path: String
    /// The size of the file.
    public var bytes: Int64
    public var container: ExportSettings.Container
    /// nil: the file has no picture.
    public var frames: Int?
    public var frameRate: Rational
    public var size: Canvas.Size
    public var color: ColorSystem
    /// nil: the file has no sound.
    public var samples: Int?
    public var sampleRate: Int
    /// How many tracks of subtitles it has.
    public var subtitleTracks: Int

    public init(
        path: String, bytes: Int64, container: ExportSettings.Container, frames: Int?, frameRate: Rational,
        size: Canvas.Size,
        color: ColorSystem, samples: Int?, sampleRate: Int, subtitleTracks: Int = 0
    ) {
        self.path = path
        self.bytes = bytes
        self.container = container
        self.frames = frames
        self.frameRate = frameRate
        self.size = size
        self.color = color
        self.samples = samples
        self.sampleRate = sampleRate
        self.subtitleTracks = subtitleTracks
    }
}

extension VerifyJob {
    public static var mayRunTwice: Bool { true }

    public var joinedBytes: Int64? { bytes }

    public mutating func mapPaths(_ change: PathChange) { path = change(path, .joins) }
}
