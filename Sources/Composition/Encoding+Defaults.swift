import CPortableMath
import Delivery
import Draft
import Values

extension VideoEncoding {
    /// Every choice made. Where neither quality nor bit rate is asked for: constant quality, held
    /// below the highest bit rate of the files where the codec has such a thing as a rate, so that
    /// an export is not larger than what went in. Where a bit rate is asked for: the quality at
    /// which a search for it begins.
    init(_ codec: VideoCodec, _ settings: ExportSettings.Video, _ composition: Composition) {
        let rate = composition.frameRate
        let usual = max(1, Time(flicks: 2 * Time.flicksPerSecond).rounded(rate: rate))
        let isFree = settings.quality == nil && settings.bitRate == nil
        let isCapped = isFree && codec.searchRange != nil
        let quality = settings.bitRate.flatMap { codec.firstGuess(bitRate: $0, composition) }
        self.init(
            codec: codec, quality: codec.quality.map { quality ?? settings.quality ?? $0.usual },
            maximumBitRate: isCapped ? Self.sourceBitRate(composition, codec) : nil,
            keyFrameInterval: codec.hasKeyFrames ? settings.keyFrameInterval ?? usual : 1,
            hasExactKeyFrames: codec.hasKeyFrames && settings.keyFrameInterval != nil,
            profile: codec.profiles.isEmpty ? nil : settings.profile,
            preset: codec.presets.isEmpty ? nil : settings.preset,
            color: composition.color)
    }

    /// How a GIF's pictures wait for its palette: without loss.
    static var beforePalette: VideoEncoding {
        VideoEncoding(codec: .h264, quality: 0, keyFrameInterval: 250, preset: "ultrafast")
    }

    /// The highest bit rate of the clips, scaled up where the canvas has more pixels and by what
    /// the codec needs more than the clip's own for the same picture (``VideoCodec/efficiency``).
    /// nil where some clip's rate is not known.
    private static func sourceBitRate(_ composition: Composition, _ codec: VideoCodec) -> Int? {
        var highest = 0.0
        for clip in composition.clips {
            guard let file = clip.file, let video = composition.files[file].info.video,
                let bitRate = video.bitRate,
                bitRate > 0
            else { return nil }
            let canvas = Double(composition.size.width) * Double(composition.size.height)
            let pixels = max(1, Double(video.width) * Double(video.height))
            let gain = (VideoCodec(rawValue: video.codec)?.efficiency ?? 1) / codec.efficiency
            highest = max(highest, Double(bitRate) * max(1, canvas / pixels) * max(1, gain))
        }
        return highest > 0 ? Int(min(max(500_000, highest), 1_000_000_000)) : nil
    }
}

extension AudioEncoding {
    /// Every choice made: the draft's form of sound, and for each channel as many bits as one of
    /// the tracks that are heard has at most for each of its own: 48 to 160 kbit/s; 64 where no
    /// track's rate is known.
    init(_ codec: AudioCodec, of draft: Draft, _ catalog: Catalog) {
        let form = draft.soundForm(codec, catalog)
        let rates = draft.heardTracks(catalog).compactMap { track in track.bitRate.map { $0 / max(1, track.channels) } }
        let usual = min(max(rates.max() ?? 64_000, 48_000), 160_000) * form.channels
        let range = codec.bitRates ?? usual...usual
        self.init(
            codec: codec, channels: form.channels, sampleRate: form.sampleRate,
            bitRate: draft.export.audio.bitRate ?? min(max(usual, range.lowerBound), range.upperBound))
    }
}

extension VideoCodec {
    /// The quality at which a search for a bit rate begins, by the bits for each pixel: the codec's
    /// usual quality at a tenth of a bit of H.264. nil where the codec has no such quality.
    fileprivate func firstGuess(bitRate: Int, _ composition: Composition) -> Double? {
        guard let scale = quality, let range = searchRange else { return nil }
        let pixels =
            Double(composition.size.width) * Double(composition.size.height) * composition.frameRate.doubleValue
        let guess = scale.usual - scale.halving * pm_log2(Double(bitRate) * efficiency / pixels / 0.1)
        return min(max((guess / scale.step).rounded() * scale.step, range.lowerBound), range.upperBound)
    }
}
