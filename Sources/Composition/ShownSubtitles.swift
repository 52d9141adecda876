import Draft
import Values

/// Subtitles that are drawn over the picture: the cues themselves, so that a part has those that it
/// shows, and a change of one cue makes no other part anew.
public struct ShownSubtitles: Hashable, Sendable, Codable {
    /// How they are drawn. Its path is empty but for an ASS file with fonts of its own, which are
    /// read from it.
    public var look: Subtitles
    public var format: SubtitleFile.Format
    /// The head of an ASS file: see ``SubtitleFile/header``.
    public var header: String?
    /// By their beginnings, on the entry's own clock.
    public var cues: [SubtitleCue]
    /// At least as long as every cue; nil: not determined.
    private var longest: Time?

    init(_ subtitles: Subtitles, _ file: SubtitleFile) {
        look = subtitles
        look.shift = .zero
        (look.language, look.name) = (nil, nil)
        if file.hasFonts == nil { look.path = "" }
        format = file.format
        header = file.header
        cues = subtitles.shift == .zero ? file.cues : file.cues.map { $0.shifted(by: subtitles.shift) }
        longest = cues.map { $0.end - $0.start }.max()
        if format == .ass {
            // The text's options say nothing there.
            let opacity = look.style.opacity
            look = Subtitles(path: look.path)
            look.style.opacity = opacity
        }
    }

    /// The cues that are shown at some time of `range`, and nothing that has no say there.
    func trimmed(to range: TimeRange) -> ShownSubtitles {
        var part = self
        part.longest = nil
        part.cues = shown(in: range)
        // Nothing of a cue of ours changes while it is shown but its words, so that its own
        // beginning and end have no say in between. What ASS makes of an event may depend on both.
        if format != .ass {
            for index in part.cues.indices {
                part.cues[index].start = max(part.cues[index].start, range.start)
                part.cues[index].end = min(part.cues[index].end, range.end)
            }
        }
        if part.cues.isEmpty {
            part.look = Subtitles(path: "")
            part.header = nil
        } else {
            part.look.style.opacity = look.style.opacity.settled(in: range)
        }
        return part
    }

    private func shown(in range: TimeRange) -> [SubtitleCue] {
        var (low, high) = (0, cues.count)
        if let longest {
            while low < high {
                let middle = (low + high) / 2
                if cues[middle].start + longest <= range.start { low = middle + 1 } else { high = middle }
            }
        }
        return cues[low...].prefix { $0.start < range.end }.filter { $0.end > range.start }
    }

    /// The files that they are drawn with.
    var files: [DraftFile] {
        (look.path.isEmpty ? [] : [DraftFile(look.path)])
            + (look.style.fontFile.map { [DraftFile($0, .font)] } ?? [])
    }

    var withoutNames: ShownSubtitles {
        var copy = self
        copy.look.path = ""
        copy.look.style.fontFile = look.style.fontFile.map { _ in "" }
        return copy
    }
}
