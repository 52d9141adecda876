import ArgumentParser
import Cleanup
import Composition
import Foundation
import HostCore
import Jobs
import Values

extension PluginCommand {
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Test whether a plugin conforms to the plugin interface.",
            discussion: """
                Each test runs in its own process. The exit code is 0 if all tests pass, and 65 if one fails. \
                docs/plugins/check.md explains each test.
                """)

        @Argument(help: "The library, such as glow/glow.so.", completion: .file(extensions: ["so"]))
        var path: String
        @Option(help: ArgumentHelp("The seed of the test pictures and random values.", valueName: "number"))
        var seed: UInt64 = 1
        @Option(help: ArgumentHelp("Test only this effect.", valueName: "id"))
        var effect: String?
        @Option(help: ArgumentHelp("Run only this test; may be given several times.", valueName: "test"))
        var only: [PluginTest] = []
        @Option(help: ArgumentHelp("The time limit of each test.", valueName: "seconds"))
        var timeLimit: Double = 60
        @Flag(help: "Test whether effects could declare to be pure and deterministic.")
        var asPure = false
        @Flag(help: "Print JSON.")
        var json = false
        @OptionGroup(title: "Messages") var messages: MessageOptions

        func validate() throws {
            guard timeLimit > 0, timeLimit <= 86_400 else {
                throw ValidationError(
                    "‘--time-limit’ is \(timeLimit), but must be more than 0 and at most 86400 seconds.")
            }
        }

        func run() async throws {
            try await reportingErrors(verbose: messages.verbose) {
                let session = try PluginCheckSession(
                    .init(
                        path: try library, seed: seed, limit: timeLimit, effectID: effect, tests: only,
                        takesForPure: asPure))
                let interrupts = Interrupts { _ in session.cancel() }
                let report = try await session.run()
                withExtendedLifetime(interrupts) {}
                Console.say(json ? prettyJSON(report) : report.forPeople)
                if !report.isPassed { throw ExitCode(HostError.Code.data.exitCode) }
            }
        }

        private var library: String {
            get throws {
                let file = absolutePath(path, in: FileManager.default.currentDirectoryPath)
                var isFolder: ObjCBool = false
                guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder) else {
                    throw HostError(
                        .noInput,
                        "The file ‘\(path)’ does not exist; build the plugin, and give the path of its library.")
                }
                guard isFolder.boolValue else { return file }
                let name = (try? FileManager.default.contentsOfDirectory(atPath: file))?.sorted().first {
                    $0.hasSuffix(".so")
                }
                let hint =
                    name.map { "give the path of its library, ‘\(path)/\($0)’" }
                    ?? "build the plugin, and give the path of its library"
                throw HostError(.noInput, "‘\(path)’ is a folder; \(hint).")
            }
        }
    }
}

extension PluginTest: ExpressibleByArgument {}
