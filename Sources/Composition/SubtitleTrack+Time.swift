import Draft
import Values

extension SubtitleTrack {
    /// - Parameter clock: output time → the entry's own time.
    init(_ subtitles: Subtitles, _ file: SubtitleFile, _ clock: TimeMap, end: Time) {
        let all = file.cues.map { $0.shifted(by: subtitles.shift) }
        var found: [SubtitleCue] = []
        for piece in clock.pieces {
            guard let shown = piece.timeline.intersection(TimeRange(start: .zero, duration: end)) else { continue }
            for cue in all {
                let edges = [piece.timeline(of: cue.start), piece.timeline(of: cue.end)].sorted()
                guard let range = TimeRange(from: edges[0], to: edges[1]).intersection(shown) else { continue }
                var cue = cue
                (cue.start, cue.end, cue.words) = (range.start, range.end, nil)
                // A cue that goes on in the next piece is one.
                let last = found.suffix(10).lastIndex {
                    $0.text == cue.text && $0.event == cue.event && $0.end == cue.start
                }
                if let last { found[last].end = cue.end } else { found.append(cue) }
            }
        }
        let ordered = found.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
        self.init(file.format, ordered.map(\.element), header: file.header)
        (language, name) = (subtitles.language, subtitles.name)
    }
}
