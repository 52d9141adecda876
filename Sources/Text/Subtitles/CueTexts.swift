import Composition
import Draft
import Values

/// The titles that show some cues.
enum CueTexts {
    /// Bytes of the text that is laid out at once; more is certainly a mistake.
    static let longest = 50_000

    /// Returns the texts that show some cues, each where it asks to lie.
    ///
    /// Cues that lie in the same place are one text, a line or more each. The one that began first
    /// lies next to the edge that they hang from, so that it stays where it is when another one
    /// comes.
    /// - Parameter cues: in the order of their beginnings.
    ///
    /// A cue that asks for a line of the canvas is a text of its own, whatever others ask for.
    static func texts(
        _ cues: [SubtitleCue], _ look: Subtitles, on canvas: Canvas.Size
    ) -> [(title: Title, place: SubtitleCue.Place?)] {
        var groups: [(place: SubtitleCue.Place?, cues: [SubtitleCue])] = []
        var length = 0
        for cue in cues {
            length += cue.text.utf8.count
            guard length <= longest else { break }
            if cue.place?.line == nil, let group = groups.firstIndex(where: { $0.place == cue.place }) {
                groups[group].cues.append(cue)
            } else {
                groups.append((cue.place, [cue]))
            }
        }
        return groups.map { place, shown in
            let title = look.title("", place, on: canvas)
            let hangsFromBottom = title.anchorShares.y == 1
            let ordered = hangsFromBottom ? shown.reversed() : shown
            var joined = look.title(ordered.map(\.text).joined(separator: "\n"), place, on: canvas)
            if let highlight = look.highlight { (joined.highlight, joined.spoken) = (highlight, words(of: ordered)) }
            return (joined, place)
        }
    }

    /// When the words of some cues are said, by their places in the joined text.
    private static func words(of cues: [SubtitleCue]) -> [Title.Spoken] {
        var spoken: [Title.Spoken] = []
        var offset = 0
        for cue in cues {
            let words = cue.words ?? []
            for (index, word) in words.enumerated() {
                // The last word bounds the one before it, also where the cue is shown no longer
                // than that.
                let end = index + 1 < words.count ? words[index + 1].start : max(cue.end, word.start + Time(flicks: 1))
                let range = TimeRange(from: word.start, to: end)
                if !range.isEmpty { spoken.append(Title.Spoken(range, offset: offset + word.offset)) }
            }
            offset += cue.plainText(.subRip).utf8.count + 1
        }
        return spoken
    }
}
