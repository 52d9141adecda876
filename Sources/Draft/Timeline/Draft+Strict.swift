extension Draft {
    /// What `--strict` refuses before anything is rendered: sound that the draft plays and that
    /// cannot be decoded, and files whose end is missing, where the draft uses them up to their
    /// end. Each sentence names its file.
    public func losses(_ catalog: Catalog) -> [Problem] {
        var seen = Set<Problem>()
        return allLosses(catalog).map { $0.naming(catalog.names) }.filter { seen.insert($0).inserted }
    }

    private func allLosses(_ catalog: Catalog) -> [Problem] {
        let clips = clips + effects.compactMap { $0.layer?.clip }
        let ofClips = clips.flatMap { clip -> [Problem] in
            if let nested = clip.nested { return nested.draft.allLosses(catalog) }
            guard case .media(let range) = clip.content, let info = catalog.info(clip.path) else { return [] }
            return Self.losses(info, clip.path, clip.volume.isHeard ? .some(clip.audioTrack) : nil, range)
        }
        let ofSound = audio.flatMap { entry -> [Problem] in
            guard entry.volume.isHeard, let info = catalog.info(entry.path) else { return [] }
            return Self.losses(info, entry.path, .some(entry.audioTrack), entry.range)
        }
        return ofClips + ofSound
    }

    /// - Parameter track: which sound is heard; nil: none is.
    private static func losses(
        _ info: MediaInfo, _ path: String, _ track: TrackChoice??, _ range: TimeRange?
    ) -> [Problem] {
        var losses: [Problem] = []
        if let track, let stream = info.unreadableSound(for: track) {
            losses.append(Problem("‘\(path)’", stream.forPeople))
        }
        let usesEnd = range.map { $0.end > info.duration - Time(flicks: Time.flicksPerSecond) } ?? true
        if usesEnd, info.format == "ogg", let cutOff = info.cutOff {
            losses.append(Problem("‘\(path)’", "was cut off: \(cutOff)"))
        }
        return losses
    }
}
