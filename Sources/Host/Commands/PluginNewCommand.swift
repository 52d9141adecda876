import ArgumentParser
import Foundation
import HostCore
import Values

extension PluginCommand {
    struct New: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a plugin: a folder with a working effect, to build with make.")

        @Argument(
            help: ArgumentHelp(
                "The folder to create; its last component is the name of the plugin.", valueName: "name"),
            completion: .directory)
        var name: String
        @Option(help: "The language: c, cpp or swift.")
        var lang: PluginProject.Language
        @Option(help: "The kind: filter, transition, source, audio-filter or analyser.")
        var kind: PluginProject.Kind = .filter
        @Option(
            help: ArgumentHelp(
                "The id of the effect, a reverse domain name. Default: org.example. and the name.", valueName: "id"))
        var id: String?
        @OptionGroup(title: "Messages") var messages: MessageOptions

        func run() async throws {
            try await reportingErrors(verbose: messages.verbose) {
                let here = FileManager.default.currentDirectoryPath
                let project = try PluginProject(
                    folder: absolutePath(name, in: here), language: lang, kind: kind, id: id)
                try project.write()
                let library =
                    project.library.hasPrefix(here + "/")
                    ? String(project.library.dropFirst(here.count + 1)) : project.library
                Console.say(
                    """
                    \(name): a plugin in \(lang.name) with the \(kind.rawValue) \(project.id)
                    Build it:  make -C \(name)
                    Test it:   cutroom plugin check \(library)
                    Then:      \(name)/README.md
                    """)
            }
        }
    }
}

extension PluginProject.Language: ExpressibleByArgument {}
extension PluginProject.Kind: ExpressibleByArgument {}
