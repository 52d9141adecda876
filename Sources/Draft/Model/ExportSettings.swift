/// What the user asked of the file that a render writes. What is nil gets a default when the plan is made.
public struct ExportSettings: Hashable, Sendable {
    public enum Container: String, Sendable, CaseIterable, Codable {
        case mp4, mov
        /// Sound only.
        case m4a
    }

    public struct Video: Hashable, Sendable {
        /// `h264`.
        public var codec: String?
        /// Constant quality, 0 (lossless) … 51 (worst): x264's CRF. Not together with `bitRate`.
        public var quality: Double?
        /// Average bits per second.
        public var bitRate: Int?
        /// The longest distance between key frames, in frames.
        public var keyFrameInterval: Int?
        /// `baseline`, `main` or `high`.
        public var profile: String?
        /// x264's trade of speed for size: `ultrafast` … `veryslow`.
        public var preset: String?

        public init() {}
    }

    public struct Audio: Hashable, Sendable {
        /// `aac`.
        public var codec: String?
        /// 1, 2 or 6.
        public var channels: Int?
        /// Samples per second.
        public var sampleRate: Int?
        /// Bits per second.
        public var bitRate: Int?

        public init() {}
    }

    /// nil: by the output's file name, else mp4.
    public var container: Container?
    public var video = Video()
    public var audio = Audio()
    /// The index is written before the media, so that playback can start while the file is still arriving.
    public var networkUse = true

    public init() {}
}

/// The picture's encoding with every choice made: together with the frames it decides the bytes of a segment.
public struct VideoEncoding: Hashable, Sendable, Codable {
    /// `h264`.
    public var codec: String
    /// x264's CRF; nil where `bitRate` rules.
    public var quality: Double?
    /// Average bits per second; nil where `quality` rules.
    public var bitRate: Int?
    /// A ceiling in bits per second that the rate keeps within each second (VBV); nil: none.
    public var maximumBitRate: Int?
    /// Frames.
    public var keyFrameInterval: Int
    public var profile: String
    public var preset: String

    public init(
        codec: String = "h264", quality: Double?, bitRate: Int? = nil, maximumBitRate: Int? = nil, keyFrameInterval: Int,
        profile: String = "high", preset: String = "veryfast"
    ) {
        self.codec = codec
        self.quality = quality
        self.bitRate = bitRate
        self.maximumBitRate = maximumBitRate
        self.keyFrameInterval = keyFrameInterval
        self.profile = profile
        self.preset = preset
    }
}

/// The sound's encoding with every choice made.
public struct AudioEncoding: Hashable, Sendable, Codable {
    /// `aac`.
    public var codec: String
    /// 1, 2 or 6.
    public var channels: Int
    /// Samples per second.
    public var sampleRate: Int
    /// Bits per second.
    public var bitRate: Int

    public init(codec: String = "aac", channels: Int = 2, sampleRate: Int = 48_000, bitRate: Int = 128_000) {
        self.codec = codec
        self.channels = channels
        self.sampleRate = sampleRate
        self.bitRate = bitRate
    }
}

/// How a picture of another shape is placed on the canvas.
public enum ContentMode: String, Sendable, CaseIterable, Codable {
    /// All of it is seen; the rest of the canvas shows the background.
    case fit
    /// The canvas is full; what does not fit is cut off equally on both sides.
    case fill
    /// Width and height are scaled apart.
    case stretch
}
