import Draft

extension VideoEncoding {
    /// CRF where nobody asked for a quality or a rate: visually close to the source at usual sizes.
    static let usualQuality = 21.0

    /// Every choice made. Where neither quality nor bit rate is asked for: constant quality, held below the highest bit
    /// rate of the sources, so that an export is not larger than what went in.
    init(_ settings: ExportSettings.Video, _ composition: Composition) {
        let rate = composition.frameRate
        let interval = settings.keyFrameInterval ?? max(1, Time(flicks: 2 * Time.flicksPerSecond).rounded(rate: rate))
        let isFree = settings.quality == nil && settings.bitRate == nil
        let isLossless = settings.quality == 0
        self.init(
            codec: settings.codec ?? "h264", quality: settings.bitRate == nil ? settings.quality ?? Self.usualQuality : nil,
            bitRate: settings.bitRate, maximumBitRate: isFree ? Self.sourceBitRate(composition) : nil,
            keyFrameInterval: interval, profile: settings.profile ?? (isLossless ? "high444" : "high"),
            preset: settings.preset ?? "veryfast")
    }

    /// The highest bit rate of the clips, scaled up where the canvas has more pixels and by what H.264 needs more than
    /// newer codecs for the same picture (about 1.5 for HEVC and VP9, 2 for AV1). nil where some clip's rate is not known.
    private static func sourceBitRate(_ composition: Composition) -> Int? {
        var highest = 0.0
        for clip in composition.clips {
            guard let video = composition.sources[clip.source].info.video, let bitRate = video.bitRate, bitRate > 0 else { return nil }
            let canvas = Double(composition.size.width) * Double(composition.size.height)
            let pixels = max(1, Double(video.width) * Double(video.height))
            let factors: [String: Double] = ["hevc": 1.5, "vp9": 1.5, "av1": 2]
            let codec = factors[video.codec] ?? 1
            highest = max(highest, Double(bitRate) * max(1, canvas / pixels) * codec)
        }
        return highest > 0 ? Int(min(max(500_000, highest), 1_000_000_000)) : nil
    }
}

extension AudioEncoding {
    /// Every choice made: AAC, stereo, 48 kHz, and the sources' highest bit rate within 96 to 320 kbit/s (half that for one
    /// channel).
    init(_ settings: ExportSettings.Audio, _ composition: Composition) {
        let channels = settings.channels ?? 2
        let highest = composition.sound.compactMap { composition.sources[$0.source].info.audio?.bitRate }.max() ?? 128_000
        let usual = min(max(highest, 96_000), 320_000) * channels / 2
        self.init(
            codec: settings.codec ?? "aac", channels: channels, sampleRate: settings.sampleRate ?? 48_000,
            bitRate: settings.bitRate ?? usual)
    }
}
