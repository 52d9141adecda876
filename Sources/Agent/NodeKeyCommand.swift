import ArgumentParser
import Farm
import FoundationEssentials
import Glibc

/// The command `cutroom-worker --new-key`, which makes a key on a machine that has only the
/// worker's package.
struct NodeKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cutroom-worker", abstract: "Creates a node's key, as ‘cutroom farm keys new’ does.")

    static let _errorPrefix = AgentCommand._errorPrefix

    @Option(help: ArgumentHelp("The node's name: letters, digits, ‘-’, ‘_’ and ‘.’.", valueName: "name"))
    var newKey: String

    func run() throws {
        let (secret, open) = try FarmKeys().create(newKey, role: .node)
        AgentCommand.print(open, to: STDOUT_FILENO)
        AgentCommand.print(
            "the secret key is \(secret), and stays here; on the server: cutroom farm keys allow \(newKey).pub",
            to: STDERR_FILENO)
    }

    /// Returns whether a command line is meant for this command.
    static func isMeant(_ words: [String]) -> Bool {
        words.contains { $0 == "--new-key" || $0.hasPrefix("--new-key=") }
    }
}
