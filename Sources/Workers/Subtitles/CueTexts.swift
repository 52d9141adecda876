import Composition
import Draft

/// The titles that show some cues.
enum CueTexts {
    /// Bytes of the text that is laid out at once; what is more was meant by nobody.
    static let longest = 50_000

    /// Cues that lie in the same place are one title, a line or more each. The one that began first lies next to the edge that they
    /// hang from, so that it stays where it is when another one comes.
    /// - Parameter cues: in the order of their beginnings.
    static func titles(_ cues: [SubtitleCue], _ look: Subtitles, on canvas: Canvas.Size) -> [Title] {
        var groups: [(place: SubtitleCue.Place?, texts: [String])] = []
        var length = 0
        for cue in cues {
            length += cue.text.utf8.count
            guard length <= longest else { break }
            if let group = groups.firstIndex(where: { $0.place == cue.place }) {
                groups[group].texts.append(cue.text)
            } else {
                groups.append((cue.place, [cue.text]))
            }
        }
        return groups.map { place, texts in
            let title = look.title("", place, on: canvas)
            let hangsFromBottom = title.anchorShares.y == 1
            return look.title((hangsFromBottom ? texts.reversed() : texts).joined(separator: "\n"), place, on: canvas)
        }
    }
}
