import ArgumentParser
import Cleanup
import Farm
import Foundation
import Glibc
import HostCore
import Messaging
import Server
import ServerClient
import Slurm
import Synchronization

struct FarmSlurmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "slurm", abstract: "Start nodes as Slurm jobs, as many as there is work for.",
        discussion: """
            Submits nodes as Slurm jobs while jobs wait at the server, and lets nodes leave when there is no work. Runs until it is stopped. \
            The nodes then keep running, and are managed again when it is restarted (‘--drain’ ends them). For example:

              cutroom serve --workers 0 --listen tcp://0.0.0.0:7700 &
              cutroom farm slurm --max 32 --partition render --cpus-per-task 4 --time 8:00:00
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number of nodes to keep while there is no work.", valueName: "number"))
    var min = 0
    @Option(parsing: .unconditional, help: ArgumentHelp("The maximum number of nodes.", valueName: "number"))
    var max = 32
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long surplus nodes wait before they leave.", valueName: "seconds"))
    var coolDown = 120

    @Option(help: ArgumentHelp("The Slurm partition.", valueName: "name")) var partition: String?
    @Option(help: ArgumentHelp("The Slurm account to charge.", valueName: "name")) var account: String?
    @Option(help: ArgumentHelp("The Slurm quality of service.", valueName: "name")) var qos: String?
    @Option(help: ArgumentHelp("Features that a machine must have (a Slurm constraint).", valueName: "features"))
    var constraint: String?
    @Option(help: ArgumentHelp("The memory of a node, such as 4G.", valueName: "size")) var mem: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The cores of a node, which is also the number of jobs it runs at a time.", valueName: "number"))
    var cpusPerTask: Int?
    @Option(
        help: ArgumentHelp(
            "The time limit of a node, such as 90 (minutes) or 8:00:00. Some nodes get up to a quarter less, so that they do not all end together. Default: the partition's limit.",
            valueName: "time"))
    var time: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long before its end Slurm warns a node, which then finishes or returns its jobs.", valueName: "seconds"
        ))
    var warning = 30

    @Option(
        help: ArgumentHelp(
            "The address at which nodes reach the server: tcp://HOST:PORT. Default: the name of this machine, and the port that the server listens on.",
            valueName: "address"))
    var connect: String?
    @Option(
        help: ArgumentHelp(
            "The path of ‘cutroom-worker’ on the nodes. Default: the one next to this program.", valueName: "path"))
    var worker: String?
    @Option(
        help: ArgumentHelp("The tags that the nodes have and that some jobs need, such as ‘gpu’.", valueName: "tags"))
    var tags: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How often to poll Slurm and the server.", valueName: "seconds"))
    var interval = 10

    @Flag(help: "Print the batch script of a node, and exit.") var dryRun = false
    @Flag(help: "Let all nodes finish their jobs and leave, and exit after the last one.") var drain = false
    @OptionGroup var server: ServerFolderOptions
    @OptionGroup(title: "Messages") var messages: MessageOptions
    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("Further arguments for sbatch, after ‘--’.", valueName: "sbatch argument"))
    var more: [String] = []

    func validate() throws {
        func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws {
            guard !range.contains(value) else { return }
            throw ValidationError(
                "‘--\(name)’ is \(value), but must be between \(range.lowerBound) and \(range.upperBound).")
        }
        try check("max", max, 1...10_000)
        try check("min", min, 0...max)
        try check("cool-down", coolDown, 0...86_400)
        try check("warning", warning, 5...3600)
        try check("interval", interval, 1...600)
        if let cpusPerTask { try check("cpus-per-task", cpusPerTask, 1...512) }
        if let time, NodeResources.minutes(time) == nil {
            throw ValidationError(
                "‘--time’ is ‘\(time)’, but must be a time of at least a minute, such as 90 or 8:00:00.")
        }
        if let connect, !TCPAddress.isValid(connect) {
            throw ValidationError("‘--connect’ is ‘\(connect)’, but must be an address such as tcp://farm:7700.")
        }
        let texts = [
            ("partition", partition), ("account", account), ("qos", qos), ("constraint", constraint), ("mem", mem),
            ("tags", tags), ("worker", worker),
        ]
        for case (let name, let text?) in texts
        where text.isEmpty || text.unicodeScalars.contains(where: { $0.value < 0x20 }) {
            throw ValidationError("‘--\(name)’ is empty or has characters that are not allowed in a name.")
        }
    }

    func run() async throws {
        try await reportingErrors(verbose: messages.verbose) {
            let place = try server.place
            let pool = try SlurmPool(place)
            let options = try options(place)
            if dryRun { return Console.say(SlurmKeeper.script(pool.last + 1, options, pool).text) }
            try pool.shareServerKey()
            var keeper = SlurmKeeper(options, place, pool)
            if !drain { try keeper.check() }
            let isStopped = StopFlag()
            let interrupts = Interrupts { _ in isStopped.raise() }
            try keeper.run { isStopped.isRaised }
            withExtendedLifetime(interrupts) {}
            if isStopped.isRaised {
                Console.inform("the nodes keep running; ‘cutroom farm slurm --drain’ makes them leave")
            }
        }
    }

    private func options(_ place: ServerPlace) throws -> SlurmKeeper.Options {
        var resources = NodeResources()
        (resources.partition, resources.account, resources.qos) = (partition, account, qos)
        (resources.constraint, resources.memory, resources.cpusPerTask) = (constraint, mem, cpusPerTask)
        (resources.warning, resources.more) = (warning, more)
        var policy = Scaler.Policy(
            least: drain ? 0 : min, most: drain ? 0 : max, slotsPerNode: cpusPerTask ?? 1,
            coolDown: drain ? .zero : .seconds(coolDown))
        policy.lastMoments = .seconds(warning + 60)
        let path = worker.map { absolutePath($0) } ?? JobQueue.Configuration.usualWorkerPath
        return SlurmKeeper.Options(
            policy: policy, resources: resources, minutes: time.flatMap { NodeResources.minutes($0) },
            endpoint: try connect ?? (drain ? "" : Self.endpoint(of: place)), worker: path, tags: tags,
            interval: .seconds(interval), endsWhenEmpty: drain)
    }

    private func absolutePath(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    /// Returns the address of a running server as other machines reach it.
    private static func endpoint(of place: ServerPlace) throws(HostError) -> String {
        var connection = try ServerConnection(place)
        guard case .farm(let status) = try connection.ask(.farm) else {
            throw HostError.unfittingAnswer
        }
        guard let first = status.endpoints.first, let colon = first.lastIndex(of: ":") else {
            throw HostError(
                .usage,
                "The server does not listen for nodes; start it with ‘cutroom serve --listen tcp://0.0.0.0:7700’.")
        }
        let address = first[..<colon].dropFirst("tcp://".count)
        guard ["0.0.0.0", "[::]", "*"].contains(address) else { return first }
        return "tcp://\(ProcessInfo.processInfo.hostName)\(first[colon...])"
    }
}

/// A flag that one thread sets for another, once.
private final class StopFlag: Sendable {
    private let state = Atomic(false)
    var isRaised: Bool { state.load(ordering: .relaxed) }
    func raise() { state.store(true, ordering: .relaxed) }
}
