import Values

/// What a probe found in a file: everything about it that the model needs, so that the host never
/// opens media itself.
public struct MediaInfo: Hashable, Sendable, Codable {
    public enum Kind: String, Sendable, Codable {
        /// Moving pictures, sound, or both.
        case media
        /// One still picture.
        case image
        /// A `.cube` look-up table.
        case cube
        /// Texts and when they are shown.
        case subtitles
        /// A font or a plugin's file, which is not probed.
        case data
    }

    public var kind: Kind
    /// libavformat's short name, e.g. `mov,mp4,m4a,3gp,3g2,mj2`, `png_pipe`; `cube` for a look-up
    /// table, the suffix of subtitles, empty for data.
    public var format: String
    public var identity: FileIdentity
    public var video: VideoStreamInfo?
    /// The default sound track.
    public var audio: AudioStreamInfo?
    /// All sound tracks that can be decoded, in the file's order; ``audio`` is one of them.
    public var audioTracks: [AudioStreamInfo]
    /// How long the file says it is, where its content ends clearly earlier: it was cut off. nil
    /// for a whole file.
    public var promisedDuration: Time?
    /// True where its data stop before their own end: a picture without its last lines, a transport
    /// stream that ends within a packet, an Ogg file without its last page, a Matroska segment that
    /// is longer than the file. nil for a whole file, and where nothing tells.
    public var isTruncated: Bool?
    /// How the file continues where it was joined from several; nil for most files.
    public var joints: FileJoints?
    /// Where data are missing or damaged, as the structure of an Ogg, ADTS, Matroska or MPEG file
    /// tells; nil where it is whole.
    public var breaks: DataBreaks?
    /// The byte at which bytes begin that do not belong to the file, behind its content. They are
    /// not read. nil for most files, and where only padding or a tag follows.
    public var tail: Int64?
    /// Streams that the file declares and that cannot be decoded; nil where there are none.
    public var unreadable: [UnreadableStream]?
    /// What a subtitle file says.
    public var subtitles: SubtitleFile?

    public init(
        kind: Kind, format: String, identity: FileIdentity, video: VideoStreamInfo? = nil,
        audio: AudioStreamInfo? = nil,
        audioTracks: [AudioStreamInfo]? = nil
    ) {
        self.kind = kind
        self.format = format
        self.identity = identity
        self.video = video
        self.audio = audio
        self.audioTracks = audioTracks ?? (audio.map { [$0] } ?? [])
    }

    /// How much of the file can be a clip: the picture's length, or the sound's where there is no
    /// picture. Where the usual sound ends more than ``heldFrom`` later than the picture it is the
    /// sound's, too, and the last picture is held. Zero for a still image.
    public var duration: Time {
        guard kind != .image else { return .zero }
        guard let video else { return audio?.duration ?? subtitles?.duration ?? .zero }
        // Another track that a clip chooses does not change how long the clip is.
        let sound = (audioTracks.first { $0.stream == nil } ?? audio)?.duration ?? .zero
        return sound - video.duration > Self.heldFrom ? sound : video.duration
    }

    /// The last picture is held for sound that is longer by more than this. Cameras and encoders
    /// leave up to a few hundred milliseconds of sound behind the picture, and such a clip must not
    /// end with a frozen frame.
    public static let heldFrom = Time(flicks: Time.flicksPerSecond / 2)

    /// The same for what needs to know which file it is, and not all that it says.
    public var withoutCues: MediaInfo {
        var info = self
        info.subtitles = nil
        return info
    }

    /// How the file ends too early, as a sentence; nil for a whole file.
    public var cutOff: String? {
        if let promisedDuration {
            let found = max(duration, audio?.duration ?? .zero)
            return "it ends at \(found.forPeople) s, though it says that it is \(promisedDuration.forPeople) s long"
        }
        guard isTruncated == true else { return nil }
        if kind == .image { return "the picture's data end before the picture does" }
        switch format {
        case "ogg": return "its last page is missing"
        case let name where name.hasPrefix("matroska"): return "its data end before the segment or cluster does"
        default: return "its data end within a frame"
        }
    }
}

/// Times are in *source time*: zero is the earliest presentation time of the file's first used
/// streams, so that picture and sound keep their offset.
public struct VideoStreamInfo: Hashable, Sendable, Codable {
    public var codec: String
    /// The size as shown, in square pixels: rotation and pixel aspect are applied. A rotated phone
    /// video is upright here.
    public var width: Int
    public var height: Int
    /// Clockwise turn that the metadata asks for: 0, 90, 180 or 270 degrees.
    public var rotation: Int
    /// The average frame rate; for a variable rate only a description.
    public var frameRate: Rational
    /// Presentation time of the first frame.
    public var start: Time
    /// The end of the last frame's display, from source time zero.
    public var duration: Time
    /// Bits per second; nil where it is not known.
    public var bitRate: Int?
    public var hasAlpha: Bool
    /// The colour that the picture was already laid over (premultiplied alpha), where its file says
    /// so; nil: straight alpha, or none.
    public var matte: Color?
    /// cd/m² of the brightest content of a PQ picture, 203 … 10000, as its file says; nil: it does
    /// not, or the picture is not PQ.
    public var peak: Int?
    /// HDR, as the picture's file says; nil: SDR.
    public var hdr: ColorSystem?
    /// The stream's last part is missing; false where the file was cut off and this stream is
    /// whole. nil where the format does not tell.
    public var lacksEnd: Bool?

    public init(
        codec: String, width: Int, height: Int, rotation: Int, frameRate: Rational, start: Time, duration: Time,
        bitRate: Int?, hasAlpha: Bool, peak: Int? = nil
    ) {
        self.codec = codec
        self.width = width
        self.height = height
        self.rotation = rotation
        self.frameRate = frameRate
        self.start = start
        self.duration = duration
        self.bitRate = bitRate
        self.hasAlpha = hasAlpha
        self.peak = peak
    }
}

public struct AudioStreamInfo: Hashable, Sendable, Codable {
    public var codec: String
    /// Samples per second.
    public var sampleRate: Int
    public var channels: Int
    /// True where nothing says which channel is which, and their number does not tell either; nil
    /// for a known layout.
    public var hasNoLayout: Bool?
    /// Presentation time of the first sample, in source time.
    public var start: Time
    /// The end of the last sample, from source time zero.
    public var duration: Time
    /// Bits per second; nil where it is not known.
    public var bitRate: Int?
    /// The track's language as the file names it, mostly three letters of ISO 639-2; nil where it
    /// says nothing.
    public var language: String?
    /// The track's name; nil where it has none.
    public var title: String?
    /// The factor at which the file wants it to be played; nil: 1.
    public var level: Double?
    /// libav's number of the stream; nil: the file's usual sound.
    public var stream: Int?
    /// The stream's last part is missing; false where the file was cut off and this stream is
    /// whole. nil where the format does not tell.
    public var lacksEnd: Bool?
    /// True where what is decoded in the middle depends on everything before it, so that reading
    /// there decodes from the start; nil where it does not.
    public var startsOver: Bool?

    public init(codec: String, sampleRate: Int, channels: Int, start: Time, duration: Time, bitRate: Int?) {
        self.codec = codec
        self.sampleRate = sampleRate
        self.channels = channels
        self.start = start
        self.duration = duration
        self.bitRate = bitRate
    }
}

/// What tells one version of a file from another without reading all of it.
public struct FileIdentity: Hashable, Sendable, Codable {
    /// Bytes.
    public var size: Int64
    /// Nanoseconds since 1970.
    public var modified: Int64
    /// SHA-256, in hexadecimal, of the first and the last 64 KiB.
    public var digest: String

    public init(size: Int64, modified: Int64, digest: String) {
        self.size = size
        self.modified = modified
        self.digest = digest
    }
}
