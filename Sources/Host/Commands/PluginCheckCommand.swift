import ArgumentParser
import Cleanup
import Composition
import Draft
import Foundation
import HostCore
import Jobs

extension PluginCommand {
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Test whether a plugin keeps to the interface.",
            discussion: """
                Each test runs in a process of its own. The exit code is 0 when all pass, and 65 when one fails. \
                docs/plugins.md says what each test looks for.
                """)

        @Argument(help: "The library, such as glow/glow.so.", completion: .file(extensions: ["so"]))
        var path: String
        @Option(help: ArgumentHelp("What pictures and random values follow from.", valueName: "number"))
        var seed: UInt64 = 1
        @Option(help: ArgumentHelp("Test this effect alone.", valueName: "id"))
        var effect: String?
        @Option(help: ArgumentHelp("Run this test alone; may be given several times.", valueName: "test"))
        var only: [PluginTest] = []
        @Option(help: ArgumentHelp("Give up on a test after this long.", valueName: "seconds"))
        var timeLimit: Double = 60
        @Flag(help: "Test effects as if they declared to be pure and deterministic: would that hold?")
        var asPure = false
        @Flag(help: "As JSON.")
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
                    throw HostError(.noInput, "There is no file ‘\(path)’; build the plugin, and name its library.")
                }
                guard isFolder.boolValue else { return file }
                let name = (try? FileManager.default.contentsOfDirectory(atPath: file))?.sorted().first {
                    $0.hasSuffix(".so")
                }
                let hint = name.map { "name its library, ‘\(path)/\($0)’" } ?? "build the plugin, and name its library"
                throw HostError(.noInput, "‘\(path)’ is a folder; \(hint).")
            }
        }
    }
}

extension PluginTest: ExpressibleByArgument {}
