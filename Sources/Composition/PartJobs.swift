import Draft

/// Renders a run of frames into one encoded segment.
public struct SegmentJob: Sendable, Codable, Hashable {
    public var slice: Slice
    /// The output frame that is the slice's frame 0: for messages, never for what is rendered.
    public var firstFrame: Int
    /// Pixels of the encoded pictures, where they are smaller than the slice's.
    public var scaledSize: Canvas.Size?
    /// The cd/m² from which an HDR canvas is tone-mapped for an encoding that is not HDR; nil: it is encoded as it is.
    public var peak: Int?
    public var encoding: VideoEncoding
    /// The file to write, to which the worker adds the run's epoch; the host moves it into place.
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

/// Mixes and encodes the whole sound.
public struct SoundJob: Sendable, Codable, Hashable {
    public var spans: [SoundSpan]
    public var processing: SoundProcessing
    public var files: [MediaFile]
    /// The sound of drafts that others show, which ``files`` name; nil: there are none. They are mixed as this one is, in the same form.
    public var drafts: [SoundJob]? = nil
    /// The picture's, for plugins to know.
    public var frameRate: Rational
    /// Samples at the encoding's rate.
    public var sampleCount: Int
    /// The loudness to which the whole mix is normalised; nil: the mix is not changed.
    public var loudness: LoudnessTarget?
    public var encoding: AudioEncoding
    public var output: String

    public init(
        spans: [SoundSpan], processing: SoundProcessing, files: [MediaFile], frameRate: Rational, sampleCount: Int,
        loudness: LoudnessTarget? = nil, encoding: AudioEncoding, output: String
    ) {
        self.spans = spans
        self.processing = processing
        self.files = files
        self.frameRate = frameRate
        self.sampleCount = sampleCount
        self.loudness = loudness
        self.encoding = encoding
        self.output = output
    }
}

/// Mixes the whole sound once, and encodes it in pieces that are files of their own, each of which begins at its own time zero. A filter or the
/// limiter may carry state over the whole sound, so no piece is mixed for itself.
public struct SoundPiecesJob: Sendable, Codable, Hashable {
    /// Its output is what the pieces' names begin with.
    public var sound: SoundJob
    /// The length of each piece except the last, which has the rest.
    public var pieceSamples: Int

    public init(_ sound: SoundJob, pieceSamples: Int) { (self.sound, self.pieceSamples) = (sound, pieceSamples) }
}
