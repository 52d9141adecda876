import ArgumentParser
import Composition
import Draft
import HostCore
import Values

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "List every problem of a script or draft, with file and line.")

    @OptionGroup var input: DraftInput
    @Flag(help: "Print the result, with problems and warnings, as JSON to standard output.")
    var json = false
    @OptionGroup(title: "Cache") var caching: CacheOptions
    @OptionGroup var farm: FarmOptions

    func run() async throws {
        let (input, caching, json) = (input, caching, json)
        try await withSession(farm) { session in
            do {
                let report = try await Self.check(input, caching, session)
                if json { Console.say(prettyJSON(report, snakeCase: true)) }
                if !json { for warning in report.warnings { Console.warn(warning) } }
                guard report.problems.isEmpty else {
                    throw json ? ExitCode(HostError.Code.data.exitCode) : HostError(.data, report.problems)
                }
                if !json { Console.say(report.forPeople(input.name)) }
            } catch let error as ExitCode {
                throw error
            } catch {
                let error = HostError(error)
                // Errors in the command line, or of the machine, are not findings about the draft.
                guard json, error.code == .data else { throw error }
                Console.say(prettyJSON(CheckReport(problems: error.findings), snakeCase: true))
                throw ExitCode(error.code.exitCode)
            }
        }
    }

    /// Checks a draft.
    /// - Throws: if there is no draft.
    private static func check(_ input: DraftInput, _ caching: CacheOptions, _ session: HostSession) async throws
        -> CheckReport
    {
        let draft = try await input.load(session, caching)
        var problems = draft.validate(session.catalog)
        if problems.isEmpty { problems = try await session.refusals(of: draft) }
        let warnings = try await session.warnings(of: draft, in: draft.export.usualContainer).map { Finding($0) }
        guard problems.isEmpty else {
            return CheckReport(problems: HostError(Problems(problems)).findings, warnings: warnings)
        }
        let timeline = try Timeline(draft, catalog: session.catalog)
        return CheckReport(
            warnings: warnings,
            draft: CheckReport.Summary(
                duration: timeline.rendered.duration.seconds, width: timeline.size.width, height: timeline.size.height,
                frameRate: "\(timeline.frameRate)", color: draft.canvas.color.rawValue, clips: draft.clips.count))
    }
}

/// The findings of ``CheckCommand``.
private struct CheckReport: Encodable, Sendable {
    var problems: [Finding] = []
    var warnings: [Finding] = []
    /// nil if there are problems.
    var draft: Summary?

    struct Summary: Encodable, Sendable {
        /// In seconds.
        var duration: Double
        var width: Int
        var height: Int
        /// A fraction if it is not an integer.
        var frameRate: String
        var color: String
        var clips: Int
    }

    func forPeople(_ name: String) -> String {
        guard let draft else { return "\(name): not a valid draft" }
        let color = ColorSystem(rawValue: draft.color).flatMap { $0.isHDR ? " in \($0.name)" : nil } ?? ""
        let rate = Rational(draft.frameRate)?.rateForPeople ?? draft.frameRate
        let duration = Time(seconds: draft.duration)?.forPeople ?? ""
        return
            "\(name): \(duration) s, \(Canvas.Size(width: draft.width, height: draft.height)) at \(rate) fps\(color), "
            + "\(counted(draft.clips, "clip", "clips")); \(result)"
    }

    private var result: String {
        warnings.isEmpty ? "no problems" : "\(counted(warnings.count, "warning", "warnings")), no errors"
    }
}
