import ArgumentParser
import Foundation
import HostCore
import Scripting
import Values

struct ParamsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "params", abstract: "List the parameters that a script declares.",
        discussion: """
            The script runs, because it may compute its declarations. If it stops early, for example because a value is missing, the remaining
            parameters are unknown, and a note says so.
            """)

    @OptionGroup var input: DraftInput
    @Flag(help: "Print a JSON Schema of an object with a value for each parameter.")
    var json = false
    @OptionGroup var farm: FarmOptions

    func run() async throws {
        let (input, json) = (input, json)
        try await withSession(farm) { session in
            let description = try await input.describe(session)
            let name = (input.name as NSString).lastPathComponent
            Console.write(json ? description.schema(title: name).json : description.forPeople, to: 1)
            if let end = description.end {
                Console.warn("parameters declared after this place are not listed: \(sentence("\(end)"))")
            } else if description.parameters.isEmpty {
                Console.warn("‘\(input.name)’ declares no parameters")
            }
        }
    }
}

extension DraftInput {
    /// Describes the script's parameters.
    fileprivate func describe(_ session: HostSession) async throws -> ScriptDescription {
        let (file, text) = try script()
        let result: Result<ScriptDescription, any Error>
        do {
            result = .success(
                try await withScript(session, nil) { (values, run, environment) throws(ScriptError) in
                    try Script.describe(
                        path: file, text: text, parameters: values, limits: run.limits, clock: run.clock,
                        environment: environment)
                })
        } catch {
            result = .failure(error)
        }
        try Task.checkCancellation()
        if let failure = session.failure { throw failure }
        return try result.get()
    }
}

extension ScriptDescription {
    /// A line for each parameter: its name, its type, its default and its description.
    fileprivate var forPeople: String {
        let rows = parameters.map { [$0.name, $0.typeForPeople, $0.defaultForPeople, $0.help] }
        let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { index, cell in
                index < widths.count ? cell.padding(toLength: widths[index], withPad: " ", startingAt: 0) : cell
            }
            return cells.joined(separator: "  ").trimmingCharacters(in: .whitespaces) + "\n"
        }.joined()
    }
}

extension ScriptParameter {
    /// `integer, 1 … 10`, `list of paths`, `string: left, right`.
    fileprivate var typeForPeople: String {
        var text = isList ? "list of \(kind.rawValue)s" : kind.rawValue
        func number(_ value: Double) -> String { Value.number(value).forPeople }
        if !choices.isEmpty { text += ": " + choices.map { $0.plainText }.joined(separator: ", ") }
        switch (minimum, maximum) {
        case (let low?, let high?): text += ", \(number(low)) … \(number(high))"
        case (let low?, nil): text += ", from \(number(low))"
        case (nil, let high?): text += ", to \(number(high))"
        case (nil, nil): break
        }
        return text
    }

    fileprivate var defaultForPeople: String {
        switch initial {
        case .null: "needed"
        case .array([]): "{}"
        case .array(let items): "{ " + items.map { $0.quotedText }.joined(separator: ", ") + " }"
        default: initial.quotedText
        }
    }
}

extension Value {
    fileprivate var plainText: String { if case .string(let text) = self { text } else { forPeople } }
    fileprivate var quotedText: String { if case .string(let text) = self { "\"\(text)\"" } else { forPeople } }
}
