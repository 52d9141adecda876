import Cleanup
import Content
import Farm
import Files
import Foundation
import Glibc
import Jobs
import Rendering

/// The only folder beside an output that workers may write to: hidden, private, and on the output's
/// file system, so that a finished file gets its name by a rename. Workers can reach nothing else
/// in the output's folder.
///
/// It is locked while its command runs, so that other commands can tell it from the folder of a
/// killed one, and removed with the value.
package final class StagingFolder: Sendable {
    package let path: String
    private let lock = Locked<FileLock?>(nil)

    private static let (prefix, suffix) = (".cutroom-", ".staging")
    /// The suffix of a folder's name until its lock is held.
    private static let newSuffix = ".new"
    private static let lockName = ".lock"
    /// The age in seconds after which a folder without its final name is abandoned; the rename
    /// usually takes milliseconds.
    private static let newLimit = 3600

    /// Chooses a name; nothing is made before ``make()``.
    /// - Parameter folder: the output's folder, which need not exist yet.
    package init(in folder: String) {
        let unique = [UInt32(getpid()), .random(in: .min ... .max)].map { String($0, radix: 36) }
        path = "\(folder)/\(Self.prefix)\(unique.joined(separator: "-"))\(Self.suffix)"
    }

    /// Chooses a name for an output, in the folder in which it is assembled.
    package convenience init(for output: OutputFile) {
        var info = stat()
        // Pictures are moved into an existing folder, which may be on another file system than its
        // parent.
        let isThere = output.pictures?.isFolder == true && stat(output.path, &info) == 0
        self.init(in: isThere ? output.path : output.folder)
    }

    /// Makes the folder, and removes those of killed commands beside it. The folder gets its name
    /// once its lock is held: before that, another command could take it for abandoned.
    package func make() throws(HostError) {
        let folder = (path as NSString).deletingLastPathComponent
        Self.removeAbandoned(in: folder)
        let new = path + Self.newSuffix
        for name in [new, path] { CleanupRegistry.shared.note(name, .item) }
        do throws(FileLock.Failure) {
            guard mkdir(new, 0o700) == 0 else { throw .cannotOpen(Errno(rawValue: errno)) }
            do throws(FileLock.Failure) {
                let taken = try FileLock(new + "/" + Self.lockName, permissions: .ownerReadWrite)
                lock.withLock { $0 = taken }
            } catch .cannotLock {
                // If the file system has no locks, the folder is never taken for abandoned.
            }
            guard rename(new, path) == 0 else { throw .cannotOpen(Errno(rawValue: errno)) }
        } catch {
            remove()
            throw HostError(
                .cannotCreate, "The output's folder ‘\(folder)’ cannot be written to: \(error.reason).")
        }
        CleanupRegistry.shared.forget(new)
    }

    deinit { remove() }

    /// Removes the folder with everything in it.
    package func remove() {
        lock.withLock { $0 = nil }
        for name in [path, path + Self.newSuffix] {
            try? FileManager.default.removeItem(atPath: name)
            CleanupRegistry.shared.forget(name)
        }
    }

    /// Returns a unique name in the folder.
    package func newPath() -> String { "\(path)/output-\(String(UInt32.random(in: .min ... .max), radix: 36))" }

    private static func removeAbandoned(in folder: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where isAbandoned(name, in: folder) {
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
    }

    /// Returns whether a folder is abandoned; only this user's folders are checked.
    private static func isAbandoned(_ name: String, in folder: String) -> Bool {
        let (path, isNew) = ("\(folder)/\(name)", name.hasSuffix(suffix + newSuffix))
        var info = stat()
        guard name.hasPrefix(prefix), isNew || name.hasSuffix(suffix), lstat(path, &info) == 0,
            info.st_mode & S_IFMT == S_IFDIR, info.st_uid == geteuid()
        else { return false }
        let isOld = info.st_mtim.age() > newLimit
        if isNew { return isOld }
        // Opened for writing, which a lock over NFS requires.
        do throws(FileLock.Failure) {
            _ = try FileLock(path + "/" + lockName, .readWrite, .noFollow)
            return true
        } catch {
            return isOld && error == .cannotOpen(.noSuchFileOrDirectory)
        }
    }
}

/// The parts of a command's render, and the folder in which its file is assembled.
package struct StagedParts: PartStore {
    package let cache: SegmentCache
    let staging: StagingFolder

    package init(cache: SegmentCache, staging: StagingFolder) {
        self.cache = cache
        self.staging = staging
    }

    package var partsFolder: String { cache.partsFolder }
    package func find(_ version: PartVersion) -> WrittenFile? { cache.find(version) }
    package func keep(_ part: WrittenFile, as key: String) { cache.keep(part, as: key) }
    package func forget(_ key: String) { cache.forget(key) }
    package func stage(_ output: OutputFile) -> String { staging.newPath() }
}
