/// The content of a preview: a revision of a draft as consecutive parts, and its sound.
public struct Playlist: Hashable, Sendable {
    public struct Part: Hashable, Sendable {
        /// The cache key, which determines the bytes of the part: parts with equal keys are one
        /// part.
        public var key: String
        public var frames: Range<Int>

        public init(key: String, frames: Range<Int>) { (self.key, self.frames) = (key, frames) }
    }

    /// The whole sound: jobs mix its runs, and one job encodes them in pieces.
    public struct Sound: Hashable, Sendable {
        public var key: String
        /// The runs' keys, each once.
        public var runs: [String]
        /// The pieces' keys, in order.
        public var pieces: [String]

        public init(key: String, runs: [String] = [], pieces: [String]) {
            (self.key, self.runs, self.pieces) = (key, runs, pieces)
        }
    }

    /// The parts from frame 0, in order and without gaps.
    public var parts: [Part]
    public var sound: Sound?

    public init(parts: [Part], sound: Sound? = nil) { (self.parts, self.sound) = (parts, sound) }

    public static let empty = Playlist(parts: [])

    public var frameCount: Int { parts.last?.frames.upperBound ?? 0 }

    /// Returns the index of the part that shows a frame; the nearest part if the frame is out of
    /// range, 0 if there are none.
    func part(at frame: Int) -> Int {
        var (low, high) = (0, max(0, parts.count - 1))
        while low < high {
            let middle = (low + high) / 2
            if parts[middle].frames.upperBound > frame { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// The position on the timeline, and the direction of playback.
public struct Playhead: Hashable, Sendable {
    public var frame: Int
    public var isPlaying: Bool
    public var isBackwards: Bool
    /// The frames that are played in a loop; nil: no loop.
    public var loop: Range<Int>?

    public init(frame: Int = 0, isPlaying: Bool = false, isBackwards: Bool = false, loop: Range<Int>? = nil) {
        (self.frame, self.isPlaying, self.isBackwards, self.loop) = (frame, isPlaying, isBackwards, loop)
    }
}
