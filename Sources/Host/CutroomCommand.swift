import ArgumentParser
import Composition
import Draft

@main
struct CutroomCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cutroom",
        abstract: "A headless, scriptable video editor.",
        discussion: """
            A Lua script builds a draft; workers render it. Start with ‘cutroom render edit.lua -o edit.mp4’.
            """,
        version: "cutroom \(Engine.version)",
        subcommands: [
            RenderCommand.self, CheckCommand.self, PlanCommand.self, SaveCommand.self, ParamsCommand.self,
            ProbeCommand.self,
            SnapshotsCommand.self, CoverCommand.self, PluginCommand.self, CacheCommand.self,
        ])

    static func main() async {
        if let problem = unknownCommand(CommandLine.arguments.dropFirst()) {
            exit(withError: ValidationError(problem))
        }
        await main(nil)
    }

    /// What is wrong with the command's name; nil where nothing is. The parser does not say which one was meant.
    private static func unknownCommand(_ words: some Sequence<String>) -> String? {
        var command: any ParsableCommand.Type = Self.self
        for word in words {
            let configuration = command.configuration
            let names = configuration.subcommands.map { $0._commandName }
            guard !names.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
            guard let index = names.firstIndex(of: word) else {
                guard configuration.defaultSubcommand == nil else { return nil }
                return sentence("There is no command ‘\(word)’\(suggestion(for: word, in: names))")
            }
            command = configuration.subcommands[index]
        }
        return nil
    }
}
