import ArgumentParser
import Cleanup
import Farm
import Foundation
import HostCore
import Messaging
import Server
import ServerClient

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run a render server: queue renders, and run several at a time.",
        discussion: """
            Submit renders with ‘cutroom submit’, and manage them with ‘cutroom jobs’. The server writes each render to its journal before it \
            confirms it, and continues where it was after a restart, even if it was killed. Press Ctrl-C or send SIGTERM to stop it.
            """)

    @OptionGroup var server: ServerFolderOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number of renders to run at a time; they share the workers.", valueName: "number"))
    var active = 16

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The maximum size of the cache on disk; see ‘cutroom render --help’.", valueName: "size"))
    var cacheSize: String?

    @Option(
        help: ArgumentHelp(
            "The tags of this machine, which some renders need (‘submit --tag’), such as ‘gpu’; separated by commas.",
            valueName: "tags"))
    var tags: String?

    @Option(
        help: ArgumentHelp(
            "Also accept requests over the network from allowed keys: listen on tcp://ADDRESS:PORT (see ‘cutroom farm keys’ and --server of ‘cutroom submit’). May be given several times.",
            valueName: "address"))
    var door: [String] = []

    @Option(
        help: ArgumentHelp(
            "A folder whose files network clients may use, under the name by which they map it (their ‘--map’). A name alone stands for the folder of a ‘--map’. May be given several times.",
            valueName: "name=folder"))
    var root: [String] = []

    @Option(
        help: ArgumentHelp(
            "A folder to which network clients may write outputs, each in a subfolder named after its key; otherwise as ‘--root’.",
            valueName: "name=folder"))
    var outputRoot: [String] = []

    @Option(
        help: ArgumentHelp(
            "Serve metrics over HTTP: /metrics for Prometheus, /status as JSON. A port alone listens on this machine only; every client that can reach the address may read them.",
            valueName: "address:port"))
    var metrics: MetricsAddress?

    @Option(
        help: ArgumentHelp(
            "The maximum size of the files that one submitter may upload (‘submit --upload’), because they are in no folder of ‘--root’. 0 disables uploads.",
            valueName: "size"))
    var uploadQuota = "20G"

    @OptionGroup var farm: RenderFarmOptions

    func validate() throws {
        guard ByteSize(uploadQuota) != nil else {
            throw ValidationError("‘--upload-quota’ is ‘\(uploadQuota)’, but must be a size such as 500M or 20G.")
        }
        try farm.checkMap(isUsed: !door.isEmpty)
        if let wrong = door.first(where: { !TCPAddress.isValid($0, forListening: true) }) {
            throw ValidationError("‘--door’ is ‘\(wrong)’, but must be an address such as tcp://0.0.0.0:7701.")
        }
        do { _ = try confinement } catch { throw ValidationError("\(error)") }
        if door.isEmpty, !(root + outputRoot).isEmpty {
            throw ValidationError(
                "‘--root’ and ‘--output-root’ are for network clients; they need ‘--door’."
            )
        }
        guard (1...1000).contains(active) else {
            throw ValidationError("‘--active’ is \(active), but must be between 1 and 1000.")
        }
        if let wrong = ownTags.first(where: { !Tags.isValid($0) }) {
            throw ValidationError(Tags.problem(wrong, "--tags"))
        }
    }

    private var confinement: Confinement {
        get throws {
            let mapped = try PathRoots(farm.map).folders
            func roots(_ words: [String], _ option: String) throws -> PathRoots {
                try PathRoots(words.map { word in mapped[word].map { "\(word)=\($0)" } ?? word }, option: option)
            }
            let quota = ByteSize(uploadQuota)?.bytes ?? 0
            return Confinement(
                reading: try roots(root, "--root"), writing: try roots(outputRoot, "--output-root"),
                pluginPaths: PluginPaths.search(farm.plugins.pluginPath), kept: KeptOutputs(try server.place),
                uploads: quota > 0 ? Uploads(try server.place, quota: quota) : nil)
        }
    }

    private var ownTags: Set<String> { Tags.list(tags ?? "") }

    func run() async throws {
        try await reportingErrors(verbose: farm.verbose) {
            let place = try server.place
            let sockets = ServiceManager.takeSockets()
            if let other = sockets.keys.sorted().first(where: { $0 != place.socketPath }) {
                throw HostError(
                    .usage,
                    "The service manager opened the socket ‘\(other)’, but the server's socket is ‘\(place.socketPath)’; give the folder of that socket (--state)."
                )
            }
            let bound = try SegmentCache.bound(cacheSize)
            if let notice = try place.make() { Console.warn(notice) }
            let memory = try ServerMemory(place)
            for problem in memory.problems { Console.warn(problem) }
            let queue = try HostSession.queue(
                farm, writable: [place.parts], tags: ownTags, adjust: memory.continued)
            let options = Server.Options(
                place: place, active: active, cacheBound: bound.bytes, log: farm.logger,
                listeningSocket: sockets[place.socketPath],
                addresses: door, confinement: try confinement)
            let server = Server(options, queue, memory)
            let interrupts = Interrupts { _ in
                ServiceManager.notify("STOPPING=1")
                Console.inform("stopping; all renders continue when the server is started again.")
                server.stop()
            }
            let result: Result<Void, any Error>
            var metricsServer: MetricsServer?
            do {
                if let metrics {
                    metricsServer = try await MetricsServer(at: metrics, workers: farm.workerOptions.count) {
                        await server.metrics()
                    }
                    Console.inform("metrics are at \(metricsServer?.url ?? "")/metrics")
                }
                try await server.run { endpoints in
                    for endpoint in endpoints { Console.inform("listening for submitters on \(endpoint)") }
                    Console.inform("the server listens in ‘\(place.folder)’")
                    ServiceManager.notify("READY=1\nSTATUS=Accepting renders.")
                }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await metricsServer?.close()
            await queue.shutdown(graceful: true)
            withExtendedLifetime(interrupts) {}
            try result.get()
        }
    }
}
