import Values

extension Draft {
    /// Returns what `--strict` refuses before anything is rendered: sound that the draft plays and
    /// that cannot be decoded, and files whose end is missing, if the draft uses the last second of
    /// a stream that is cut off. Each sentence names its file.
    public func losses(_ catalog: Catalog) -> [Problem] {
        var seen = Set<Problem>()
        return allLosses(catalog).map { $0.naming(catalog.names) }.filter { seen.insert($0).inserted }
    }

    private func allLosses(_ catalog: Catalog) -> [Problem] {
        let clips = clips + effects.compactMap { $0.layer?.clip }
        let ofClips = clips.flatMap { clip -> [Problem] in
            if let nested = clip.nested { return nested.draft.allLosses(catalog) }
            guard case .media(let range) = clip.content, let info = catalog.info(clip.path) else { return [] }
            let track: TrackChoice?? = clip.volume.isHeard ? .some(clip.audioTrack) : nil
            return Self.losses(info, clip.path, track, range, showsPicture: true)
        }
        let ofSound = audio.flatMap { entry -> [Problem] in
            guard entry.volume.isHeard, let info = catalog.info(entry.path) else { return [] }
            return Self.losses(info, entry.path, .some(entry.audioTrack), entry.range, showsPicture: false)
        }
        return ofClips + ofSound
    }

    /// - Parameter track: which sound is heard; nil: none is.
    private static func losses(
        _ info: MediaInfo, _ path: String, _ track: TrackChoice??, _ range: TimeRange?, showsPicture: Bool
    ) -> [Problem] {
        var losses: [Problem] = []
        if let track, let stream = info.unreadableSound(for: track) {
            losses.append(Problem("‘\(path)’", stream.forPeople))
        }
        if let cutOff = info.cutOff {
            let sound = track.flatMap { info.choosing($0)?.audio }
            let picture = showsPicture ? info.video : nil
            // A stream that is known to be whole does not count; one of a format that does not tell
            // does.
            let ends = [
                picture.flatMap { $0.lacksEnd == false ? nil : $0.duration },
                sound.flatMap { $0.lacksEnd == false ? nil : $0.duration },
            ].compactMap { $0 }
            let usesEnd = ends.contains { end in range.map { $0.end > end - lastPart } ?? true }
            if usesEnd { losses.append(Problem("‘\(path)’", "was cut off: \(cutOff)")) }
        }
        return losses
    }

    /// A range that ends within this time before a stream's end uses its end.
    private static let lastPart = Time(flicks: Time.flicksPerSecond)
}
