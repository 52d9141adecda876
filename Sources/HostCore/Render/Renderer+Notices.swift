import Farm
import Logging
import Messaging
import Rendering
import Values

/// Shows a render on the console.
package struct ConsoleWatcher: RenderWatcher {
    package let reporter: ProgressReporter
    package let log: Logger
    /// The names of files in messages.
    package let names: PathNames

    package init(reporter: ProgressReporter, log: Logger, names: PathNames) {
        self.reporter = reporter
        self.log = log
        self.names = names
    }

    package func update(_ progress: RenderProgress) { reporter.update(progress) }

    package func tell(_ notice: Notice) {
        switch notice {
        case .damaged, .missesBitRate: log.warning("\(notice.text)")
        case .missesLoudness:
            reporter.clear()
            Console.warn(notice.text)
        case .damagedMedia(let media):
            reporter.clear()
            var finding = Finding(notice.text).naming(names)
            finding.origin = Origin(file: names.applied(to: media.path), line: nil)
            Console.warn(finding)
            reporter.event("damaged", media.fields)
        case .detour(let detour):
            reporter.clear()
            Console.warn(notice.text)
            reporter.event("skipped", detour.fields)
        }
    }
}

extension Detour {
    /// The fields for programs.
    fileprivate var fields: [(String, JSONLine.Field)] {
        let place: [(String, JSONLine.Field)] =
            switch stretch {
            case .frames(let first, let count, _):
                [
                    ("frame", culprit.frame.map { .integer($0) } ?? .null), ("first_frame", .integer(first)),
                    ("frames", .integer(count)),
                ]
            case .sound(_, _):
                [
                    ("first_sample", .integer(stretch.samples?.lowerBound ?? 0)),
                    ("samples", .integer(stretch.samples?.count ?? 0)),
                ]
            }
        return [("effect", .text(culprit.effectID)), ("plugin", .text(culprit.library))] + place
            + [("message", .text(reason))]
    }
}

extension DamagedMedia {
    /// The fields for programs: times in seconds, null for a still picture.
    fileprivate var fields: [(String, JSONLine.Field)] {
        [
            ("file", .text(path)), ("stream", .text(isSound ? "sound" : "picture")),
            ("start", stretch.map { .number($0.start.seconds) } ?? .null),
            ("end", stretch.map { .number($0.end.seconds) } ?? .null), ("others", .integer(others)),
        ]
    }
}

extension RenderFailure {
    init(_ error: HostError) {
        let cause: Cause =
            switch error.code {
            case .data: .input
            case .unavailable: .noWorkers
            case .inputOutput: .machine
            case .cannotCreate: .output
            case .interrupted: .stopped
            default: .software
            }
        self.init(cause, error.message, details: error.details, culprit: error.culprit)
    }

    init(_ error: QueueError) { self.init(HostError(error)) }
}

extension Culprit {
    init(_ blame: PluginBlame) {
        self.init(library: blame.path, effectID: blame.effectID, frame: blame.frame, reason: blame.reason)
    }
}
