import Content
import Dispatch
import Farm
import Foundation
import Glibc
import Messaging

/// Fetches the blocks of incomplete contents that running workers ask for (``PartialContent``).
/// Requests come through a pipe that only this process and its workers may open. A request for a
/// content that no running job reads is ignored.
final class ContentSupply: Sendable {
    /// A job that reads a content before all of it is present.
    struct Reader: Sendable {
        let job: JobID
        /// The content's path on the server.
        let path: String
        let client: ContentClient
    }

    private struct Need {
        var readers: [Reader] = []
        var wishes: [Range<Int>] = []
        var isServed = false
    }

    private struct State {
        var needs: [ContentID: Need] = [:]
        var isClosed = false
    }

    /// The state that the listening thread shares with the others.
    private final class Shared: Sendable {
        let fetch: ContentFetch
        let pipe: Int32
        let wakeUp: WakeUp
        let state = Locked(State())
        let queue = DispatchQueue(label: "content-supply", attributes: .concurrent)
        /// Called when a job cannot get what it reads.
        let failed: @Sendable (JobID, JobFailure) -> Void

        init(
            _ fetch: ContentFetch, _ pipe: Int32, failed: @escaping @Sendable (JobID, JobFailure) -> Void
        ) throws(ZMQError) {
            (self.fetch, self.pipe, self.failed) = (fetch, pipe, failed)
            wakeUp = try WakeUp()
        }

        deinit { close(pipe) }
    }

    private let shared: Shared
    /// The most queued requests for one content. A reader has few at a time.
    private static let mostWishes = 256

    /// Makes the pipe and starts the listening thread.
    /// - Parameters:
    ///   - place: the path of the pipe, in a folder that workers may write to.
    ///   - failed: called from any thread.
    init(
        _ fetch: ContentFetch, pipe place: String, failed: @escaping @Sendable (JobID, JobFailure) -> Void
    ) throws(ContentStore.Problem) {
        let link = fetch.store.folder + "/" + PartialContent.pipeName
        unlink(place)
        unlink(link)
        guard mkfifo(place, 0o600) == 0, symlink(place, link) == 0 else {
            throw ContentStore.Problem(reason: "cannot be written to: \(ContentStore.text(errno))")
        }
        // Opened for both directions, so that a read never sees end of file.
        let pipe = open(place, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard pipe >= 0 else { throw ContentStore.Problem(reason: "has no pipe: \(ContentStore.text(errno))") }
        do throws(ZMQError) { shared = try Shared(fetch, pipe, failed: failed) } catch {
            close(pipe)
            throw ContentStore.Problem(reason: "cannot be served: \(error)")
        }
        guard SystemThread.start(name: "content-supply", { [shared] in Self.listen(shared) }) else {
            throw ContentStore.Problem(reason: "cannot be served: the system gives no more threads")
        }
    }

    deinit {
        shared.state.withLock { $0.isClosed = true }
        shared.wakeUp.signal()
    }

    func add(_ reader: Reader, of id: ContentID) {
        shared.state.withLock { $0.needs[id, default: Need()].readers.append(reader) }
    }

    func remove(_ job: JobID, of ids: [ContentID]) {
        shared.state.withLock { state in
            for id in ids { Self.remove(job, of: id, &state) }
        }
    }

    private static func remove(_ job: JobID, of id: ContentID, _ state: inout State) {
        state.needs[id]?.readers.removeAll { $0.job == job }
        if let need = state.needs[id], need.readers.isEmpty, !need.isServed { state.needs[id] = nil }
    }

    // MARK: Requests

    private static func listen(_ shared: Shared) {
        var waiting = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        var failures = ServiceFailures("the supply of content") { [log = shared.fetch.log] in log.error("\($0)") }
        while true {
            var polled = [
                pollfd(fd: shared.pipe, events: Int16(POLLIN), revents: 0),
                pollfd(fd: shared.wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let polls = poll(&polled, 2, -1)
            if polls < 0, errno != EINTR { failures.failed(String(cString: strerror(errno))) }
            if shared.state.withLock(\.isClosed) { return }
            let count = read(shared.pipe, &buffer, buffer.count)
            if count < 0, errno != EAGAIN, errno != EINTR { failures.failed(String(cString: strerror(errno))) }
            guard count > 0 else { continue }
            failures.worked()
            waiting += buffer[..<count]
            while let wish = ContentWish.take(from: &waiting) { handle(wish, shared) }
        }
    }

    private static func handle(_ wish: ContentWish, _ shared: Shared) {
        let begins = shared.state.withLock { state in
            guard var need = state.needs[wish.id], !need.readers.isEmpty, need.wishes.count < mostWishes,
                !need.wishes.contains(wish.blocks)
            else { return false }
            need.wishes.append(wish.blocks)
            let begins = !need.isServed
            need.isServed = true
            state.needs[wish.id] = need
            return begins
        }
        if begins { shared.queue.async { serve(wish.id, shared) } }
    }

    /// Fetches the requested blocks of one content until no request is left.
    private static func serve(_ id: ContentID, _ shared: Shared) {
        while let (reader, blocks) = next(id, shared) {
            do throws(JobFailure) {
                try shared.fetch.fetch(blocks, of: id, at: reader.path, reader.client)
            } catch {
                shared.state.withLock { state in
                    remove(reader.job, of: id, &state)
                    // Another job may read it, too.
                    state.needs[id]?.wishes.insert(blocks, at: 0)
                }
                if !reader.client.isCancelled { shared.failed(reader.job, error) }
            }
        }
    }

    private static func next(_ id: ContentID, _ shared: Shared) -> (Reader, Range<Int>)? {
        shared.state.withLock { state in
            guard let reader = state.needs[id]?.readers.first else {
                state.needs[id] = nil
                return nil
            }
            guard let blocks = state.needs[id]?.wishes.first else {
                state.needs[id]?.isServed = false
                return nil
            }
            state.needs[id]?.wishes.removeFirst()
            return (reader, blocks)
        }
    }
}
