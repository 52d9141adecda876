import Delivery
import Values

/// Problems of subtitles, and warnings about them.
extension TimelineBuilder {
    mutating func check(_ subtitles: Subtitles, _ object: String, _ entry: Effect) {
        check(subtitles.style.opacity, "opacity", 0...1, object, entry.origin(of: "opacity"))
        if let font = subtitles.style.fontFile { _ = readable(DraftFile(font, .font), object, entry.origin) }
        guard let info = readable(DraftFile(subtitles.path), object, entry.origin(of: "file")) else { return }
        guard let file = info.subtitles else {
            return report(object, "‘\(subtitles.path)’ \(Subtitles.refusal)", entry.origin(of: "file"))
        }
        for remark in file.remarks { warn(object, "‘\(subtitles.path)’, \(remark)", entry.origin) }
        if file.cues.isEmpty { warn(object, "‘\(subtitles.path)’ has no cue that shows anything", entry.origin) }
        if subtitles.form == .track {
            if subtitles.hasStyle {
                warn(object, "a track has no look: a player draws it as its user likes", entry.origin)
            }
            if let language = subtitles.language, !TrackLanguage.isStandard(language) {
                warn(
                    object,
                    "‘language’ is ‘\(language)’, which is not a code of ISO 639-2; players may show no language for the track",
                    entry.origin(of: "language"))
            }
        } else {
            if subtitles.language != nil || subtitles.name != nil {
                warn(object, "‘language’ and ‘name’ are a track's; write as = \"track\" for one", entry.origin)
            }
            if file.format == .ass, subtitles.hasStyle {
                warn(object, "an ASS file brings its own styles; the options of the text say nothing", entry.origin)
            } else {
                warnOfFont(subtitles.style, object, entry)
                warnOfOverhang(subtitles, object, entry)
            }
        }
    }
}

extension Draft {
    /// The file cannot have the subtitle tracks that are asked for.
    func subtitleProblems(in container: ExportSettings.Container) -> [Problem] {
        guard !container.holdsSubtitles else { return [] }
        let others = ExportSettings.Container.allCases.filter(\.holdsSubtitles).map(\.rawValue)
        return effects.indices.compactMap { index in
            guard case .picture(.subtitles(let subtitles)) = effects[index].kind, subtitles.form == .track else {
                return nil
            }
            return Problem(
                name(of: .effect(index)),
                "\(container.rawValue) holds no subtitle track; write \(others.joined(separator: ", ")), or leave "
                    + "‘as’ out, so that the text is drawn over the picture", origin: effects[index].origin(of: "as"))
        }
    }
}

extension Draft {
    /// Returns warnings about languages of subtitle tracks that this kind of file cannot store.
    func languageWarnings(in container: ExportSettings.Container) -> [Problem] {
        guard container == .mov else { return [] }
        let others = ExportSettings.Container.allCases.filter { $0.holdsSubtitles && $0 != .mov }.map(\.rawValue)
        return effects.indices.compactMap { index in
            guard case .picture(.subtitles(let subtitles)) = effects[index].kind, subtitles.form == .track,
                let language = subtitles.language, language != "und", TrackLanguage.quickTimeName(language) == nil
            else { return nil }
            return Problem(
                name(of: .effect(index)),
                "a mov cannot store the language ‘\(language)’, so the track will have none; write "
                    + "\(others.joined(separator: ", ")) to keep it", origin: effects[index].origin(of: "language"))
        }
    }
}

extension ExportSettings.Container {
    public var holdsSubtitles: Bool { [.mp4, .mov, .webm, .mkv].contains(self) }
}
