import Values

/// Which of a file's sound tracks is heard.
public enum TrackChoice: Hashable, Sendable {
    /// Counted from 1 in the file's order.
    case number(Int)
    /// The first track of this language, as the file names it (`eng`); capitals do not matter.
    case language(String)
}

extension MediaInfo {
    /// This file with the chosen track as its ``audio``; itself for nil. nil where it has no such
    /// track.
    public func choosing(_ track: TrackChoice?) -> MediaInfo? {
        let found: AudioStreamInfo?
        switch track {
        case nil: return self
        case .number(let number): found = audioTracks.indices.contains(number - 1) ? audioTracks[number - 1] : nil
        case .language(let language): found = audioTracks.first { $0.language?.lowercased() == language.lowercased() }
        }
        guard let found else { return nil }
        var chosen = self
        chosen.audio = found
        return chosen
    }

    /// Says that there is no such track, and which there are.
    public func refusal(of track: TrackChoice, path: String) -> String {
        guard !audioTracks.isEmpty else {
            return "‘audio_track’ asks for a sound track, but ‘\(path)’ has no sound\(lack(of: .sound))"
        }
        let wished =
            switch track {
            case .number(let number): "\(number)"
            case .language(let language): Value.quoted(language)
            }
        let tracks = audioTracks.enumerated().map { index, track in "\(index + 1) (\(track.forPeople))" }
        let lost = unreadableSound(for: track).map { "; \($0.forPeople)" } ?? ""
        return "‘audio_track’ is \(wished), but ‘\(path)’ has \(tracks.joined(separator: ", "))\(lost)"
    }
}

extension AudioStreamInfo {
    /// `eng, ‘Commentary’, aac, 2 channels`.
    public var forPeople: String {
        var parts = [language ?? "no language"]
        if let title { parts.append(Value.quoted(title)) }
        return (parts + [codec, channels == 1 ? "1 channel" : "\(channels) channels"]).joined(separator: ", ")
    }
}

extension TrackChoice {
    var value: Value {
        switch self {
        case .number(let number): .number(Double(number))
        case .language(let language): .string(language)
        }
    }
}

extension FieldReader {
    /// A track's number from 1, or its language.
    mutating func track(_ key: String) throws(Problem) -> TrackChoice? {
        switch value(key) {
        case nil: return nil
        case .number(let number)? where number == number.rounded() && (1...10_000).contains(number):
            return .number(Int(number))
        case .string(let text)? where !text.isEmpty: return .language(text)
        case let other?: throw wrong(key, "a track's number from 1 on, or its language such as \"eng\"", other)
        }
    }
}
