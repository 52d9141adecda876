import ArgumentParser
import Composition
import Draft
import Foundation

struct PluginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugin", abstract: "Look at effect plugins.", subcommands: [List.self, Info.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the effects of all plugins on the search path.")
        @OptionGroup var farm: FarmOptions

        func run() async throws {
            try await withSession(farm) { session in
                let found = try await session.inspectPlugins()
                for effect in found.effects.sorted(by: { $0.id < $1.id }) {
                    Console.say("\(effect.id)  \(effect.kind.rawValue)  \(effect.version)  \(effect.name)")
                }
                for problem in found.problems { Console.complain("warning: \(problem)") }
                if found.effects.isEmpty { Console.complain("there are no plugins in \(session.pluginPaths.joined(separator: ", "))") }
            }
        }
    }

    struct Info: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Describe an effect and its parameters.")
        @Argument(help: "The effect's id, e.g. org.cutroom.vignette.")
        var id: String
        @Flag(help: "As JSON.")
        var json = false
        @OptionGroup var farm: FarmOptions

        func run() async throws {
            let (id, json) = (id, json)
            try await withSession(farm) { session in
                let effects = try await session.inspectPlugins().effects
                guard let effect = effects.first(where: { $0.id == id }) else {
                    throw HostError(.data, sentence("No plugin has an effect ‘\(id)’\(suggestion(for: id, in: effects.map(\.id)))"))
                }
                if json {
                    Console.say(prettyJSON(effect, snakeCase: true))
                } else {
                    Console.say(effect.forPeople)
                }
            }
        }
    }
}

extension EffectDescriptor {
    var forPeople: String {
        var lines = ["\(id) \(version): \(name) (\(kind.rawValue), \(state.rawValue))", help, "by \(vendor), \(license)", path]
        if !parameters.isEmpty { lines.append("parameters:") }
        for parameter in parameters {
            var line = "  \(parameter.id): \(parameter.kind.rawValue)"
            switch parameter.kind {
            case .enum: line += " (\(parameter.choices.joined(separator: ", ")))"
            case .double where parameter.minimum < parameter.maximum, .int where parameter.minimum < parameter.maximum:
                line += " \(parameter.minimum) … \(parameter.maximum)"
            default: break
            }
            if !parameter.unit.isEmpty { line += " \(parameter.unit)" }
            let initial = parameter.kind.componentCount == 0
                ? "‘\(parameter.initialText)’"
                : parameter.initial.prefix(parameter.kind.componentCount).map { "\($0)" }.joined(separator: ", ")
            line += ", default \(initial)"
            if !parameter.help.isEmpty { line += ": \(parameter.help)" }
            lines.append(line)
        }
        return lines.filter { !$0.isEmpty }.joined(separator: "\n")
    }
}
