import ArgumentParser
import Cleanup
import Composition
import Foundation
import HostCore
import Messaging

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
            RenderCommand.self, EditCommand.self, RecordCommand.self, CheckCommand.self, WhyCommand.self,
            PlanCommand.self,
            SaveCommand.self,
            ParamsCommand.self, SchemaCommand.self,
            ProbeCommand.self, SubmitCommand.self, ServeCommand.self, JobsCommand.self,
            WorkersCommand.self,
            SnapshotsCommand.self, CoverCommand.self, PluginCommand.self, CacheCommand.self, FarmCommand.self,
        ])

    /// The prefix that the parser puts before errors, as all other messages have it.
    static let _errorPrefix = "cutroom: "

    /// Runs on the main thread until the machine's limits are known: a process that cannot create
    /// threads would wait for one forever.
    @MainActor static func main() async {
        // Workers and temporary files go with a process whose service is gone.
        ServiceFailures.setEnding { CleanupRegistry.shared.endProcess($0) }
        do {
            let words = Array(CommandLine.arguments.dropFirst())
            if !CommandMistake.asksForHelp(words) { try ResourceLimits.check() }
            if let mistake = CommandMistake.unknownCommand(words) ?? CommandMistake.foreignOption(words) {
                end(with: mistake)
            }
            var command = try parseAsRoot(words)
            if let asynchronous = command as? any AsyncParsableCommand {
                // Nothing else refers to it.
                nonisolated(unsafe) var asynchronous = asynchronous
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let error as HostError {
            Console.complain(error, verbose: false)
            Foundation.exit(error.code.exitCode)
        } catch {
            end(with: error)
        }
    }

    private static func end(with error: any Error) -> Never {
        guard !(error is ExitCode), exitCode(for: error) == .validationFailure else {
            if let completions = BashCompletion.whole(fullMessage(for: error)) {
                Console.say(completions)
                Foundation.exit(0)
            }
            exit(withError: error)
        }
        end(with: CommandMistake(error))
    }

    private static func end(with mistake: CommandMistake) -> Never {
        mistake.tell()
        Foundation.exit(HostError.Code.usage.exitCode)
    }
}
