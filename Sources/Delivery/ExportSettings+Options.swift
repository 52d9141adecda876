import Values

extension ExportSettings {
    /// The options beside `video` and `audio`.
    package static let options = OptionTable(
        plain: ExportSettings(),
        [
            .choice(
                "container", \.container, .containers, also: "format extension type muxer",
                usually: "the output's suffix", "the format of the file"),
            .flag(
                "network_use", \.networkUse, also: "faststart web_optimized streaming",
                "puts the index of an MP4 or MOV first, so that a player can start before the download ends"),
        ])
}

extension ExportSettings.Video {
    package static let options = OptionTable(
        plain: ExportSettings.Video(),
        [
            .part(
                "codec", .choice(VideoCodec.allCases.map(\.rawValue)), \.codec, also: "vcodec encoder format",
                usually: "the container's", "the video codec",
                read: { (fields, _) throws(Problem) in try ExportSettings.codec(&fields, VideoCodec.otherNames) },
                value: { codec, _ in codec.map { .string($0.rawValue) } }),
            .part(
                "quality", .number(), \.quality, also: "crf qp cq cqp q qscale", usually: "the codec's",
                "constant quality; the range depends on the codec, and smaller is better",
                read: { (fields, name) throws(Problem) in try fields.number(name) },
                value: { quality, _ in quality.map(Value.number) }),
            .part(
                "bit_rate", .either([.whole(bitRates), .text]), \.bitRate,
                also: "bitrate rate bv video_bitrate kbps", usually: "none",
                "in place of `quality`: bits per second, as a number or a text such as `\"2.5M\"`",
                read: { (fields, name) throws(Problem) in try fields.bitRate(name) },
                value: { rate, _ in rate.map { .number(Double($0)) } }),
            .part(
                "key_frame_interval", .whole(keyFrameIntervals), \.keyFrameInterval,
                also: "gop gop_size keyint g keyframe_interval", usually: "two seconds",
                "the number of frames from one key frame to the next, 1 … 10000",
                read: { (fields, name) throws(Problem) in try fields.int(name) },
                value: { interval, _ in interval.map { .number(Double($0)) } }),
            .text("profile", \.profile, usually: "the codec's", "the codec's profile"),
            .text(
                "preset", \.preset, also: "speed effort", usually: "the codec's",
                "the encoder's trade of speed for size, `ultrafast` to `veryslow`"),
        ])
}

extension ExportSettings.Audio {
    package static let options = OptionTable(
        plain: ExportSettings.Audio(),
        [
            .part(
                "codec", .choice(AudioCodec.allCases.map(\.rawValue)), \.codec, also: "acodec encoder format",
                usually: "the container's", "the audio codec",
                read: { (fields, _) throws(Problem) in try ExportSettings.codec(&fields, AudioCodec.otherNames) },
                value: { codec, _ in codec.map { .string($0.rawValue) } }),
            .part(
                "channels", .whole(), \.channels, also: "ac channel_layout layout",
                usually: "from the sources, at most 2",
                "1, 2 or 6",
                read: { (fields, name) throws(Problem) in try fields.int(name) },
                value: { channels, _ in channels.map { .number(Double($0)) } }),
            .part(
                "sample_rate", .whole(), \.sampleRate,
                also: "rate ar samplerate frequency hz rate_hz", usually: "from the sources",
                "samples per second",
                read: { (fields, name) throws(Problem) in try fields.int(name) },
                value: { rate, _ in rate.map { .number(Double($0)) } }),
            .part(
                "bit_rate", .either([.whole(), .text]), \.bitRate, also: "bitrate ba audio_bitrate kbps",
                usually: "from the sources", "bits per second, as a number or a text such as `\"128k\"`",
                read: { (fields, name) throws(Problem) in try fields.bitRate(name) },
                value: { rate, _ in rate.map { .number(Double($0)) } }),
        ])
}
