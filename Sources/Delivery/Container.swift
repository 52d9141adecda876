import Values

extension ExportSettings {
    /// The kind of file that a render writes. Its name is the file's suffix.
    public enum Container: String, Sendable, CaseIterable, Codable {
        case mp4, mov, webm, mkv
        /// An animation of 256 colours without sound.
        case gif
        /// Numbered pictures without sound.
        case png, jpg
        /// Sound only, as are all that follow.
        case m4a, wav, flac, mp3, opus
    }
}

extension ExportSettings.Container {
    public var isSoundOnly: Bool { videoCodecs.isEmpty && self != .gif }
    /// Picture and sound.
    var hasBoth: Bool { !videoCodecs.isEmpty && !audioCodecs.isEmpty }
    /// Many files, one for each frame.
    public var isPictureSequence: Bool { self == .png || self == .jpg }

    /// What it holds, the usual one first; empty for sound only and for a GIF, whose codec is its
    /// own.
    public var videoCodecs: [VideoCodec] {
        switch self {
        case .mp4: [.h264, .hevc, .av1, .vp9]
        case .mov: [.h264, .hevc, .prores]
        case .webm: [.vp9, .av1]
        case .mkv: [.h264, .hevc, .vp9, .av1, .prores]
        case .png: [.png]
        case .jpg: [.jpeg]
        case .gif, .m4a, .wav, .flac, .mp3, .opus: []
        }
    }

    /// What it holds, the usual one first; empty where it has no sound.
    public var audioCodecs: [AudioCodec] {
        switch self {
        case .mp4: [.aac, .opus, .mp3, .flac]
        case .mov: [.aac, .pcm_s16, .pcm_s24]
        case .webm, .opus: [.opus]
        // FFmpeg 5.1 tells a Matroska file the delay of Opus, but not that of AAC and MP3: their
        // sound would come late.
        case .mkv: [.opus, .flac, .pcm_s16, .pcm_s24]
        case .m4a: [.aac]
        case .wav: [.pcm_s16, .pcm_s24]
        case .flac: [.flac]
        case .mp3: [.mp3]
        case .gif, .png, .jpg: []
        }
    }

    /// The default codec for sound, which goes with the picture's codec.
    public func usualAudioCodec(with video: VideoCodec?) -> AudioCodec? {
        switch (self, video) {
        case (.mov, .prores?), (.mkv, .prores?): .pcm_s16
        default: audioCodecs.first
        }
    }

    /// A GIF counts in hundredths of a second, and players take less than two of them for a
    /// mistake.
    public var fastestFrameRate: Rational { self == .gif ? Rational(50) : PictureBounds.frameRates.upperBound }
}
