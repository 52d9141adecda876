import ArgumentParser
import Composition
import Draft
import Editor
import Foundation
import HostCore
import Values

struct WhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Explain the picture at a time: its clips, source times, effects and their values.")

    @OptionGroup var input: DraftInput
    @OptionGroup var moment: MomentOption
    @Flag(help: "Print JSON.")
    var json = false
    @OptionGroup(title: "Cache") var caching: CacheOptions
    @OptionGroup var farm: FarmOptions

    func run() async throws {
        let command = self
        try await withSession(farm) { session in
            let time = command.moment.time
            var draft = try await command.input.load(session, command.caching)
            draft.timeRange = nil
            let plan = try SnapshotPlan(draft, catalog: session.catalog, whole: true)
            let rate = plan.composition.frameRate
            let frame = try plan.checkedFrame(at: time)
            let timeline = try Timeline(draft, catalog: session.catalog)
            let explanation = Explanation(frame: frame, rate: rate, of: draft, timeline)
            let report = ExplanationReport(explanation, frame: frame, rate: rate)
            Console.say(command.json ? prettyJSON(report, snakeCase: true) : report.forPeople(rate))
        }
    }
}

extension ExplanationReport {
    /// Returns a line for the frame, then one for each object, with its values below.
    fileprivate func forPeople(_ rate: Rational) -> String {
        let (end, middle) = (Time(frame: frame + 1, rate: rate), Time(middleOfFrame: frame, rate: rate))
        var lines = [
            "frame \(frame) (the first one is 0), shown from \(text(time)) s to \(text(end.seconds)) s; clips show the source at "
                + "its middle, \(text(middle.seconds)) s; effects and keyframes have the values of its start"
        ]
        func place(_ script: String?, _ line: Int?) -> String {
            script.map { "  (\($0)\(line.map { ":\($0)" } ?? ""))" } ?? ""
        }
        func add(_ values: [String: Numbers]) {
            for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                lines.append("    \(name) = \(value.numbers.map(text).joined(separator: ", "))")
            }
        }
        for clip in clips {
            let source = clip.sourceTime.map { " at \(text($0)) s" } ?? ""
            let speed = clip.speed == 1 ? "" : ", speed \(text(clip.speed))"
            lines.append(
                "\(clip.label): \(clip.file ?? "made, not read")\(source)\(speed)\(place(clip.script, clip.line))")
            add(clip.values)
        }
        for effect in effects {
            lines.append("\(effect.item): \(effect.name) at \(text(effect.time)) s\(place(effect.script, effect.line))")
            add(effect.values)
        }
        return lines.joined(separator: "\n")
    }

    private func text(_ number: Double) -> String { Value.number((number * 10_000).rounded() / 10_000).forPeople }
}
