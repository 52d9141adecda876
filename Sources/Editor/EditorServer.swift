import Cleanup
import Farm
import Foundation
import HostCore
import Web

/// The components of `cutroom edit`: the editor of a script, the page's server with its gate, and
/// the file watcher.
package struct EditorServer: Sendable {
    private let options: EditorOptions
    private let session: HostSession
    private let cache: SegmentCache

    package init(_ options: EditorOptions, _ session: HostSession, _ cache: SegmentCache) {
        (self.options, self.session, self.cache) = (options, session, cache)
    }

    /// Serves until the task is cancelled.
    package func run() async throws {
        guard var address = WebAddress(options.address, port: options.port, certificate: options.certificate) else {
            throw HostError(.usage, "‘--listen’ must be an IPv4 address.")
        }
        for warning in address.warnings { Console.warn(warning) }
        let folder: RuntimeDirectory
        do {
            folder = try RuntimeDirectory(
                parent: JobQueue.Configuration.usualRuntimeDirectory, name: "cutroom-editor-")
        } catch {
            throw HostError(.unavailable, error.description)
        }
        defer { folder.remove() }
        let (token, hub, departures) = (Admission.newToken(), LiveHub(), Departures())
        let socket = try address.listen()
        let gate = try Gate(
            Self.name, socket, Admission(token: token, address: address), inner: folder.path + "/socket",
            certificate: options.certificate, limits: limits
        ) { departures.left($0) }
        let editor = try Editor(options, session, cache, hub)
        let routes = EditorRoutes(
            editor: editor, hub: hub, page: try PageFiles(options.pageFolder), departures: departures)
        let server = ServerBehindGate(
            name: Self.name, path: folder.path + "/socket", timeout: 120, longestBody: Admission.longestBody,
            handler: routes)
        do {
            try await serve(server, editor, gate, "\(address.url)/?token=\(token)")
        } catch {
            // Cancellation ends all of them, and each throws its own error.
            try Task.checkCancellation()
            throw error
        }
        try Task.checkCancellation()
    }

    private static let name = "the page's server"

    /// Limits that leave the workers and the host the descriptors that they need.
    private var limits: Gate.Limits {
        let limits = Gate.Limits()
        let wanted = limits.connections * Gate.Limits.descriptorsEach
        return limits.within(
            descriptors: ResourceLimits.room(for: wanted, workers: options.workers + 1))
    }

    private func serve(
        _ server: ServerBehindGate, _ editor: Editor, _ gate: Gate, _ url: String
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await server.run {
                    try gate.start()
                    Console.say(url)
                    if options.opensBrowser { Browser.open(url) }
                }
            }
            group.addTask { try await editor.run() }
            defer {
                gate.stop()
                group.cancelAll()
            }
            try await group.next()
        }
    }
}

/// Reports disconnected clients to the handlers of their requests.
final class Departures: Sendable {
    private let waiting = Locked<[UInt64: @Sendable () -> Void]>([:])

    /// Runs work for a connection, and cancels it if the client disconnects.
    func during<Result: Sendable>(_ connection: UInt64?, _ work: @escaping @Sendable () async -> Result) async -> Result
    {
        let task = Task { await work() }
        if let connection { waiting.withLock { $0[connection] = { task.cancel() } } }
        defer { if let connection { waiting.withLock { _ = $0.removeValue(forKey: connection) } } }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    func left(_ connection: UInt64) { waiting.withLock { $0.removeValue(forKey: connection) }?() }
}
