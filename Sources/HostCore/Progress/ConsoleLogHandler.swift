import Foundation
import Logging

/// Prints log lines on standard error: for people, or one JSON object per line. Warnings and errors
/// look like those of any command.
struct ConsoleLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info
    let isJSON: Bool

    init(isJSON: Bool) { self.isJSON = isJSON }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, new in new }.sorted { $0.key < $1.key }
        if isJSON {
            Console.note(
                Console.json(event.level, event.message.description, all.map { ($0.key, .text("\($0.value)")) }))
        } else {
            let tail = all.isEmpty ? "" : "  (" + all.map { "\($0.key) \($0.value)" }.joined(separator: ", ") + ")"
            Console.note(
                event.message.description + tail,
                after: event.level >= .warning
                    ? Console.mark(event.level) : Paint.error(event.level, "\(event.level.rawValue):") + " ")
        }
    }
}
