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
        commandName: "serve", abstract: "Take renders in and render them, one after the other or side by side.",
        discussion: """
            Renders are handed in with ‘cutroom submit’ and looked after with ‘cutroom jobs’. What is handed in is written down first: a \
            server that was ended, or killed, goes on where it was when it is started again. Ctrl-C or SIGTERM ends it.
            """)

    @OptionGroup var server: ServerFolderOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Renders that may run at a time; they share the workers.", valueName: "number"))
    var active = 16

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "What is kept of all renders may take this much on disk; see ‘cutroom render --help’.", valueName: "size"))
    var cacheSize: String?

    @Option(
        help: ArgumentHelp(
            "What this machine has that some renders need (‘submit --tag’), such as ‘gpu’; several separated by commas.",
            valueName: "tags"))
    var tags: String?

    @Option(
        help: ArgumentHelp(
            "Be asked over the network, too, by those whose keys are allowed: listen at tcp://ADDRESS:PORT (see ‘cutroom farm keys’ and --server of ‘cutroom submit’). May be given several times.",
            valueName: "address"))
    var door: [String] = []

    @Option(
        help: ArgumentHelp(
            "A folder whose files may be named over the network, by the name under which submitters say where they have it (their ‘--map’). The name alone is that of a ‘--map’. May be given several times.",
            valueName: "name=folder"))
    var root: [String] = []

    @Option(
        help: ArgumentHelp(
            "A folder that outputs may be written to over the network, each submitter's in a folder of his name in it; otherwise as ‘--root’.",
            valueName: "name=folder"))
    var outputRoot: [String] = []

    @Option(
        help: ArgumentHelp(
            "Tell how the server stands over HTTP: /metrics for Prometheus, /status as JSON. A port alone is for this machine; whoever reaches the address may read it.",
            valueName: "address:port"))
    var metrics: MetricsAddress?

    @Option(
        help: ArgumentHelp(
            "What the files may take that one submitter sends because they lie in no folder of ‘--root’ (‘submit --upload’). 0: nobody sends any.",
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
                "‘--root’ and ‘--output-root’ are for those who come over the network, and nobody can without ‘--door’."
            )
        }
        guard (1...1000).contains(active) else {
            throw ValidationError("‘--active’ is \(active), but must lie between 1 and 1000.")
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
                    "The socket ‘\(other)’ was opened for the server, whose door is ‘\(place.socketPath)’; name its folder (--state)."
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
                Console.inform("stopping; every render goes on when the server comes again.")
                server.stop()
            }
            let result: Result<Void, any Error>
            var figures: MetricsServer?
            do {
                if let metrics {
                    figures = try await MetricsServer(at: metrics, workers: farm.workerOptions.count) {
                        await server.figures()
                    }
                    Console.inform("figures are at \(figures?.url ?? "")/metrics")
                }
                try await server.run { endpoints in
                    for endpoint in endpoints { Console.inform("submitters may come to \(endpoint)") }
                    Console.inform("the server listens in ‘\(place.folder)’")
                    ServiceManager.notify("READY=1\nSTATUS=Taking renders in.")
                }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await figures?.close()
            await queue.shutdown(graceful: true)
            withExtendedLifetime(interrupts) {}
            try result.get()
        }
    }
}
