/// What a preview plays: a revision of a draft, as parts that follow one another without a gap, and its sound.
public struct Playlist: Hashable, Sendable {
    public struct Part: Hashable, Sendable {
        /// Says everything about its bytes: parts of one key are one part.
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

    /// From frame 0, in order.
    public var parts: [Part]
    public var sound: Sound?

    public init(parts: [Part], sound: Sound? = nil) { (self.parts, self.sound) = (parts, sound) }

    public static let empty = Playlist(parts: [])

    public var frameCount: Int { parts.last?.frames.upperBound ?? 0 }

    /// The number of the part that shows a frame; the nearest one where none does, 0 where there are none.
    func part(at frame: Int) -> Int {
        var (low, high) = (0, max(0, parts.count - 1))
        while low < high {
            let middle = (low + high) / 2
            if parts[middle].frames.upperBound > frame { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Where somebody is on the timeline, and where he is going.
public struct Playhead: Hashable, Sendable {
    public var frame: Int
    public var isPlaying: Bool
    public var isBackwards: Bool
    /// What is played again and again; nil: nothing is.
    public var loop: Range<Int>?

    public init(frame: Int = 0, isPlaying: Bool = false, isBackwards: Bool = false, loop: Range<Int>? = nil) {
        (self.frame, self.isPlaying, self.isBackwards, self.loop) = (frame, isPlaying, isBackwards, loop)
    }
}
