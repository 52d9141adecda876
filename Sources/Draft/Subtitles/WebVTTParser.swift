/// Reads WebVTT (W3C, *WebVTT: The Web Video Text Tracks Format*, 2019): cues with their settings.
/// Styles and regions are passed over.
struct WebVTTParser {
    private let lines: SubtitleLines

    init(_ lines: SubtitleLines) { self.lines = lines }

    func file() throws(SubtitleFile.Defect) -> SubtitleFile {
        guard lines.count > 0, Self.isHeader(lines[0]) else {
            throw SubtitleFile.Defect(line: 1, "a WebVTT file begins with the line ‘WEBVTT’")
        }
        var cues: [SubtitleCue] = []
        var remarks = SubtitleRemarks()
        var count = 0
        var line = 1
        while line < lines.count {
            guard !lines.isBlank(line) else {
                line += 1
                continue
            }
            // A block ends with a blank line, and with a cue's times in its third line or later.
            var end = line + 1
            while end < lines.count, !lines.isBlank(end), end - line < 2 || !lines.hasArrow(end) { end += 1 }
            let arrow = lines.hasArrow(line) ? line : line + 1 < end && lines.hasArrow(line + 1) ? line + 1 : nil
            if let arrow {
                if let broken = (arrow + 1..<end).first(where: lines.isBrokenTiming) {
                    throw SubtitleTime.defect(of: lines, at: broken, like: Self.example)
                }
                let text = lines.text(arrow + 1..<end)
                try SubtitleCue.check(text, count: count, line: arrow + 1)
                count += 1
                if let cue = try cue(text, at: arrow, &remarks) { cues.append(cue) }
            } else if !Self.isOther(lines[line]), let broken = lines.brokenTiming(inBlock: line..<end) {
                throw SubtitleTime.defect(of: lines, at: broken, like: Self.example)
            }
            line = end
        }
        return SubtitleFile(.webVTT, cues, remarks: remarks)
    }

    private static func isHeader(_ line: String) -> Bool {
        line == "WEBVTT" || line.hasPrefix("WEBVTT ") || line.hasPrefix("WEBVTT\t")
    }

    /// Returns whether a line begins a comment, a style or a region.
    private static func isOther(_ line: String) -> Bool {
        ["NOTE", "STYLE", "REGION"].contains { line == $0 || line.hasPrefix($0 + " ") || line.hasPrefix($0 + "\t") }
    }

    private static let example = "00:01.000 --> 00:04.000"

    /// - Returns: nil for one that is empty or left out.
    private func cue(
        _ text: String, at line: Int, _ remarks: inout SubtitleRemarks
    ) throws(SubtitleFile.Defect) -> SubtitleCue? {
        guard let times = SubtitleTime.readLine(lines[line]) else {
            throw SubtitleTime.defect(of: lines, at: line, like: Self.example)
        }
        guard times.end > times.start else {
            remarks.add(line: line + 1, "the cue ends before it has begun, and is left out")
            return nil
        }
        var cue = SubtitleCue(times.start, times.end, "")
        var markup = CueMarkup(.webVTT)
        markup.read(text)
        cue.text = markup.finish()
        if !markup.words.isEmpty {
            let first = SubtitleCue.Word(start: times.start, offset: 0)
            cue.words = (markup.words.first?.offset == 0 ? [] : [first]) + markup.words
        }
        cue.place = WebVTTSettings(times.rest).place
        return cue.text.isEmpty ? nil : cue
    }
}

/// A cue's settings, roughly: where its text lies.
struct WebVTTSettings {
    let place: SubtitleCue.Place?

    /// `line:0 position:20%,line-left align:start`. Unknown settings are ignored, as in browsers.
    init(_ text: Substring) {
        var (x, y): (Double?, Double?) = (nil, nil)
        var number: Int?
        var (across, down): (Int?, Int) = (nil, 2)
        var alignment = Title.Alignment.center
        var isPlaced = false
        for setting in text.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
            let parts = setting.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let values = parts[1].split(separator: ",").map(String.init)
            switch parts[0] {
            case "align":
                switch parts[1] {
                case "start", "left": alignment = .left
                case "end", "right": alignment = .right
                default: alignment = .center
                }
                isPlaced = true
            case "position":
                guard let share = Self.percents(values[0]) else { continue }
                x = share
                across = ["line-left": 0, "center": 1, "line-right": 2][values.count > 1 ? values[1] : ""]
                isPlaced = true
            case "line":
                if let share = Self.percents(values[0]) {
                    (y, down) = (share, ["start": 0, "center": 1, "end": 2][values.count > 1 ? values[1] : ""] ?? 0)
                    number = nil
                } else if let line = Double(values[0]), line.magnitude < 1e6 {
                    let rounded = Int((line + 0.5).rounded(.down))
                    (y, down) = (nil, rounded >= 0 ? 0 : 2)
                    number = [0, -1].contains(rounded) ? nil : rounded
                } else {
                    continue
                }
                isPlaced = true
            default: continue
            }
        }
        guard isPlaced else {
            place = nil
            return
        }
        let column = across ?? (alignment == .left ? 0 : alignment == .right ? 2 : 1)
        var place = SubtitleCue.Place(
            Anchor(column: column, row: down), x: x.map { min(1, max(0, $0)) }, y: y.map { min(1, max(0, $0)) },
            alignment)
        place.line = number
        self.place = place
    }

    private static func percents(_ text: String) -> Double? {
        guard text.last == "%", let number = Double(text.dropLast()), (0...100).contains(number) else { return nil }
        return number / 100
    }
}
