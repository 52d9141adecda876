import Values

/// Reads Advanced SubStation Alpha, and SSA before it: when each event is shown, and what it is
/// drawn with. libass interprets the codes in the texts.
struct ASSParser {
    private let lines: SubtitleLines

    init(_ lines: SubtitleLines) { self.lines = lines }

    /// What libass takes before an event's text, in this order, but for the times.
    private static let fields = ["layer", "style", "name", "marginl", "marginr", "marginv", "effect"]

    func file() throws(SubtitleFile.Defect) -> SubtitleFile {
        var header: [String] = []
        var cues: [SubtitleCue] = []
        var remarks = SubtitleRemarks()
        var section = ""
        var hasEvents = false
        var hasFonts = false
        var form: [String] = []
        var count = 0
        for number in 0..<lines.count {
            let line = lines[number]
            if let name = Self.section(line, after: section) {
                section = name
                hasEvents = hasEvents || section == "events"
                if Self.isKept(section) { header.append(line) }
                continue
            }
            switch section {
            case "events":
                if let format = Self.value(of: "Format", line) {
                    form = format.split(separator: ",", omittingEmptySubsequences: false).map {
                        $0.trimmed.lowercased()
                    }
                } else if let dialogue = Self.value(of: "Dialogue", line) {
                    if form.isEmpty { form = Self.usualForm }
                    count += 1
                    if let cue = try cue(dialogue, form, number + 1, count, &remarks) { cues.append(cue) }
                }
            case "fonts": hasFonts = hasFonts || !lines.isBlank(number)
            case _ where Self.isKept(section): header.append(line)
            default: break
            }
        }
        guard hasEvents else {
            throw SubtitleFile.Defect("there is no section [Events] in it, so it is no ASS or SSA file")
        }
        var file = SubtitleFile(.ass, cues, header: header.joined(separator: "\n") + "\n", remarks: remarks)
        file.hasFonts = hasFonts ? true : nil
        return file
    }

    private static let usualForm = [
        "layer", "start", "end", "style", "name", "marginl", "marginr", "marginv", "effect", "text",
    ]

    /// The name of the section that a line begins; nil for another line. What fonts and pictures
    /// are written in has brackets as well, so only names that are known end them.
    /// - Parameter current: the section before the line.
    fileprivate static func section(_ line: String, after current: String) -> String? {
        guard line.first == "[", let close = line.firstIndex(of: "]") else { return nil }
        let name = line[line.index(after: line.startIndex)..<close].lowercased()
        let isData = ["fonts", "graphics"].contains(current)
        return !isData || isKept(name) || ["events", "fonts", "graphics"].contains(name) || name.hasPrefix("aegisub ")
            ? name : nil
    }

    private static func isKept(_ section: String) -> Bool {
        ["script info", "v4+ styles", "v4 styles", "v4++ styles"].contains(section)
    }

    /// What stands behind `Key:`.
    private static func value(of key: String, _ line: String) -> Substring? {
        guard line.utf8.starts(with: key.utf8) else { return nil }
        let rest = line.dropFirst(key.count)
        return rest.first == ":" ? rest.dropFirst() : nil
    }

    /// - Returns: nil for one that is left out.
    private func cue(
        _ dialogue: Substring, _ form: [String], _ line: Int, _ count: Int, _ remarks: inout SubtitleRemarks
    ) throws(SubtitleFile.Defect) -> SubtitleCue? {
        let parts = dialogue.split(separator: ",", maxSplits: form.count - 1, omittingEmptySubsequences: false)
        func part(_ name: String) -> Substring? {
            form.firstIndex(of: name).flatMap { $0 < parts.count ? parts[$0].trimmed : nil }
        }
        guard parts.count == form.count, form.last == "text", let start = part("start"), let end = part("end") else {
            throw SubtitleFile.Defect(
                line: line, "the event has \(parts.count) fields, but the line ‘Format:’ before it names \(form.count)")
        }
        guard let from = SubtitleTime.read(start), let to = SubtitleTime.read(end) else {
            let found = Value.quoted("\(start.prefix(20)), \(end.prefix(20))")
            throw SubtitleFile.Defect(
                line: line, "the event's times are \(found), but must be like ‘0:00:01.00,0:00:04.00’")
        }
        let text = String(parts[parts.count - 1])
        try SubtitleCue.check(text, count: count - 1, line: line)
        guard to > from else {
            remarks.add(line: line, "the event ends before it has begun, and is left out")
            return nil
        }
        var cue = SubtitleCue(from, to, text)
        cue.event = Self.fields.map { name in
            // Older files number no layers and say `Marked=0` there.
            let value = part(name) ?? part(name == "name" ? "actor" : name) ?? ""
            switch name {
            case "layer", "marginl", "marginr", "marginv": return Int(value).map(String.init) ?? "0"
            default: return String(value)
            }
        }.joined(separator: ",")
        return text.allSatisfy(\.isWhitespace) ? nil : cue
    }
}

extension SubtitleFile {
    /// The lines of an ASS file's fonts, with the section's name.
    public static func fonts(of text: String) -> String {
        let lines = SubtitleLines(text)
        var kept: [String] = []
        var section = ""
        for number in 0..<lines.count {
            let line = lines[number]
            section = ASSParser.section(line, after: section) ?? section
            if section == "fonts" { kept.append(line) }
        }
        return kept.joined(separator: "\n") + "\n"
    }
}

extension SubtitleFile {
    /// What follows an ASS file's header, before events in the order of ``SubtitleCue/event``.
    public static let eventsHeader =
        "\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
}

extension SubtitleCue {
    /// An ASS event as Matroska has it: without times, with a number that keeps the file's order.
    public func matroskaEvent(number: Int) -> String { "\(number),\(event ?? "0,Default,,0,0,0,"),\(text)" }
}
