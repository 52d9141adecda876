import Delivery
import Values

/// How takes are encoded, in H.264 and AAC. Values that are nil are chosen from what the sources
/// deliver.
public struct TakeEncoding: Hashable, Sendable, Codable {
    /// Samples per second.
    public var sampleRate: Int?
    public var channels: Int?
    /// Bits per second; nil: the quality is constant.
    public var videoBitRate: Int?
    /// Bits per second of each track.
    public var audioBitRate: Int?
    /// Seconds from one key frame to the next, at most; nil: one.
    public var keyFrameInterval: Double?
    /// One of H.264's; nil: `high`.
    public var profile: String?

    public init(
        sampleRate: Int? = nil, channels: Int? = nil, videoBitRate: Int? = nil, audioBitRate: Int? = nil,
        keyFrameInterval: Double? = nil, profile: String? = nil
    ) {
        (self.sampleRate, self.channels) = (sampleRate, channels)
        (self.videoBitRate, self.audioBitRate) = (videoBitRate, audioBitRate)
        (self.keyFrameInterval, self.profile) = (keyFrameInterval, profile)
    }

    public static let sampleRates = AudioCodec.aac.sampleRates
    public static let channelCounts = AudioCodec.aac.channelCounts
    /// Bits per second.
    public static let videoBitRates = ExportSettings.Video.bitRates
    /// Bits per second.
    public static let audioBitRates = AudioCodec.aac.bitRates ?? 0...0
    /// Seconds.
    public static let keyFrameIntervals = 0.1...60.0
    public static let profiles = VideoCodec.h264.profiles

    /// What no encoder does, as the option and what it must be; nil: all is well.
    public var problem: (option: String, mustBe: String)? {
        if let sampleRate, !Self.sampleRates.contains(sampleRate) {
            return ("--sample-rate", Self.sampleRates.map(String.init).alternatives)
        }
        if let channels, !Self.channelCounts.contains(channels) {
            return ("--channels", Self.channelCounts.map(String.init).alternatives)
        }
        if let videoBitRate, !Self.videoBitRates.contains(videoBitRate) {
            return ("--video-bitrate", "10k to 1000M bits per second")
        }
        if let audioBitRate, !Self.audioBitRates.contains(audioBitRate) {
            return ("--audio-bitrate", "8k to 1M bits per second")
        }
        if let keyFrameInterval, !Self.keyFrameIntervals.contains(keyFrameInterval) {
            return ("--key-frames", "0.1 to 60 seconds")
        }
        if let profile, !Self.profiles.contains(profile) { return ("--profile", Self.profiles.alternatives) }
        return nil
    }
}

extension Collection<String> {
    /// `a, b or c`.
    fileprivate var alternatives: String {
        let texts = Array(self)
        guard texts.count > 1, let last = texts.last else { return texts.joined() }
        return texts.dropLast().joined(separator: ", ") + " or " + last
    }
}
