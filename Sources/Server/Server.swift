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

/// A server: it takes renders in at its door, writes them down, has them rendered, and goes on where it was when it comes again.
///
/// One task does everything that concerns the book, in turns: it takes the events that have
/// gathered, writes all their changes into the journal as one transaction, and only then acts on
/// them and answers. Renders run in tasks of their own.
package final class Server: Sendable {
    package struct Options: Sendable {
        package var place: ServerPlace
        /// Renders that run at a time.
        var active: Int
        var cacheBound: Int64
        package var log: Logger
        /// The socket of the door in its folder, where somebody else has opened it, and removes it.
        var listeningSocket: Int32?
        /// Addresses at which others may ask, too.
        var addresses: [String] = []
        /// The server's own key, and those of others.
        package var keys = FarmKeys()
        /// What renders may name that come over a network.
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
        /// How many renders there are, by state; nil where the server has ended.
        case count(@Sendable ([RenderState: Int]?) -> Void)
        /// Something could not be written down a while ago.
        case again
        /// Clients wait no longer for a change, or batches for their next chunk.
        case timeIsOver
        case stop
    }

    package let options: Options
    package let queue: JobQueue
    let journal: Journal
    private let memory: ServerMemory
    let inbox = ServerInbox()
    /// How far the renders that run are.
    let progress = Mutex<[RenderID: RenderProgress]>([:])

    package init(_ options: Options, _ queue: JobQueue, _ memory: ServerMemory) {
        (self.options, self.queue, self.memory, journal) = (options, queue, memory, memory.journal)
    }

    /// Serves until somebody stops it. Every render is stopped then, and goes on when the server comes again.
    /// - Parameter isOpen: told of the addresses at which it may be asked.
    package func run(isOpen: @escaping @Sendable ([String]) -> Void) async throws {
        var state = try state()
        // A socket that a killed server has left is in the way.
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

    /// How it stands; nil where it has ended.
    package func figures() async -> ServerFigures? {
        let renders = await withCheckedContinuation { continuation in
            if !inbox.post(.count { continuation.resume(returning: $0) }) { continuation.resume(returning: nil) }
        }
        guard let renders, let status = await queue.status() else { return nil }
        return await FileLane("figures").run { [self] in
            var disk = statvfs()
            let free = statvfs(options.place.folder, &disk) == 0 ? Int64(disk.f_bavail) * Int64(disk.f_frsize) : 0
            return ServerFigures(
                renders: renders, queue: status, endpoints: queue.endpoints, journal: memory.commits.figures,
                journalBytes: journal.size, freeBytes: free)
        }
    }

    /// Ends ``run(isOpen:)`` when every render has stopped.
    package func stop() { inbox.post(.stop) }
}
