/// A stream that a file declares and that cannot be decoded, so that it is left out.
public struct UnreadableStream: Hashable, Sendable, Codable {
    public enum Kind: String, Sendable, Codable {
        case picture, sound
        /// The file does not tell which of the two it is.
        case unknown
    }

    public enum Reason: String, Sendable, Codable {
        /// FFmpeg has no decoder for it.
        case unknownCodec = "unknown_codec"
        /// The decoder refuses the configuration that the container holds, or the container holds
        /// none.
        case damagedConfiguration = "damaged_configuration"
    }

    public var kind: Kind
    /// The number of the stream among those of its kind, from 1 in the file's order.
    public var number: Int
    /// FFmpeg's name of the codec, or the container's tag where FFmpeg has none.
    public var codec: String
    public var reason: Reason
    /// Whether it is the picture or the sound that is used without `audio_track`.
    public var isUsual: Bool
    /// The track's language as the file names it; nil where it says nothing.
    public var language: String?

    public init(kind: Kind, number: Int, codec: String, reason: Reason, isUsual: Bool, language: String? = nil) {
        self.kind = kind
        self.number = number
        self.codec = codec
        self.reason = reason
        self.isUsual = isUsual
        self.language = language
    }

    private var name: String {
        switch kind {
        case .picture: "picture track \(number)"
        case .sound: "sound track \(number)"
        case .unknown: "stream \(number)"
        }
    }

    /// A sentence without its end: `sound track 1 (aac) cannot be decoded, because …`.
    public var forPeople: String {
        let why =
            switch (reason, kind) {
            case (_, .unknown): "its kind is not known; repair or convert the file"
            case (.unknownCodec, .picture): "FFmpeg has no decoder for it; convert it to H.264, HEVC, VP9 or AV1"
            case (.unknownCodec, _): "FFmpeg has no decoder for it; convert it to AAC, Opus or FLAC"
            case (.damagedConfiguration, _):
                "its decoder's configuration is damaged or missing; copy or download the file again"
            }
        return "\(name) (\(codec)) cannot be decoded: \(why)"
    }
}

extension MediaInfo {
    /// Streams in the file that cannot be decoded; each is a warning.
    public var unreadableStreams: [UnreadableStream] { unreadable ?? [] }

    /// Why there is no picture or no sound where the file declares one, as an addition to a
    /// sentence; empty where it declares none.
    public func lack(of kind: UnreadableStream.Kind) -> String {
        unreadableStreams.first { $0.kind == kind }.map { " that can be decoded; \($0.forPeople)" } ?? ""
    }

    /// The first unreadable sound track that a choice of tracks may mean.
    func unreadableSound(for choice: TrackChoice?) -> UnreadableStream? {
        unreadableStreams.first { stream in
            guard stream.kind != .picture else { return false }
            switch choice {
            case nil: return stream.isUsual
            // Tracks are counted without those that cannot be decoded.
            case .number(let number): return stream.number <= number
            case .language(let language): return stream.language?.lowercased() == language.lowercased()
            }
        }
    }
}
