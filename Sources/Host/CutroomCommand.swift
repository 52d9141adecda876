import ArgumentParser
import Composition

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
            RenderCommand.self, CheckCommand.self, PlanCommand.self, SaveCommand.self, ProbeCommand.self,
            SnapshotsCommand.self, CoverCommand.self, PluginCommand.self, CacheCommand.self,
        ])
}
