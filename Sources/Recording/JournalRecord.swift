import Foundation
import Values

/// One line of the takes' journal, which says what is done or about to be done with their files.
///
/// A record is on the disk before what follows it: `part` before the file of that part exists,
/// `joined` before the parts are removed, `discarded` before the file moves. So a recording that
/// was cut off anywhere can be put in order from its journal: see ``TakeList``.
public enum JournalRecord: Hashable, Sendable {
    /// The take replaces another one, or none.
    case begun(take: Int, TakeSettings, replaces: Int? = nil)
    /// The next part of a take is recorded into this file.
    case part(take: Int, name: String)
    /// The parts are joined in this file.
    case joined(take: Int, RecordedFile)
    /// The joined file is a clip of the draft.
    case added(take: Int)
    /// Nothing was recorded, or the file is missing, so that the take is not a clip.
    case dropped(take: Int)
    case discarded(take: Int)
    /// A discarded take is to be a clip again.
    case restored(take: Int)
    /// The file of a discarded take is removed.
    case removed(take: Int)

    public var take: Int {
        switch self {
        case .begun(let take, _, _), .part(let take, _), .joined(let take, _), .added(let take), .dropped(let take),
            .discarded(let take), .restored(let take), .removed(let take):
            take
        }
    }

    /// The record's line, without its end.
    public var line: String {
        var fields = Fields(take: take, event: event)
        switch self {
        case .begun(_, let settings, let replaces):
            (fields.speed, fields.volume) = (settings.speed.description, settings.volume)
            fields.replaces = replaces
        case .part(_, let name): fields.file = name
        case .joined(_, let file):
            (fields.file, fields.duration, fields.size) = (file.name, file.duration.description, file.size)
            fields.picture = file.hasPicture ? nil : false
            fields.second = file.second?.description
        case .added, .dropped, .discarded, .restored, .removed: break
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(fields) else { preconditionFailure("a record is encodable") }
        return String(decoding: data, as: UTF8.self)
    }

    /// Reads a line.
    /// - Returns: nil for anything but a record, such as a line that was cut off.
    public init?(line: some StringProtocol) {
        guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(line.utf8)), fields.take > 0,
            fields.take <= Self.mostTakes
        else { return nil }
        func name() -> String? {
            // A name, not a path: the journal is a file that others may write.
            fields.file.flatMap { $0.isEmpty || $0.hasPrefix(".") || $0.contains("/") || $0.contains("\0") ? nil : $0 }
        }
        switch fields.event {
        case "begun":
            guard let speed = fields.speed.flatMap({ Rational($0) }),
                TakeSettings.speeds.contains(speed.doubleValue), let volume = fields.volume,
                TakeSettings.volumes.contains(volume), fields.replaces.map({ (1..<fields.take).contains($0) }) ?? true
            else { return nil }
            self = .begun(take: fields.take, TakeSettings(speed: speed, volume: volume), replaces: fields.replaces)
        case "part":
            guard let name = name() else { return nil }
            self = .part(take: fields.take, name: name)
        case "joined":
            guard let name = name(), let duration = fields.duration.flatMap({ Time($0) }), duration > .zero,
                duration <= .longest, let size = fields.size, (0...Self.mostBytes).contains(size)
            else { return nil }
            var file = RecordedFile(
                name: name, duration: duration, size: size, hasPicture: fields.picture ?? true)
            if let text = fields.second {
                guard let second = Time(text), second > .zero, second <= .longest else { return nil }
                file.second = second
            }
            self = .joined(take: fields.take, file)
        case "added": self = .added(take: fields.take)
        case "dropped": self = .dropped(take: fields.take)
        case "discarded": self = .discarded(take: fields.take)
        case "restored": self = .restored(take: fields.take)
        case "removed": self = .removed(take: fields.take)
        default: return nil
        }
    }

    /// The size of a take's file, at most: 64 TiB.
    static let mostBytes: Int64 = 1 << 46
    /// The number of takes of a recording, at most.
    public static let mostTakes = 9999

    private var event: String {
        switch self {
        case .begun: "begun"
        case .part: "part"
        case .joined: "joined"
        case .added: "added"
        case .dropped: "dropped"
        case .discarded: "discarded"
        case .restored: "restored"
        case .removed: "removed"
        }
    }

    private struct Fields: Codable {
        var take: Int
        var event: String
        var file: String?
        var speed: String?
        var volume: Double?
        var replaces: Int?
        var duration: String?
        var size: Int64?
        /// nil: there is one.
        var picture: Bool?
        /// The length of the second picture; nil: there is none.
        var second: String?
    }
}
