import Files
import FoundationEssentials
import Glibc

/// A private folder with mode 0700, which its owner removes: a queue's, with its socket and a
/// folder for each worker, or a render's scratch space.
///
/// A lock on a file in it shows that its owner is alive. The kernel releases it however the owner
/// ends, so the next owner of such a folder can remove the folder of a killed one.
package struct RuntimeDirectory: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let path: String
    private let lock: FileLock

    /// The longest path of a socket: `sun_path` has 108 bytes with its final zero (unix(7)).
    private static let longestSocketPath = 107

    package var endpoint: String { "ipc://" + path + "/socket" }

    /// Makes a folder.
    /// - Parameter name: the beginning of the folder's name.
    package init(parent: String, name: String = "cutroom-queue-") throws(Failure) {
        Self.removeAbandoned(in: parent, name)
        // Works like mkdtemp(3), but the name must be registered before the folder exists.
        var path: String
        repeat {
            path = "\(parent)/\(name)\(String(UInt64.random(in: 0..<1 << 31), radix: 36))"
            CleanupRegistry.shared.note(path, .item)
            if mkdir(path, 0o700) == 0 { break }
            let code = errno
            CleanupRegistry.shared.forget(path)
            guard code == EEXIST else {
                throw Failure(
                    description: "No folder ‘\(name)…’ can be made in \(parent): \(String(cString: strerror(code))).")
            }
        } while true
        self.path = path
        do throws(FileLock.Failure) {
            // The lock is taken before the file gets the name that other processes look for.
            lock = try FileLock(path + "/lock.new", permissions: .ownerReadWrite)
            guard rename(path + "/lock.new", path + "/lock") == 0 else { throw .cannotOpen(Errno(rawValue: errno)) }
        } catch {
            Self.remove(path)
            throw Failure(description: "The folder \(parent) cannot be used for ‘\(name)…’: \(error.reason).")
        }
        guard (path + "/socket").utf8.count <= Self.longestSocketPath else {
            Self.remove(path)
            throw Failure(
                description:
                    "The folder \(parent) cannot be used for ‘\(name)…’: its path is too long for a socket.")
        }
    }

    /// Removes the folder with everything in it.
    package func remove() {
        Self.remove(path)
        withExtendedLifetime(lock) {}
    }

    private static func remove(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
        CleanupRegistry.shared.forget(path)
    }

    private static func removeAbandoned(in parent: String, _ prefix: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let path = parent + "/" + name
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid() else {
                continue
            }
            // The lock is held until the folder is gone.
            guard let lock = try? FileLock(path + "/lock", .readWrite, .noFollow) else { continue }
            try? FileManager.default.removeItem(atPath: path)
            withExtendedLifetime(lock) {}
        }
    }
}
