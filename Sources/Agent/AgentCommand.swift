import ArgumentParser
import Cleanup
import Farm
import Files
import FoundationEssentials
import Glibc
import Logging
import Messaging

/// The command line of a farm's node, `cutroom-worker --connect`.
package struct AgentCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "cutroom-worker", abstract: "Works for a farm: renders parts of other machines' videos.",
        discussion: """
            ‘cutroom’ starts workers on its own machine by itself; this is for other machines, the nodes of a farm. For example:

              cutroom-worker --connect tcp://farm:7700 --name n3 --server-key server.pub

            A node needs a key of its own (‘cutroom-worker --new-key n3’), which the server allows (‘cutroom farm keys allow n3.pub’), \
            and the server's public key. Media, plugins, the cache and outputs must lie on shared storage, with the same paths on all machines or where \
            ‘--map’ says; with ‘--no-shared-storage’ they are fetched and sent. All must have the same version of Cutroom.

            SIGTERM or Ctrl-C once: what runs is finished, or given back after ‘--drain-seconds’. Twice: it ends at once, and others do the work. \
            Where the server is not there, the node waits for it.
            """)

    /// The prefix that the parser puts before its error messages.
    package static let _errorPrefix = "cutroom-worker: "

    @Option(help: ArgumentHelp("The farm's address: tcp://HOST:PORT.", valueName: "address"))
    var connect: String

    @Option(
        help: ArgumentHelp(
            "The node's name, which must be that of its key. Default: the key's name.", valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "The node's secret key. Default: ~/.config/cutroom/keys/NAME.key.", valueName: "file"),
        completion: .file())
    var key: String?

    @Option(help: ArgumentHelp("The server's public key (server.pub).", valueName: "file"), completion: .file())
    var serverKey: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number of jobs at a time. Default: the number of cores.", valueName: "number"))
    var slots: Int?

    @Option(
        help: ArgumentHelp(
            "Tags that jobs may require, such as ‘gpu’; separate several by commas.", valueName: "tags")
    )
    var tags: String?

    @Option(
        help: ArgumentHelp(
            "This machine's path of a folder that the server names with its own ‘--map’. Repeatable.",
            valueName: "name=folder"))
    var map: [String] = []

    @Flag(
        help:
            "The server's files are not on this machine: fetch what is under no ‘--map’, and send the results."
    )
    var noSharedStorage = false

    @Option(
        help: ArgumentHelp(
            "Disk space for fetched files in ~/.cache/cutroom/nodes/NAME, such as 500M or 20G.",
            valueName: "size"))
    var contentCache = "20G"

    @Option(
        help: ArgumentHelp(
            "Which plugins to fetch, as they are foreign programs: ‘none’, ‘allow’, or ‘pinned:FILE’ with a file of SHA-256 digests.",
            valueName: "policy"))
    var plugins = "none"

    @Option(
        help: ArgumentHelp(
            "The address for fetching files: tcp://HOST:PORT. Default: the farm's address with the port that it announces.",
            valueName: "address"))
    var content: String?

    @Option(
        help: ArgumentHelp(
            "The folder of results that the server has not acknowledged yet. Default: ~/.local/state/cutroom/nodes/NAME.",
            valueName: "folder"), completion: .directory)
    var spool: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long running jobs may continue when the node is told to leave.", valueName: "seconds")
    )
    var drainSeconds = 60

    @Flag(name: [.short, .long], help: "Print more messages.")
    var verbose = false

    private static let leastCache: Int64 = 1 << 20

    package init() {}

    package mutating func validate() throws {
        guard TCPAddress.isValid(connect) else {
            throw ValidationError("‘--connect’ is ‘\(connect)’, but must be an address such as tcp://farm:7700.")
        }
        if let slots, !(1...512).contains(slots) {
            throw ValidationError("‘--slots’ is \(slots), but must lie between 1 and 512.")
        }
        if !(0...86_400).contains(drainSeconds) {
            throw ValidationError("‘--drain-seconds’ is \(drainSeconds), but must lie between 0 and 86400.")
        }
        guard let size = ByteSize(contentCache), size.bytes >= Self.leastCache else {
            throw ValidationError(
                "‘--content-cache’ is ‘\(contentCache)’, but must be a size of at least 1M, such as 20G.")
        }
        do { _ = try PluginGate.Policy(plugins) } catch { throw ValidationError("\(error.description)") }
        if let content, !TCPAddress.isValid(content) {
            throw ValidationError("‘--content’ is ‘\(content)’, but must be an address such as tcp://farm:7702.")
        }
        do { _ = try PathRoots(map) } catch { throw ValidationError("\(error)") }
        if name == nil, key == nil { throw ValidationError("Give the node's ‘--name’, or its ‘--key’.") }
    }

    /// Runs the whole program.
    /// - Returns: the process's exit code.
    package static func main(
        _ words: [String], engine: String, workerPath: String,
        explainsFault: @escaping @Sendable (Data) -> String? = { _ in nil }
    ) -> Int32 {
        let kind: any ParsableCommand.Type = NodeKeyCommand.isMeant(words) ? NodeKeyCommand.self : AgentCommand.self
        var command: any ParsableCommand
        do {
            command = try kind.parseAsRoot(words)
            guard type(of: command) == kind else {
                // `--help` is parsed as a command, too.
                try command.run()
                return 0
            }
        } catch {
            let text = kind.fullMessage(for: error)
            let isHelp = kind.exitCode(for: error) == .success
            print(text, to: isHelp ? STDOUT_FILENO : STDERR_FILENO)
            return isHelp ? 0 : EX_USAGE
        }
        do {
            if let node = command as? AgentCommand { return try node.work(engine, workerPath, explainsFault) }
            try command.run()
            return 0
        } catch {
            print("cutroom-worker: \(error)", to: STDERR_FILENO)
            guard error is KeyFile.Problem else { return EX_UNAVAILABLE }
            return command is NodeKeyCommand ? EX_DATAERR : EX_NOINPUT
        }
    }

    private func work(
        _ engine: String, _ workerPath: String, _ explainsFault: @escaping @Sendable (Data) -> String?
    ) throws -> Int32 {
        ServiceFailures.setEnding { CleanupRegistry.shared.endProcess($0) }
        if let problem = ProcFolder.problem { throw NodeAgent.Problem(description: problem) }
        let own = try ownKey()
        let configuration = AgentConfiguration(
            endpoint: connect, name: own.name, key: own.pair, server: try publicKey(of: serverKey),
            slots: slots ?? Machine.cores,
            tags: (tags ?? "").split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty },
            roots: try PathRoots(map), storage: try storage(of: own.name),
            spool: spool ?? Self.state + "/cutroom/nodes/" + own.name, drainLimit: .seconds(drainSeconds),
            engine: engine,
            workerPath: workerPath, explainsFault: explainsFault, logger: logger)
        // Each slot needs a connection, and its worker some descriptors.
        _ = ProcessLimit(.openFiles).raised(to: 256 + UInt64(configuration.slots) * 16)
        for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
        let agent = try NodeAgent(configuration)
        let interrupts = Interrupts { [drain = agent.drain] _ in drain() }
        let end = agent.run()
        withExtendedLifetime(interrupts) {}
        if case .refused(let reason) = end {
            throw NodeAgent.Problem(description: "The farm at \(connect) refuses this node: \(reason).")
        }
        return 0
    }

    private func storage(of name: String) throws(NodeAgent.Problem) -> NodeStorage? {
        guard noSharedStorage else { return nil }
        return NodeStorage(
            folder: Self.folder("XDG_CACHE_HOME", "/.cache") + "/cutroom/nodes/" + name,
            bound: ByteSize(contentCache)?.bytes ?? 0, plugins: try PluginGate.Policy(plugins), address: content)
    }

    private func ownKey() throws(KeyFile.Problem) -> (name: String, pair: KeyPair) {
        if let name, let problem = KeyFile.problem(withName: name) { throw KeyFile.Problem(problem) }
        let path = key ?? "\(FarmKeys.ownFolder)/\(name ?? "").key"
        let file = try KeyFile(path: path)
        guard let pair = file.pair else {
            throw KeyFile.Problem("‘\(path)’ is a public key; the node needs its secret one, ‘\(file.name).key’.")
        }
        guard file.role == .node else {
            throw KeyFile.Problem("‘\(path)’ is the key of a \(file.role.rawValue), and not of a node.")
        }
        if let name, name != file.name {
            throw KeyFile.Problem("‘\(path)’ is the key of the node ‘\(file.name)’, and not of ‘\(name)’ (--name).")
        }
        return (file.name, pair)
    }

    private func publicKey(of path: String) throws(KeyFile.Problem) -> PublicKey {
        let file = try KeyFile(path: path)
        guard file.role == .server else {
            throw KeyFile.Problem(
                "‘\(path)’ is the key of a \(file.role.rawValue), and not of a server (--server-key).")
        }
        guard file.pair == nil else {
            throw KeyFile.Problem(
                "‘\(path)’ is the server's secret key, which stays there; a node gets the public one, ‘server.pub’.")
        }
        return file.publicKey
    }

    /// The user's state folder: `$XDG_STATE_HOME`, or else `~/.local/state`.
    private static var state: String { folder("XDG_STATE_HOME", "/.local/state") }

    private static func folder(_ wished: String, _ usual: String) -> String {
        func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        if let folder = variable(wished), folder.hasPrefix("/") { return folder }
        return (variable("HOME") ?? "") + usual
    }

    private var logger: Logger {
        var logger = Logger(label: "cutroom-worker") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = verbose ? .debug : .notice
        return logger
    }

    static func print(_ text: String, to descriptor: Int32) {
        writeAll((text + "\n").utf8, to: descriptor)
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
