import Foundation
import Glibc
import Synchronization

/// A registry of what this process has made and must not leave behind: worker processes, and files
/// under temporary names. Normally the creator ends or removes each entry; a process that must end
/// at once calls ``endProcess(_:)``.
///
/// Each entry is registered before it is made, so ``endProcess(_:)`` misses none.
package final class CleanupRegistry: Sendable {
    package static let shared = CleanupRegistry()

    package enum Kind: Sendable {
        /// A file, or a folder with everything in it.
        case item
        /// All files beside it whose names start with its name: the output of a job's runs.
        case runs
        /// A folder that is removed only if it is empty.
        case emptyFolder
    }

    private struct State {
        var paths: [String: Kind] = [:]
        /// Process ids with their pidfds; each process leads a group.
        var workers: [pid_t: Int32] = [:]
        /// The settings of the terminal on standard input, where this process has changed them.
        var terminal: termios?
    }

    private let state = Mutex(State())
    /// Held while a process is being started, which may block on a disk; `state` is never held that
    /// long.
    private let starting = Mutex(())

    package func note(_ path: String, _ kind: Kind) { state.withLock { $0.paths[path] = kind } }

    /// Unregisters a path that has its final name now, or is gone.
    package func forget(_ path: String) { state.withLock { _ = $0.paths.removeValue(forKey: path) } }

    /// Starts a process and registers it before ``endProcess(_:)`` can run.
    /// - Returns: the result of `start`: a process id, and a descriptor that becomes readable when
    ///   the process ends.
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

    /// Registers the settings that the terminal on standard input had; nil: it has them again.
    package func note(terminal: termios?) { state.withLock { $0.terminal = terminal } }

    /// Unregisters a process that is about to be reaped.
    package func forget(_ worker: pid_t) { state.withLock { _ = $0.workers.removeValue(forKey: worker) } }

    /// Restores the terminal, kills all workers, removes all registered files and ends the process,
    /// without waiting for other threads.
    package func endProcess(_ code: Int32) -> Never {
        // The locks are never released, so nothing is started or made any more.
        starting.withLock { _ in state.withLock { Self.end($0, code) } }
    }

    private static func end(_ state: State, _ code: Int32) -> Never {
        if var terminal = state.terminal { tcsetattr(STDIN_FILENO, TCSANOW, &terminal) }
        for worker in state.workers.keys { kill(-worker, SIGKILL) }
        for descriptor in state.workers.values {
            // SIGKILL takes effect at once, but not before the call returns; a dying process must
            // not write files that were just removed.
            var ended = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            poll(&ended, 1, 500)
        }
        // Entries within a folder come before the folder.
        for (path, kind) in state.paths.sorted(by: { $0.key.utf8.count > $1.key.utf8.count }) {
            remove(path, kind)
        }
        _exit(code)
    }

    /// Removes a path; a missing one is no error.
    package static func remove(_ path: String, _ kind: Kind) {
        switch kind {
        // Another thread may be adding a file at this moment.
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
