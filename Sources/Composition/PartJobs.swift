import Delivery
import Draft

/// Renders a run of frames into one encoded segment.
public struct SegmentJob: Sendable, Codable, Hashable {
    public var slice: Slice
    /// The output frame that is the slice's frame 0: for messages, never for what is rendered.
    public var firstFrame: Int
    /// Pixels of the encoded pictures, where they are smaller than the slice's.
    public var scaledSize: Canvas.Size?
    /// The cd/m² from which an HDR canvas is tone-mapped for an encoding that is not HDR; nil: it
    /// is encoded as it is.
    public var peak: Int?
    public var encoding: VideoEncoding
    /// The file to write, to which the worker adds the run's epoch.
    public var output: String

    public init(
        slice: Slice, firstFrame: Int, scaledSize: Canvas.Size? = nil, peak: Int? = nil, encoding: VideoEncoding,
        output: String
    ) {
        self.slice = slice
        self.firstFrame = firstFrame
        self.scaledSize = scaledSize
        self.peak = peak
        self.encoding = encoding
        self.output = output
    }
}

/// Mixes a run of the sound, and keeps it as it is: the encoding comes later, once for all runs.
public struct MixJob: Sendable, Codable, Hashable {
    public var mix: SoundMix
    /// The file to write, to which the worker adds the run's epoch.
    public var output: String

    public init(_ mix: SoundMix, output: String) { (self.mix, self.output) = (mix, output) }
}
