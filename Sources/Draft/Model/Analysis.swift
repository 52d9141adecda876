import Values

/// What a script wants to be found out about the pictures of a file: an analyser, and which
/// pictures it sees.
public struct Analysis: Hashable, Sendable {
    /// Absolute.
    public var path: String
    public var effect: PluginEffect
    /// The range of the source that is looked at; what reaches past the media's end is cut off.
    /// nil: all of it.
    public var range: TimeRange?
    /// How many pictures of each second are looked at; nil: as many as the file has.
    public var frameRate: Rational?
    /// nil: the picture's own shape, its longer side at most ``longerSide``.
    public var size: Canvas.Size?
    public var longerSide: Int

    public init(
        path: String, effect: PluginEffect, range: TimeRange? = nil, frameRate: Rational? = nil,
        size: Canvas.Size? = nil, longerSide: Int = Analysis.usualLongerSide
    ) {
        self.path = path
        self.effect = effect
        self.range = range
        self.frameRate = frameRate
        self.size = size
        self.longerSide = longerSide
    }

    /// Enough for faces and motion, and a ninth of the work of 1080p.
    public static let usualLongerSide = 640
    /// An hour at 25 frames per second, and a bound on what a script has to hold.
    public static let mostFrames = 100_000
    /// Numbers that an analyser may give for one frame, under at most ``mostKeys`` names.
    public static let mostNumbers = 4096
    public static let mostKeys = 32
    /// Bytes of a track, reckoned as ``AnalysisTrack/cost(of:)`` does: half of what a message can
    /// hold.
    public static let largestTrack = 32 << 20
    /// What a frame of a track has itself.
    public static let reservedKeys: Set<String> = ["time"]
}

/// Which pictures an analysis sees: frame *n* of `frameCount` is what a clip of the same range
/// shows in its frame *n* at the same rate.
public struct AnalysisGrid: Hashable, Sendable, Codable {
    /// Source time of the first frame's start.
    public var start: Time
    public var frameRate: Rational
    public var frameCount: Int
    /// The size of the pictures, in pixels; even.
    public var size: Canvas.Size

    public init(start: Time, frameRate: Rational, frameCount: Int, size: Canvas.Size) {
        self.start = start
        self.frameRate = frameRate
        self.frameCount = frameCount
        self.size = size
    }

    /// - Throws: where the file has no such pictures, or too many of them.
    public init(_ analysis: Analysis, of info: MediaInfo, object: String, origin: Origin? = nil) throws(Problem) {
        func problem(_ message: String) -> Problem { Problem(object, message, origin: origin) }
        guard let video = info.video else { throw problem("the file has no picture") }
        let size = analysis.size ?? Self.size(of: video, longerSide: analysis.longerSide)
        if info.kind == .image {
            guard analysis.range == nil, analysis.frameRate == nil else {
                throw problem("the file is a still image, which has no ‘range’ and no ‘fps’")
            }
            self.init(start: .zero, frameRate: .one, frameCount: 1, size: size)
            return
        }
        let rate = analysis.frameRate ?? video.frameRate
        if Canvas.problem(ofFrameRate: rate) != nil {
            throw problem("the file's rate is \(rate.rateForPeople) frames per second; give an ‘fps’ between 1 and 240")
        }
        let whole = TimeRange(start: .zero, duration: info.duration)
        let wished = analysis.range ?? whole
        guard let range = wished.intersection(whole), !range.isEmpty else {
            throw problem(
                "the range starts at \(wished.start.forPeople) s, but the file is only \(info.duration.forPeople) s long"
            )
        }
        // As a clip's: frames whose middle lies in the range. Where it is shorter than half of one,
        // there is one.
        let count = max(1, range.duration.rounded(rate: rate))
        guard count <= Analysis.mostFrames else {
            throw problem(
                "the range has \(count) frames, but at most \(Analysis.mostFrames) are analysed at once; give a shorter ‘range’ or a lower ‘fps’"
            )
        }
        self.init(start: range.start, frameRate: rate, frameCount: count, size: size)
    }

    private static func size(of video: VideoStreamInfo, longerSide: Int) -> Canvas.Size {
        let longest = max(video.width, video.height, 1)
        let scale = min(1, Double(longerSide) / Double(longest))
        func even(_ side: Int) -> Int {
            min(
                max(Int((Double(side) * scale / 2).rounded()) * 2, Canvas.sizeRange.lowerBound),
                Canvas.sizeRange.upperBound)
        }
        return Canvas.Size(width: even(video.width), height: even(video.height))
    }

    /// Source time at which a frame begins.
    public func time(of frame: Int) -> Time { start + Time(frame: frame, rate: frameRate) }
    /// Source time just before which the picture lies that is seen.
    public func middle(of frame: Int) -> Time { start + Time(middleOfFrame: frame, rate: frameRate) }
}

/// What an analyser found, frame by frame.
public struct AnalysisTrack: Hashable, Sendable, Codable {
    public var grid: AnalysisGrid
    /// By the names that the analyser gave them; finite.
    public var frames: [[String: [Double]]]

    public init(grid: AnalysisGrid, frames: [[String: [Double]]] = []) {
        self.grid = grid
        self.frames = frames
    }

    /// Bytes that a frame is reckoned to take as text, at most.
    public static func cost(of frame: [String: [Double]]) -> Int {
        frame.reduce(8) { $0 + $1.key.utf8.count + 8 + 26 * $1.value.count }
    }
}
