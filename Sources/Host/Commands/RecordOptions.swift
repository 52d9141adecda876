import ArgumentParser
import Delivery
import HostCore
import Recording

/// How takes are encoded, on the command line of `cutroom record`.
struct RecordOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The samples per second of the sound that are asked of its source. Default: 48000, or what is nearest to it.",
            valueName: "hertz"))
    var sampleRate: Int?

    @Option(
        help: ArgumentHelp(
            "The channels of the sound that are asked of its source: \(Self.alternatives(TakeEncoding.channelCounts)). Default: 2 at most.",
            valueName: "count"))
    var channels: Int?

    @Option(
        name: .customLong("video-bitrate"),
        help: ArgumentHelp(
            "The bits per second of the picture, such as 800k or 6M. Default: constant quality.", valueName: "bits"))
    var videoBitRate: String?

    @Option(
        name: .customLong("audio-bitrate"),
        help: ArgumentHelp(
            "The bits per second of each track of sound, such as 128k. Default: 160k.", valueName: "bits"))
    var audioBitRate: String?

    @Option(
        name: .customLong("key-frames"),
        help: ArgumentHelp("The time from one key frame to the next, at most. Default: 1.", valueName: "seconds"))
    var keyFrameInterval: Double?

    @Option(
        help: ArgumentHelp("H.264's profile: \(TakeEncoding.profiles.joined(separator: ", ")). Default: high."),
        completion: .list(TakeEncoding.profiles))
    var profile: String?

    @Flag(name: .customLong("compromise"), help: "Take the nearest of what a device does not have, and say what it is.")
    var compromises = false

    private static func alternatives(_ values: [Int]) -> String { values.map(String.init).joined(separator: ", ") }

    /// What was asked for; 0 for a bit rate that cannot be read, which no encoder has.
    var encoding: TakeEncoding {
        func bits(_ text: String?) -> Int? { text.map { ExportSettings.bits($0).flatMap { Int(exactly: $0) } ?? 0 } }
        return TakeEncoding(
            sampleRate: sampleRate, channels: channels, videoBitRate: bits(videoBitRate),
            audioBitRate: bits(audioBitRate), keyFrameInterval: keyFrameInterval, profile: profile)
    }

    func validate() throws {
        guard let problem = encoding.problem else { return }
        throw ValidationError("‘\(problem.option)’ must be \(problem.mustBe).")
    }
}
