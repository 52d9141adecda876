extension SubtitleCue {
    /// Its text for people, without markup and codes.
    public func plainText(_ format: SubtitleFile.Format) -> String {
        if format == .ass { return SubtitleFile.plain(ass: text) }
        return (try? TitleMarkup(text))?.plain ?? text
    }

    /// Its text with the few tags that players of SubRip know.
    public func subRipText(_ format: SubtitleFile.Format) -> String {
        tagged(format, escaping: { $0 }) { tag in
            guard tag.hasPrefix("<span"), let color = Self.color(of: tag) else {
                return Self.plainTags.contains(tag) ? (tag, "</" + tag.dropFirst()) : nil
            }
            return ("<font color=\"\(color)\">", "</font>")
        }
    }

    /// Its text as WebVTT has it.
    public func webVTTText(_ format: SubtitleFile.Format) -> String {
        let escaped = { (text: String) in
            text.reduce(into: "") { result, next in
                result += next == "&" ? "&amp;" : next == "<" ? "&lt;" : next == ">" ? "&gt;" : String(next)
            }
        }
        return tagged(format, escaping: escaped) { tag in
            Self.plainTags.contains(tag) && tag != "<s>" ? (tag, "</" + tag.dropFirst()) : nil
        }
    }

    private static let plainTags: Set<String> = ["<b>", "<i>", "<u>", "<s>"]

    private static func color(of tag: String) -> Substring? {
        let parts = tag.split(separator: "\"")
        guard let name = parts.firstIndex(where: { $0.hasSuffix(" color=") }), name + 1 < parts.count else {
            return nil
        }
        return parts[name + 1]
    }

    /// - Parameter spelled: what opens and closes a tag; nil: it is left out.
    private func tagged(
        _ format: SubtitleFile.Format, escaping: (String) -> String, _ spelled: (String) -> (String, String)?
    ) -> String {
        guard format != .ass, let runs = (try? TitleMarkup(text))?.runs else { return escaping(plainText(format)) }
        var result = ""
        var open: [(tag: String, close: String)] = []
        for run in runs {
            let wanted = run.tags.compactMap { tag in spelled(tag).map { (tag: tag, open: $0.0, close: $0.1) } }
            let common = zip(open, wanted).prefix { $0.tag == $1.tag }.count
            while open.count > common { result += open.removeLast().close }
            for next in wanted.dropFirst(common) {
                result += next.open
                open.append((next.tag, next.close))
            }
            result += escaping(run.text)
        }
        while let last = open.popLast() { result += last.close }
        // A blank line ends a cue in every format.
        return result.split(separator: "\n").joined(separator: "\n")
    }
}
