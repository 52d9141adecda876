import Foundation
import Glibc
import HostCore
import Messaging
import Synchronization

/// Watches files through their folders (inotify(7)), because editors write a new file and rename
/// it, and a missing file may be created.
///
/// Changes within a short time are reported together: saving a file involves writing, renaming and
/// touching it.
package final class FileWatch: Sendable {
    private struct State {
        /// Paths by folder.
        var names: [String: Set<String>] = [:]
        /// Folders by watch descriptor.
        var folders: [Int32: String] = [:]
        /// Files that changed before they were watched.
        var late: Set<String> = []
    }

    private let descriptor: Int32
    private let wakeUp: WakeUp
    private let state = Mutex(State())
    private let isClosed = Mutex(false)
    private let onChange: @Sendable (Set<String>) -> Void

    /// Milliseconds without a change before changes are reported, and the longest delay by further
    /// changes.
    private static let quiet: Int32 = 40
    private static let longest = Duration.milliseconds(400)
    private static let events = UInt32(
        IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF
    )

    /// Starts watching.
    /// - Parameter onChange: receives the paths that have changed, on the watcher's thread.
    init(onChange: @escaping @Sendable (Set<String>) -> Void) throws(HostError) {
        self.onChange = onChange
        descriptor = inotify_init1(Int32(O_CLOEXEC | O_NONBLOCK))
        guard descriptor >= 0 else {
            throw HostError(.unavailable, "Cannot watch files: \(systemText(errno)).")
        }
        do {
            wakeUp = try WakeUp()
        } catch {
            Glibc.close(descriptor)
            throw HostError(.unavailable, "Cannot watch files: \(error).")
        }
        guard SystemThread.start(name: "file-watch", { [self] in run() }) else {
            Glibc.close(descriptor)
            throw HostError(.unavailable, "Cannot watch files: the system cannot start another thread.")
        }
    }

    func close() {
        isClosed.withLock { $0 = true }
        wakeUp.signal()
    }

    /// Watches exactly these files, whether they exist or not.
    /// - Parameters:
    ///   - paths: absolute. The name `*.so` stands for all names with that extension.
    ///   - start: when the first of them was read: later changes of newly watched files are
    ///     reported.
    func watch(_ paths: Set<String>, since start: Date = .distantFuture) {
        var names: [String: Set<String>] = [:]
        for path in paths {
            // A link, and its target.
            for path in Set([path, realPath(path) ?? path]) {
                names[(path as NSString).deletingLastPathComponent, default: []].insert(
                    (path as NSString).lastPathComponent)
            }
        }
        state.withLock { state in
            for (number, folder) in state.folders where names[folder] == nil {
                inotify_rm_watch(descriptor, number)
                state.folders[number] = nil
            }
            let known = Set(state.folders.values)
            for folder in names.keys where !known.contains(folder) {
                let number = inotify_add_watch(descriptor, folder, Self.events)
                if number >= 0 { state.folders[number] = folder }
            }
            for (folder, names) in names {
                for name in names.subtracting(state.names[folder] ?? [])
                where Self.changed(folder + "/" + name) > start.timeIntervalSince1970 {
                    state.late.insert(folder + "/" + name)
                }
            }
            state.names = names
        }
        wakeUp.signal()
    }

    /// Returns the modification time of a file, in seconds since 1970.
    private static func changed(_ path: String) -> Double {
        var info = stat()
        guard lstat(path, &info) == 0 else { return 0 }
        return Double(info.st_ctim.tv_sec) + Double(info.st_ctim.tv_nsec) / 1e9
    }

    private func run() {
        var changed: Set<String> = []
        var begun: ContinuousClock.Instant?
        var failures = ServiceFailures("the file watcher", log: Console.complain)
        while !isClosed.withLock({ $0 }) {
            var polls = [
                pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&polls, 2, begun == nil ? -1 : Self.quiet)
            guard count >= 0 || errno == EINTR else {
                failures.failed(systemText(errno))
                continue
            }
            failures.worked()
            wakeUp.clear()
            if polls[1].revents != 0 { changed.formUnion(read()) }
            changed.formUnion(
                state.withLock { state in
                    defer { state.late = [] }
                    return state.late
                })
            if begun == nil, !changed.isEmpty { begun = .now }
            guard let start = begun, polls[1].revents == 0 || .now - start > Self.longest else { continue }
            onChange(changed)
            (changed, begun) = ([], nil)
        }
        Glibc.close(descriptor)
    }

    /// Returns the watched paths that have changed.
    private func read() -> Set<String> {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return [] }
        var found: Set<String> = []
        state.withLock { state in
            var offset = 0
            while offset + MemoryLayout<inotify_event>.size <= count {
                let event = buffer.withUnsafeBytes {
                    $0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                }
                let start = offset + MemoryLayout<inotify_event>.size
                let text = buffer[start..<min(count, start + Int(event.len))].prefix { $0 != 0 }
                offset = start + Int(event.len)
                // The kernel's queue has overflowed: any file may have changed.
                if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                    for (folder, names) in state.names { for name in names { found.insert(folder + "/" + name) } }
                    continue
                }
                guard let folder = state.folders[event.wd] else { continue }
                if event.mask & UInt32(IN_IGNORED) != 0 { state.folders[event.wd] = nil }
                let name = String(decoding: text, as: UTF8.self)
                let isOwn = event.mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED) != 0
                if isOwn {
                    for name in state.names[folder] ?? [] { found.insert(folder + "/" + name) }
                } else if let names = state.names[folder],
                    names.contains(name) || name.hasSuffix(".so") && names.contains("*.so")
                {
                    found.insert(folder + "/" + name)
                }
            }
        }
        return found
    }
}
