import Cleanup
import Farm
import FlyingFox
import FlyingSocks
import Foundation

/// What `cutroom edit` runs: the editor of one script, the page's server with the gate before it, and the watch on the files.
struct EditorServer: Sendable {
    private let command: EditCommand
    private let session: HostSession
    private let cache: SegmentCache

    init(_ command: EditCommand, _ session: HostSession, _ cache: SegmentCache) {
        (self.command, self.session, self.cache) = (command, session, cache)
    }

    /// Serves until the task is cancelled.
    func run() async throws {
        guard let wished = WebAddress(command.address, port: command.port) else {
            throw HostError(.usage, "‘--listen’ must be an IPv4 address.")
        }
        let folder: RuntimeDirectory
        do {
            folder = try RuntimeDirectory(
                parent: JobQueue.Configuration.usualRuntimeDirectory, name: "cutroom-editor-")
        } catch {
            throw HostError(.unavailable, error.description)
        }
        defer { folder.remove() }
        let (token, hub, departures) = (Admission.newToken(), LiveHub(), Departures())
        let gate = try Gate(wished, token: token, inner: folder.path + "/socket") { departures.left($0) }
        let editor = try Editor(command, session, cache, hub)
        let routes = EditorRoutes(
            editor: editor, hub: hub, page: try PageFiles(command.pageFolder), departures: departures)
        let server = HTTPServer(
            config: HTTPServer.Configuration(
                address: .unix(path: folder.path + "/socket"), timeout: 120,
                sharedRequestBufferSize: Admission.longestBody,
                logger: .disabled), handler: routes)
        do {
            try await serve(server, editor, gate, token)
        } catch {
            // A stop ends all of them, and each says so in its own words.
            try Task.checkCancellation()
            throw error
        }
        try Task.checkCancellation()
    }

    private func serve(_ server: HTTPServer, _ editor: Editor, _ gate: Gate, _ token: String) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            group.addTask { try await editor.run() }
            try await server.waitUntilListening()
            try gate.start()
            defer { gate.stop() }
            let url = "\(gate.address.url)/?token=\(token)"
            Console.say(url)
            if command.open { Browser.open(url) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}

/// The connections whose clients went away, told to who answers them.
final class Departures: Sendable {
    private let waiting = Locked<[UInt64: @Sendable () -> Void]>([:])

    /// Does work for a connection, which is cancelled when its client goes away.
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
