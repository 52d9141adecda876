import Foundation
import Glibc
import Logging
import Rendering

/// Shows progress: a bar with rate and remaining time on a terminal, JSON lines on request, or
/// nothing.
package final class ProgressReporter: @unchecked Sendable {
    package enum Style: String, CaseIterable, Sendable {
        case bar, json, none
    }

    private let style: Style
    private let lock = NSLock()
    private let started = ContinuousClock.now
    private var lastShown: ContinuousClock.Instant?
    /// The current stage, with its start and the progress at its start, because cached parts take
    /// no time.
    private var stage: (name: String, since: ContinuousClock.Instant, done: Int)?

    /// Makes a reporter.
    /// - Parameter style: nil for a bar if standard error is a terminal and not JSON, else nothing.
    package init(_ style: Style?) {
        self.style = style ?? (Console.isTerminal && !Console.isJSON ? .bar : .none)
    }

    /// Prints the last line: below the bar, or where there is none as a message of the log, which
    /// `--verbose` shows.
    package func finish(_ text: String, _ log: Logger) {
        if style == .bar { Console.note(text) } else { log.info("\(text)") }
    }

    package var seconds: Double { (ContinuousClock.now - started) / .seconds(1) }

    package func update(_ progress: RenderProgress) {
        lock.withLock {
            let now = ContinuousClock.now
            if stage?.name != progress.stage {
                stage = (progress.stage, now, progress.done)
                lastShown = nil
            }
            if let lastShown, now - lastShown < .milliseconds(100), progress.done < progress.total { return }
            lastShown = now
            switch style {
            case .bar: showBar(progress)
            case .json:
                Console.say(
                    JSONLine([
                        ("event", .text("progress")), ("stage", .text(progress.stage)),
                        ("done", .integer(progress.done)),
                        ("total", .integer(progress.total)), ("rate", rate(progress).map { .number($0) } ?? .null),
                        ("seconds_left", secondsLeft(progress).map { .number($0) } ?? .null),
                    ]).text)
            case .none: break
            }
        }
    }

    package func event(_ name: String, _ fields: [(String, JSONLine.Field)]) {
        guard style == .json else { return }
        lock.withLock { Console.say(JSONLine([("event", .text(name))] + fields).text) }
    }

    /// Removes the bar from the terminal, so that another message can be printed.
    package func clear() { Console.clearBar() }

    /// Returns the frames (samples) per second, without those that were cached.
    private func rate(_ progress: RenderProgress) -> Double? {
        guard let stage else { return nil }
        let (done, seconds) = (progress.done - stage.done, (ContinuousClock.now - stage.since) / .seconds(1))
        return done > 0 && seconds > 0.2 ? Double(done) / seconds : nil
    }

    private func secondsLeft(_ progress: RenderProgress) -> Double? {
        rate(progress).map { Double(progress.total - progress.done) / $0 }
    }

    private func showBar(_ progress: RenderProgress) {
        let fraction = progress.total > 0 ? Double(progress.done) / Double(progress.total) : 0
        var text = " \(Int(fraction * 100)) %"
        // Samples mean little to people, so sound is shown in seconds.
        if let samples = progress.sampleRate {
            text += "  \(Self.clock(Double(progress.total) / Double(samples)))"
            if let rate = rate(progress) { text += "  \(Int((rate / Double(samples)).rounded()))x" }
        } else {
            text += "  \(progress.done)/\(progress.total)"
            if let rate = rate(progress) { text += "  \(Int(rate.rounded())) fps" }
        }
        if let left = secondsLeft(progress), progress.done < progress.total { text += "  \(Self.clock(left)) left" }
        text += "  \(progress.stage)"
        let room = min(40, Console.width - text.count - 4)
        var bar = ""
        if room >= 8 {
            let filled = Int(fraction * Double(room))
            bar = "[" + String(repeating: "=", count: filled) + String(repeating: " ", count: room - filled) + "]"
        }
        // A bar that wraps could not be erased.
        Console.showBar(String((bar + text).prefix(max(1, Console.width - 1))))
    }

    /// Returns a time such as `1:05`.
    package static func clock(_ seconds: Double) -> String {
        let whole = Int(min(max(seconds, 0), 359_999).rounded(.up))
        let (minutes, rest) = (whole / 60, whole % 60)
        return "\(minutes):" + (rest < 10 ? "0" : "") + "\(rest)"
    }
}

/// One JSON object on one line, with its keys in the given order.
package struct JSONLine {
    package enum Field { case text(String), integer(Int), number(Double), bool(Bool), integers([Int]), null }

    package let text: String

    package init(_ fields: [(String, Field)]) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        func quoted(_ text: String) -> String {
            (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
        }
        let parts = fields.map { key, field in
            let value =
                switch field {
                case .text(let text): quoted(text)
                case .integer(let number): "\(number)"
                case .number(let number): number.isFinite ? "\((number * 1000).rounded() / 1000)" : "null"
                case .bool(let flag): "\(flag)"
                case .integers(let numbers): "[\(numbers.map(String.init).joined(separator: ","))]"
                case .null: "null"
                }
            return quoted(key) + ":" + value
        }
        text = "{" + parts.joined(separator: ",") + "}"
    }
}
