import ArgumentParser
import Cleanup
import Farm
import Foundation

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Take renders in and render them, one after the other or side by side.",
        discussion: """
            Renders are handed in with ‘cutroom submit’ and looked after with ‘cutroom jobs’. What is handed in is written down first: a \
            server that was ended, or killed, goes on where it was when it is started again. Ctrl-C or SIGTERM ends it.
            """)

    @OptionGroup var server: ServerOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Renders that may run at a time; they share the workers.", valueName: "number"))
    var active = 16

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "What is kept of all renders may take this much on disk; see ‘cutroom render --help’.", valueName: "size"))
    var cacheSize: String?

    @OptionGroup var farm: RenderFarmOptions

    func validate() throws {
        guard (1...1000).contains(active) else {
            throw ValidationError("‘--active’ is \(active), but must lie between 1 and 1000.")
        }
    }

    func run() async throws {
        try await reportingErrors(verbose: farm.verbose) {
            let place = try server.place
            let bound = try SegmentCache.bound(cacheSize)
            try place.make()
            let queue = try HostSession.queue(farm, writable: [place.parts])
            let options = Server.Options(place: place, active: active, cacheBound: bound.bytes, log: farm.logger)
            let server: Server
            do {
                server = try Server(options, queue)
            } catch {
                await queue.shutdown(graceful: false)
                throw error
            }
            let interrupts = Interrupts { _ in
                Console.inform("stopping; every render goes on when the server comes again.")
                server.stop()
            }
            let result: Result<Void, any Error>
            do {
                try await server.run { Console.inform("the server listens in ‘\(place.folder)’") }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await queue.shutdown(graceful: true)
            withExtendedLifetime(interrupts) {}
            try result.get()
        }
    }
}
