import Foundation
import HostCore
import Recording
import Values

/// The lines of `cutroom record --json`: one JSON object each, commands on standard input and
/// events on standard output. `docs/record-protocol.md` describes them.
package enum RecordingProtocol {
    /// Reads a command.
    /// - Throws: a sentence that says what is wrong with the line.
    package static func command(_ line: String) throws(Refusal) -> Recording.Command {
        let fields: Fields
        do {
            fields = try JSONDecoder().decode(Fields.self, from: Data(line.utf8))
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw Refusal("A command is a JSON object on one line, such as {\"command\":\"start\"}.")
        }
        let name = fields.command
        guard let known = options[name] else {
            let names = options.keys.sorted().joined(separator: ", ")
            throw Refusal("There is no command ‘\(name)’; there are \(names).")
        }
        if let key = fields.keys.first(where: { !known.contains($0) }) {
            throw Refusal("‘\(name)’ has no ‘\(key)’.")
        }
        switch name {
        case "open": return .open
        case "start": return .startTake(fields.start)
        case "pause": return .pause
        case "finish": return .finish
        case "discard": return .discard(fields.take ?? .last)
        case "undo": return .undo
        case "photo": return .photo(fields.file)
        case "background":
            guard fields.background != nil || fields.keys.isEmpty else {
                throw Refusal("‘background’ needs a ‘file’; without any options, there is no background.")
            }
            return .background(fields.background)
        default: return .close
        }
    }

    package struct Refusal: Error, Hashable {
        package let sentence: String
        init(_ sentence: String) { self.sentence = sentence }
    }

    /// The commands, with the keys that they have besides their name.
    private static let options: [String: Set<String>] = [
        "open": [], "start": ["speed", "volume", "replace"], "pause": [], "finish": [], "discard": ["take"], "undo": [],
        "background": ["file", "range", "volume", "loop"], "photo": ["file"],
        "close": [],
    ]

    private struct Fields: Decodable {
        let command: String
        let keys: [String]
        var take: Recording.Selection?
        var start = Recording.StartOptions()
        var file: String?
        var background: Background?

        private struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(_ name: String) { stringValue = name }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            command = try container.decode(String.self, forKey: Key("command"))
            keys = container.allKeys.map(\.stringValue).filter { $0 != "command" }.sorted()
            if container.contains(Key("take")) {
                switch (
                    try? container.decode(Int.self, forKey: Key("take")),
                    try? container.decode(String.self, forKey: Key("take"))
                ) {
                case (let number?, _): take = .number(number)
                case (_, "last"): take = .last
                case (_, "all"): take = .all
                default: throw Refusal("‘take’ is the number of a take, \"last\" or \"all\".")
                }
            }
            if container.contains(Key("speed")) {
                guard let number = try? container.decode(Double.self, forKey: Key("speed")),
                    TakeSettings.speeds.contains(number), let exact = Rational(number)
                else { throw Refusal("‘speed’ is 0.01 to 100.") }
                start.speed = exact
            }
            if container.contains(Key("replace")) {
                guard let number = try? container.decode(Int.self, forKey: Key("replace")) else {
                    throw Refusal("‘replace’ is the number of a take.")
                }
                start.replaces = number
            }
            if container.contains(Key("volume")) {
                guard let number = try? container.decode(Double.self, forKey: Key("volume")),
                    TakeSettings.volumes.contains(number)
                else { throw Refusal("‘volume’ is 0 to 100.") }
                start.volume = number
            }
            if container.contains(Key("file")) {
                guard let name = try? container.decode(String.self, forKey: Key("file")), !name.isEmpty else {
                    throw Refusal("‘file’ is the path of a file.")
                }
                let path = absolutePath(name, in: FileManager.default.currentDirectoryPath)
                (file, background) = (path, Background(path: path))
                background?.volume = start.volume ?? 1
            }
            if container.contains(Key("range")) {
                guard let numbers = try? container.decode([Double].self, forKey: Key("range")),
                    let range = Self.range(numbers)
                else { throw Refusal("‘range’ is a list of the start and the duration in seconds.") }
                background?.range = range
            }
            if container.contains(Key("loop")) {
                guard let loops = try? container.decode(Bool.self, forKey: Key("loop")) else {
                    throw Refusal("‘loop’ is true or false.")
                }
                background?.loops = loops
            }
        }

        /// - Parameter numbers: start and duration in seconds.
        private static func range(_ numbers: [Double]) -> TimeRange? {
            guard numbers.count == 2, let start = Time(seconds: numbers[0]), start >= .zero,
                let duration = Time(seconds: numbers[1]), duration > .zero, start + duration <= .longest
            else { return nil }
            return TimeRange(start: start, duration: duration)
        }
    }

    // MARK: Events

    /// The line of an event.
    /// - Parameter folder: of the takes.
    package static func line(_ notice: Recording.Notice, _ recording: Recording, folder: String) -> String {
        func event(_ name: String, _ fields: (String, JSONLine.Field)...) -> String {
            JSONLine([("event", .text(name))] + fields).text
        }
        switch notice {
        case .ready: return event("ready")
        case .started(let take): return event("started", ("take", .integer(take)))
        case .paused(let take): return event("paused", ("take", .integer(take)))
        case .resumed(let take): return event("resumed", ("take", .integer(take)))
        case .finished(let take): return line("finished", take, recording, folder)
        case .recovered(let take): return line("recovered", take, recording, folder)
        case .discarded(let takes):
            return event("discarded", ("takes", .integers(takes)), ("total", .number(recording.takes.duration.seconds)))
        case .restored(let takes):
            return event("restored", ("takes", .integers(takes)), ("total", .number(recording.takes.duration.seconds)))
        case .limit(let limit): return event("limit", ("limit", .text(limit.rawValue)))
        case .photo(let path): return event("photo", ("file", .text(path)))
        case .background(let background):
            return event("background", ("file", background.map { .text($0.path) } ?? .null))
        case .lost(let text): return event("device-lost", ("message", .text(text)))
        case .warning(let text): return event("warning", ("message", .text(text)))
        case .refused(let text): return event("refused", ("message", .text(text)))
        case .failed(let text): return event("failed", ("message", .text(text)))
        }
    }

    private static func line(_ name: String, _ take: Take, _ recording: Recording, _ folder: String) -> String {
        let file = take.kept
        let path = folder + "/" + (file?.name ?? take.fileName)
        let second: [(String, JSONLine.Field)] =
            file?.second == nil ? [] : [("second", .text(Take.second(of: path)))]
        return JSONLine(
            [
                ("event", .text(name)), ("take", .integer(take.number)), ("file", .text(path)),
                ("duration", .number(file?.duration.seconds ?? 0)), ("size", .integer(Int(file?.size ?? 0))),
                ("speed", .number(take.settings.speed.doubleValue)), ("volume", .number(take.settings.volume)),
                ("total", .number(recording.takes.duration.seconds)),
            ] + second
        ).text
    }

    /// The line of a part's progress.
    package static func line(_ progress: PartProgress, _ recording: Recording) -> String {
        let current = recording.current
        return JSONLine([
            ("event", .text("progress")), ("take", current.map { .integer($0.number) } ?? .null),
            ("duration", .number(current?.duration.seconds ?? 0)), ("total", .number(recording.total.seconds)),
            ("size", .integer(Int(current?.size ?? 0))), ("frames", .integer(progress.frames)),
            ("lost", .integer(progress.lost)), ("free", progress.free.map { .integer(Int($0)) } ?? .null),
            ("level", progress.level.map { .number($0) } ?? .null),
        ]).text
    }

    /// The last line.
    package static func line(_ takes: TakeList) -> String {
        JSONLine([
            ("event", .text("closed")), ("takes", .integers(takes.kept.map(\.number))),
            ("total", .number(takes.duration.seconds)),
        ]).text
    }

    /// The line of a command that could not be read.
    package static func line(_ refusal: Refusal) -> String {
        JSONLine([("event", .text("refused")), ("message", .text(refusal.sentence))]).text
    }
}
