import Delivery
import Values

extension Draft {
    /// The most channels that a form has without being asked for more.
    static let mostChannels = 2

    /// Returns what the export settings ask for; else the most channels, at most two, and the
    /// highest rate of all that the draft gives to hear, or the next that the codec has. Stereo at
    /// 48 kHz where nothing is heard.
    ///
    /// The rendered range does not matter: a part sounds as the whole does.
    public func soundForm(_ codec: AudioCodec, _ catalog: Catalog) -> SoundForm {
        let heard = heardTracks(catalog)
        func next(_ wish: Int?, _ known: [Int], else usual: Int) -> Int {
            let wish = wish ?? usual
            return known.first { $0 >= wish } ?? known.last ?? usual
        }
        return SoundForm(
            channels: export.audio.channels
                ?? next(
                    heard.map(\.channels).max().map { min($0, Self.mostChannels) }, codec.channelCounts,
                    else: Self.mostChannels),
            sampleRate: export.audio.sampleRate
                ?? next(heard.map(\.sampleRate).max(), codec.sampleRates, else: 48_000))
    }

    /// Whether anything may be heard of it.
    func isHeard(_ catalog: Catalog) -> Bool { !heardTracks(catalog).isEmpty }

    /// The sound tracks of clips, of layers too, whose volume is not always zero.
    public func heardTracks(_ catalog: Catalog) -> [AudioStreamInfo] {
        func track(_ path: String, _ choice: TrackChoice?, _ sound: ClipSound) -> AudioStreamInfo? {
            sound.isHeard ? catalog.info(path)?.choosing(choice)?.audio : nil
        }
        return (clips + effects.compactMap { $0.layer?.clip }).flatMap { clip -> [AudioStreamInfo] in
            if let nested = clip.nested { return clip.sound.isHeard ? nested.draft.heardTracks(catalog) : [] }
            return clip.isMedia ? track(clip.path, clip.audioTrack, clip.sound).map { [$0] } ?? [] : []
        }
            + audio.compactMap { track($0.path, $0.audioTrack, $0.sound) }
    }
}

extension Animated {
    /// False for a volume that is zero all the time.
    var isHeard: Bool {
        if case .function = self { true } else { keyValues.contains { $0.contains { $0 > 0 } } }
    }
}
