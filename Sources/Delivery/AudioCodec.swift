/// How sound can be encoded, and what may be chosen about it.
public enum AudioCodec: String, Sendable, CaseIterable, Codable {
    case aac, opus, mp3
    /// 16 bits, without loss.
    case flac
    /// Samples of 16 bits as they are.
    case pcm_s16
    /// Samples of 24 bits as they are.
    case pcm_s24

    /// Bits per second that may be asked for; nil where the samples decide.
    public var bitRates: ClosedRange<Int>? {
        switch self {
        case .aac: 8_000...1_000_000
        case .opus: 6_000...510_000
        case .mp3: 8_000...320_000
        case .flac, .pcm_s16, .pcm_s24: nil
        }
    }

    /// Samples per second, in order.
    public var sampleRates: [Int] {
        switch self {
        // Whatever goes in, Opus is played at 48 kHz (RFC 7845, 4).
        case .opus: [48_000]
        case .mp3: [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000]
        case .aac, .flac, .pcm_s16, .pcm_s24: ExportSettings.sampleRates
        }
    }

    public var channelCounts: [Int] { self == .mp3 ? [1, 2] : [1, 2, 6] }

    static let otherNames: [String: AudioCodec] = ["pcm": .pcm_s16, "pcm_s16le": .pcm_s16, "pcm_s24le": .pcm_s24]
}
