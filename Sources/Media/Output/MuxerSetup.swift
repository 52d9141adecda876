import CFFmpeg
import Delivery

/// How libavformat is set up for a kind of file.
struct MuxerSetup {
    /// libavformat's muxer.
    var format: String
    var options: [String: String] = [:]
    let hasEditList: Bool
    /// Players take the codec's delay off the sound's timestamps, which the muxer does not add.
    let startsWithDelay: Bool

    /// - Parameters:
    ///   - indexFirst: the index is written before the media.
    ///   - clock: ticks per second in which the tracks' lengths are whole.
    init(_ container: ExportSettings.Container, indexFirst: Bool, clock: Int32) {
        hasEditList = container.hasEditList
        startsWithDelay = container == .webm || container == .mkv
        switch container {
        case .mp4, .mov, .m4a:
            format = container == .m4a ? "ipod" : container.rawValue
            // Experimental is FLAC's only, whose encapsulation was a draft when FFmpeg 5.1 came
            // out.
            options = ["movie_timescale": "\(clock)", "strict": "experimental"]
            if indexFirst { options["movflags"] = "+faststart" }
        case .webm, .mkv:
            format = container == .webm ? "webm" : "matroska"
            // Nothing moves for the sake of the sound's delay.
            options = ["avoid_negative_ts": "disabled"]
            if indexFirst { options["cues_to_front"] = "1" }
        // Beyond 4 GiB a WAV needs the larger form (EBU Tech 3306).
        case .wav: (format, options) = ("wav", ["rf64": "auto"])
        case .flac: format = "flac"
        // No tag without content; the Xing frame says the delay.
        case .mp3: (format, options) = ("mp3", ["id3v2_version": "0"])
        case .opus: format = "opus"
        case .gif: (format, options) = ("gif", ["loop": "0"])
        case .png, .jpg: format = "image2"
        }
    }

    /// The codec's name in the file where the muxer's own choice is not the right one, else 0.
    /// Apple's players want HEVC as `hvc1`, with its parameter sets in the index only, as they are
    /// here; ProRes is named by its profile.
    func tag(_ parameters: AVCodecParameters) -> UInt32 {
        switch parameters.codec_id {
        case AV_CODEC_ID_HEVC where hasEditList: "hvc1".utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        case AV_CODEC_ID_PRORES: parameters.codec_tag
        default: 0
        }
    }
}

extension ExportSettings.Container {
    /// An edit list says which samples are heard. Elsewhere the codec's delay and the padding of
    /// its last packet do.
    var hasEditList: Bool { self == .mp4 || self == .mov || self == .m4a }
}
