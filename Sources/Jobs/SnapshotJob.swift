import Composition
import Delivery
import Draft

/// Renders a frame into a picture file.
public struct SnapshotJob: WorkerJob {
    public static let kind = "snapshot"

    /// Its frames are rendered in order, and the last one is written.
    public var slice: Slice
    /// The output frame that is the slice's frame 0: for messages.
    public var firstFrame: Int
    public var size: Canvas.Size
    /// Pixels of the picture, where it is smaller than the canvas on which it is made.
    public var scaledSize: Canvas.Size?
    /// See ``Composition/peak``.
    public var peak: Int
    public var format: StillFormat
    /// The picture is needed now, and its file is not kept. nil: it is kept.
    public var isPassing: Bool?
    /// The file to write, to which the worker adds the run's epoch; the host moves it into place.
    public var output: String

    public init(
        slice: Slice, firstFrame: Int, size: Canvas.Size, peak: Int, format: StillFormat, output: String
    ) {
        self.slice = slice
        self.firstFrame = firstFrame
        self.size = size
        self.peak = peak
        self.format = format
        self.output = output
    }

    public struct Reply: Sendable, Codable {
        /// Where this run wrote the picture.
        public var path: String

        public init(path: String) { self.path = path }
    }
}

extension SnapshotPlan {
    /// - Parameter output: the file to write, to which the worker adds the run's epoch.
    public func job(_ frame: Int, format: StillFormat, output: String) -> SnapshotJob {
        let frames = frames(for: frame)
        return SnapshotJob(
            slice: Slice(composition, frames: frames), firstFrame: frames.lowerBound, size: composition.size,
            peak: composition.peak, format: format, output: output)
    }
}

extension SnapshotJob {
    public mutating func mapPaths(_ change: PathChange) {
        slice.mapPaths(change)
        output = change(output, .writes)
    }

    public func translate(_ reply: inout Reply, _ terms: ReplyTerms) { reply.path = terms.path(reply.path) }

    public var libraries: Set<String> { slice.libraries }

    public func leavingOut(_ id: String, of library: String) -> SnapshotJob? {
        guard let slice = slice.leavingOut(id, of: library) else { return nil }
        var job = self
        job.slice = slice
        return job
    }
}
