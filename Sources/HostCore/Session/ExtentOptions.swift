import ArgumentParser
import Composition
import Delivery
import Draft
import Values

/// The options for the rendered range and size: for a look at a part, or for a preview.
package struct ExtentOptions: ParsableArguments {
    package init() {}

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Render only this part of the timeline, in seconds or as 1:02.5, instead of the draft's time_range.",
            valueName: "start,duration"))
    package var range: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Scale the output's width and height by this factor, more than 0 and at most 1; the composition stays the same.",
            valueName: "factor"))
    package var scale: Double?

    package func validate() throws {
        if let range, Self.range(range) == nil {
            throw ValidationError(
                "‘--range \(range)’ must be a start of at least 0 and a duration of more than 0, in seconds or as 1:02.5, with a comma between them, as in ‘--range 2,1.5’."
            )
        }
        if let scale, !(scale > 0 && scale <= 1) {
            throw ValidationError("‘--scale’ is \(scale), but must be more than 0 and at most 1.")
        }
    }

    /// Checks the options independently of a script.
    package func check(in container: ExportSettings.Container?) throws(HostError) {
        guard scale != nil, let container, container.isSoundOnly else { return }
        throw HostError(
            .usage,
            "‘--scale’ does not apply to ‘.\(container.rawValue)’, which holds sound only; leave it out, or choose another kind of file."
        )
    }

    /// Replaces a draft's own range.
    package func restrict(_ draft: inout Draft, _ catalog: Catalog) throws(HostError) {
        guard let text = range, let wished = Self.range(text) else { return }
        draft.timeRange = nil
        // If the draft is invalid, the plan reports it.
        guard let timeline = try? Timeline(draft, catalog: catalog) else { return }
        let whole = TimeRange(start: .zero, duration: timeline.duration)
        guard let part = wished.intersection(whole) else {
            throw HostError(
                .usage,
                "‘--range \(text)’ does not lie on the timeline, which is \(timeline.duration.forPeople) s long.")
        }
        draft.timeRange = part
        if part != wished {
            Console.warn("‘--range \(text)’ reaches past the end at \(whole.end.forPeople) s; \(part) is rendered")
        }
    }

    /// Returns the plan with pictures of the requested size.
    package func scaled(_ plan: RenderPlan) throws(HostError) -> RenderPlan {
        guard let scale else { return plan }
        do throws(Problems) {
            return try plan.scaled(by: scale)
        } catch {
            throw HostError(.usage, error.all.map { sentence("‘--scale \(scale)’: \($0.message)") })
        }
    }

    // MARK: Parsing

    private static func range(_ text: String) -> TimeRange? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, let start = time(parts[0]), let duration = time(parts[1]), duration > .zero else {
            return nil
        }
        return TimeRange(start: start, duration: duration)
    }

    /// Parses seconds, `minutes:seconds` or `hours:minutes:seconds`, none of them negative.
    package static func time(_ text: Substring) -> Time? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count), let last = parts.last, let seconds = Double(last), seconds >= 0 else {
            return nil
        }
        if parts.count > 1, seconds >= 60 { return nil }
        var whole = 0.0
        for part in parts.dropLast() {
            guard !part.isEmpty, part.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Double(part) else {
                return nil
            }
            whole = whole * 60 + number
        }
        return Time(seconds: whole * 60 + seconds)
    }
}
