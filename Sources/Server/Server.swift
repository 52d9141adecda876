import Composition
import Farm
import Foundation
import Glibc
import Hashing
import HostCore
import Journal
import Logging
import Rendering
import Renders
import ServerClient
import Synchronization

/// A server: accepts renders, writes them to its journal, runs them, and continues where it was
/// after a restart.
///
/// One task does everything that concerns the book, in turns: it takes the events that have
/// gathered, writes all their changes to the journal in one transaction, and only then acts on them
/// and answers. Renders run in tasks of their own.
package final class Server: Sendable {
    package struct Options: Sendable {
        package var place: ServerPlace
        /// The number of renders that run at a time.
        var active: Int
        var cacheBound: Int64
        package var log: Logger
        /// The listening socket in the server's folder, if the service manager opened it; the
        /// service manager then also removes it.
        var listeningSocket: Int32?
        /// Addresses at which the server also accepts requests over a network.
        var addresses: [String] = []
        /// The server's own key, and the keys that it allows.
        package var keys = FarmKeys()
        /// The files that renders from the network may use.
        var confinement = Confinement()

        package init(
            place: ServerPlace, active: Int, cacheBound: Int64, log: Logger, listeningSocket: Int32? = nil,
            addresses: [String] = [], keys: FarmKeys = FarmKeys(), confinement: Confinement = Confinement()
        ) {
            self.place = place
            self.active = active
            self.cacheBound = cacheBound
            self.log = log
            self.listeningSocket = listeningSocket
            self.addresses = addresses
            self.keys = keys
            self.confinement = confinement
        }
    }

    enum Event: Sendable {
        case request(RequestListener, RequestSocket.Sender, IncomingRequest)
        case ended(RenderID, RenderBook.Outcome)
        /// Asks for the number of renders in each state; nil if the server has ended.
        case count(@Sendable ([RenderState: Int]?) -> Void)
        /// Something could not be written to the journal a while ago.
        case again
        /// The longest wait of a client for a change, or of a batch for its next chunk, is over.
        case timeIsOver
        case stop
    }

    package let options: Options
    package let queue: JobQueue
    let journal: Journal
    private let memory: ServerMemory
    let inbox = ServerInbox()
    /// The progress of the renders that are running.
    let progress = Mutex<[RenderID: RenderProgress]>([:])

    package init(_ options: Options, _ queue: JobQueue, _ memory: ServerMemory) {
        (self.options, self.queue, self.memory, journal) = (options, queue, memory, memory.journal)
    }

    /// Serves until ``stop()`` is called. All renders are then stopped, and continue after a
    /// restart.
    /// - Parameter isOpen: receives the addresses at which the server accepts requests.
    package func run(isOpen: @escaping @Sendable ([String]) -> Void) async throws {
        var state = try state()
        // A socket left by a killed server would be in the way.
        if options.listeningSocket == nil { try? FileManager.default.removeItem(atPath: options.place.socketPath) }
        let listeners = try Listeners(options) { [inbox] in inbox.post(.request($0, $1, $2)) }
        isOpen(listeners.endpoints)
        await state.begin()
        repeat {
            for event in await inbox.next() { state.take(event) }
            await state.settle()
        } while !state.isIdle
        state.dismiss()
        listeners.close()
        for case .count(let tell) in inbox.close() { tell(nil) }
        if options.listeningSocket == nil { try? FileManager.default.removeItem(atPath: options.place.socketPath) }
    }

    private func state() throws -> ServerState {
        let contents = try memory.takeContents()
        let book = RenderBook(
            contents.entries, nextID: contents.nextRender, limit: options.active, era: ServerState.newEra,
            at: Date().timeIntervalSince1970)
        return ServerState(self, book, contents.leases)
    }

    /// Returns the server's metrics; nil if it has ended.
    package func metrics() async -> ServerMetrics? {
        let renders = await withCheckedContinuation { continuation in
            if !inbox.post(.count { continuation.resume(returning: $0) }) { continuation.resume(returning: nil) }
        }
        guard let renders, let status = await queue.status() else { return nil }
        return await FileLane("metrics").run { [self] in
            var disk = statvfs()
            let free = statvfs(options.place.folder, &disk) == 0 ? Int64(disk.f_bavail) * Int64(disk.f_frsize) : 0
            return ServerMetrics(
                renders: renders, queue: status, endpoints: queue.endpoints, journal: memory.commits.values,
                journalBytes: journal.size, freeBytes: free)
        }
    }

    /// Makes ``run(isOpen:)`` return after every render has stopped.
    package func stop() { inbox.post(.stop) }
}
