/// Reads SubRip. There is no standard of it; what players agree on is taken: a cue is a line with
/// `-->`, with or without a number before it, and what follows until the next cue. A blank line
/// within a text is part of it.
struct SubRipParser {
    private let lines: SubtitleLines

    init(_ lines: SubtitleLines) { self.lines = lines }

    private static let example = "00:00:01,000 --> 00:00:04,000"

    func file() throws(SubtitleFile.Defect) -> SubtitleFile {
        var cues: [SubtitleCue] = []
        var remarks = SubtitleRemarks()
        let arrows = (0..<lines.count).filter(lines.hasArrow)
        if let broken = (0..<lines.count).first(where: lines.isBrokenTiming) {
            throw SubtitleTime.defect(of: lines, at: broken, like: Self.example)
        }
        guard let first = arrows.first else {
            throw SubtitleFile.Defect(
                "there is no cue in it: no line like ‘\(Self.example)’")
        }
        if let stray = (0..<first).first(where: { !lines.isBlank($0) && !($0 == first - 1 && lines.isNumber($0)) }) {
            remarks.add(line: stray + 1, "the text before the first cue is left out")
        }
        for (position, arrow) in arrows.enumerated() {
            guard let times = SubtitleTime.readLine(lines[arrow]) else {
                throw SubtitleTime.defect(of: lines, at: arrow, like: Self.example)
            }
            var end = position + 1 < arrows.count ? arrows[position + 1] : lines.count
            // The number of the next cue.
            if end < lines.count, end - 1 > arrow, lines.isNumber(end - 1) { end -= 1 }
            let text = lines.text(arrow + 1..<end)
            try SubtitleCue.check(text, count: position, line: arrow + 1)
            guard times.end > times.start else {
                remarks.add(line: arrow + 1, "the cue ends before it has begun, and is left out")
                continue
            }
            var cue = SubtitleCue(times.start, times.end, "")
            var markup = CueMarkup(.subRip)
            markup.read(text)
            (cue.text, cue.place) = (markup.finish(), markup.place)
            if !cue.text.isEmpty { cues.append(cue) }
        }
        return SubtitleFile(.subRip, cues, remarks: remarks)
    }
}

extension SubtitleCue {
    /// Refuses cues that are certainly a mistake.
    static func check(_ text: String, count: Int, line: Int) throws(SubtitleFile.Defect) {
        guard count < SubtitleFile.mostCues else {
            throw SubtitleFile.Defect(line: line, "a file may have \(SubtitleFile.mostCues) cues at most")
        }
        guard text.utf8.count <= SubtitleFile.longestText else {
            throw SubtitleFile.Defect(
                line: line, "the cue's text has \(text.utf8.count) bytes, but may have \(SubtitleFile.longestText)")
        }
    }
}
