import Foundation
import Logging

// Messages about a command's work, on standard error: a sentence after the program's name for
// people, or one JSON object per line.

extension Console {
    /// Whether `--log-format json` is set. It is looked up in the raw arguments, because errors in
    /// these are reported in that form, too.
    package static let isJSON = asksForJSON(CommandLine.arguments.dropFirst())

    static func asksForJSON(_ words: some Sequence<String>) -> Bool {
        var (isNext, isJSON) = (false, false)
        for word in words {
            if word == "--" { break }
            if isNext { isJSON = word == "json" }
            if word.hasPrefix("--log-format=") { isJSON = word == "--log-format=json" }
            isNext = word == "--log-format"
        }
        return isJSON
    }

    package static func inform(_ text: String) { tell(.info, Finding(text)) }
    package static func warn(_ text: String) { warn(Finding(text)) }
    package static func warn(_ finding: Finding) { tell(.warning, finding) }
    package static func complain(_ text: String) { tell(.error, Finding(text)) }

    /// Prints each error and, if verbose, the chain of causes.
    package static func complain(_ error: HostError, verbose: Bool) {
        for finding in error.findings {
            tell(.error, finding, [("exit_code", .integer(Int(error.code.exitCode)))])
        }
        guard verbose else { return }
        for line in error.details { tell(isJSON ? .debug : .error, Finding((isJSON ? "" : "  ") + line)) }
    }

    /// Prints a line that a script printed.
    package static func pass(_ line: String) {
        isJSON ? note(json(.info, line, [("source", .text("script"))])) : note(line)
    }

    private static func tell(
        _ level: Logger.Level, _ finding: Finding, _ more: [(String, JSONLine.Field)] = []
    ) {
        guard !isJSON else {
            let parts: [(String, JSONLine.Field?)] = [
                ("object", finding.object.map { .text($0) }), ("file", finding.origin.map { .text($0.file) }),
                ("line", finding.origin?.line.map { .integer($0) }),
            ]
            return note(json(level, finding.message, parts.compactMap { part in part.1.map { (part.0, $0) } } + more))
        }
        note(finding.text, after: mark(level))
    }

    /// Returns the prefix of a sentence for people: the program's name, and `warning` for a
    /// warning.
    static func mark(_ level: Logger.Level) -> String {
        "\(Paint.error(level, "cutroom:")) \(level == .warning ? Paint.error(level, "warning:") + " " : "")"
    }

    /// Returns one JSON object: the time, the level, the message, and further fields.
    package static func json(_ level: Logger.Level, _ message: String, _ more: [(String, JSONLine.Field)]) -> String {
        let fields: [(String, JSONLine.Field)] = [
            ("time", .text(Date().formatted(.iso8601))), ("level", .text(level.rawValue)), ("message", .text(message)),
        ]
        return JSONLine(fields + more).text
    }
}

/// Terminal colours, used if standard error is a terminal that has them and they are not switched
/// off (no-color.org).
enum Paint {
    private static let isWanted: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return Console.isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }()

    /// Returns a text for standard error in the colour of its level.
    static func error(_ level: Logger.Level, _ text: String) -> String {
        guard isWanted else { return text }
        switch level {
        case .error, .critical: return "\u{1b}[1;31m\(text)\u{1b}[0m"
        case .warning: return "\u{1b}[1;33m\(text)\u{1b}[0m"
        default: return "\u{1b}[1m\(text)\u{1b}[0m"
        }
    }
}
