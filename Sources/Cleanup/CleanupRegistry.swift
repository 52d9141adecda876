import Foundation
import Glibc
import Synchronization

/// What this process has made that must not outlive it: worker processes, and files under names that are not final. In the
/// usual way each is ended or removed by who made it; a process that has to end at once ends through ``endProcess(_:)``.
///
/// Each is noted before it is made, so that nothing can be made that ``endProcess(_:)`` does not know of.
package final class CleanupRegistry: Sendable {
    package static let shared = CleanupRegistry()

    package enum Kind: Sendable {
        /// A file, or a folder with everything in it.
        case item
        /// Everything beside it whose name begins with its name: what the runs of a job write.
        case runs
        /// A folder that is only to go where nothing is in it.
        case emptyFolder
    }

    private struct State {
        var paths: [String: Kind] = [:]
        /// Process id and descriptor; each leads a group.
        var workers: [pid_t: Int32] = [:]
    }

    private let state = Mutex(State())
    /// Held while a process is started, which may wait for a disk; `state` never is.
    private let starting = Mutex(())

    package func note(_ path: String, _ kind: Kind) { state.withLock { $0.paths[path] = kind } }

    /// It has its final name now, or is gone.
    package func forget(_ path: String) { state.withLock { _ = $0.paths.removeValue(forKey: path) } }

    /// Starts a process, which is noted before anybody else can act.
    /// - Returns: what `start` does: its id and a descriptor that becomes readable with its end.
    package func start<Failure: Error>(
        _ start: () throws(Failure) -> (pid: pid_t, pidfd: Int32)
    ) throws(Failure) -> (pid: pid_t, pidfd: Int32) {
        let result = starting.withLock { _ in
            Result { () throws(Failure) in
                let worker = try start()
                state.withLock { $0.workers[worker.pid] = worker.pidfd }
                return worker
            }
        }
        return try result.get()
    }

    /// Its id is about to be given back to the system.
    package func forget(_ worker: pid_t) { state.withLock { _ = $0.workers.removeValue(forKey: worker) } }

    /// Kills all workers, removes everything noted, and ends the process without waiting for anybody else.
    package func endProcess(_ code: Int32) -> Never {
        // The locks are never given back: nobody starts or makes anything any more.
        starting.withLock { _ in state.withLock { Self.end($0, code) } }
    }

    private static func end(_ state: State, _ code: Int32) -> Never {
        for worker in state.workers.keys { kill(-worker, SIGKILL) }
        for descriptor in state.workers.values {
            // They die at once, but not within the call; a dying one must not write what has just been removed.
            var ended = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            poll(&ended, 1, 500)
        }
        // What lies in a folder goes before it.
        for (path, kind) in state.paths.sorted(by: { $0.key.utf8.count > $1.key.utf8.count }) {
            remove(path, kind)
        }
        _exit(code)
    }

    /// Removes what lies under a path; none is no failure.
    package static func remove(_ path: String, _ kind: Kind) {
        switch kind {
        // Another thread may be in the middle of adding a file.
        case .item:
            for _ in 0..<3 where access(path, F_OK) == 0 { try? FileManager.default.removeItem(atPath: path) }
        case .runs:
            let folder = (path as NSString).deletingLastPathComponent
            let prefix = (path as NSString).lastPathComponent
            for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            where name.hasPrefix(prefix) {
                try? FileManager.default.removeItem(atPath: folder + "/" + name)
            }
        case .emptyFolder: rmdir(path)
        }
    }
}
