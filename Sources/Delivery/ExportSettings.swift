import Values

/// The user's settings for the file that a render writes. Fields that are nil get a default when
/// the plan is made.
public struct ExportSettings: Hashable, Sendable {
    public struct Video: Hashable, Sendable {
        public var codec: VideoCodec?
        /// Constant quality on the codec's own scale (``VideoCodec/quality``). Not together with
        /// `bitRate`.
        public var quality: Double?
        /// Average bits per second of the whole picture.
        public var bitRate: Int?
        /// The longest distance between key frames, in frames.
        public var keyFrameInterval: Int?
        /// One of ``VideoCodec/profiles``.
        public var profile: String?
        /// One of ``VideoCodec/presets``.
        public var preset: String?

        public init() {}
    }

    public struct Audio: Hashable, Sendable {
        public var codec: AudioCodec?
        /// 1, 2 or 6.
        public var channels: Int?
        /// Samples per second.
        public var sampleRate: Int?
        /// Bits per second.
        public var bitRate: Int?

        public init() {}
    }

    /// nil: by the output's file name, else ``usualContainer``.
    public var container: Container?
    public var video = Video()
    public var audio = Audio()
    /// The index is written before the media, so that playback can start while the file is still
    /// arriving.
    public var networkUse = true

    public init() {}
}

/// The picture's encoding with every choice made: together with the frames it decides the bytes of
/// a segment.
public struct VideoEncoding: Hashable, Sendable, Codable {
    public var codec: VideoCodec
    /// On the codec's own scale; nil where it has none.
    public var quality: Double?
    /// Bits per second that the rate stays below, where the codec has a ``VideoCodec/searchRange``:
    /// for h264 and hevc with a buffer (VBV) of one second, with which each segment begins anew;
    /// roughly and on average for vp9 and av1; nil: no ceiling.
    public var maximumBitRate: Int?
    /// Frames: the most from one key frame to the next or, with ``hasExactKeyFrames``, exactly as
    /// many.
    public var keyFrameInterval: Int
    /// Key frames lie at multiples of the interval alone, and none at changes of scene. nil: false.
    public var hasExactKeyFrames: Bool?
    /// Empty where the codec has none, as is `preset`.
    public var profile: String
    public var preset: String
    /// The canvas's: decides how many bits are encoded, and what the file says of them.
    public var color: ColorSystem

    public init(
        codec: VideoCodec = .h264, quality: Double?, maximumBitRate: Int? = nil, keyFrameInterval: Int,
        hasExactKeyFrames: Bool = false, profile: String? = nil, preset: String? = nil, color: ColorSystem = .sdr
    ) {
        self.codec = codec
        self.quality = quality
        self.maximumBitRate = maximumBitRate
        self.keyFrameInterval = keyFrameInterval
        self.hasExactKeyFrames = hasExactKeyFrames ? true : nil
        self.profile = profile ?? (codec == .h264 && quality == 0 ? "high444" : codec.usualProfile(for: color))
        self.preset = preset ?? codec.usualPreset
        self.color = color
    }
}

/// The sound's encoding with every choice made.
public struct AudioEncoding: Hashable, Sendable, Codable {
    public var codec: AudioCodec
    /// 1, 2 or 6.
    public var channels: Int
    /// Samples per second.
    public var sampleRate: Int
    /// Bits per second; not looked at where the codec has no choice of them.
    public var bitRate: Int

    public init(codec: AudioCodec = .aac, channels: Int = 2, sampleRate: Int = 48_000, bitRate: Int = 128_000) {
        self.codec = codec
        self.channels = channels
        self.sampleRate = sampleRate
        self.bitRate = bitRate
    }
}
