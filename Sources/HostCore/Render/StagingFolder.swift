import Cleanup
import Content
import Farm
import Files
import Foundation
import Glibc
import Jobs
import Rendering

/// The one folder beside an output into which workers write it: hidden, private, on the output's
/// file system, so that a finished file still gets its name at once. Everything else in the
/// output's folder is out of the workers' reach.
///
/// It is locked while its command runs, so that others can tell it from one whose command was
/// killed, and removed with the value.
package final class StagingFolder: Sendable {
    package let path: String
    private let lock = Locked<FileLock?>(nil)

    private static let (prefix, suffix) = (".cutroom-", ".staging")
    /// What ends a folder's name until its lock is held.
    private static let newSuffix = ".new"
    private static let lockName = ".lock"
    /// Seconds after which a folder that never got its name is abandoned. It takes milliseconds.
    private static let newLimit = 3600

    /// Chooses a name; nothing is made before ``make()``.
    /// - Parameter folder: where the output is to lie. It need not be there yet.
    package init(in folder: String) {
        let unique = [UInt32(getpid()), .random(in: .min ... .max)].map { String($0, radix: 36) }
        path = "\(folder)/\(Self.prefix)\(unique.joined(separator: "-"))\(Self.suffix)"
    }

    /// The same for an output, which lies where it is put together.
    package convenience init(for output: OutputFile) {
        var info = stat()
        // Pictures go into a folder that is there, which may be another file system than the one around it.
        let isThere = output.pictures?.isFolder == true && stat(output.path, &info) == 0
        self.init(in: isThere ? output.path : output.folder)
    }

    /// Makes the folder, and removes those beside it whose commands were killed. The folder gets its
    /// name when its lock is held: without it, another command could take it for abandoned.
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
                // Where the file system has no locks, the folder is never taken for abandoned.
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

    /// A name in it that nothing else uses.
    package func newPath() -> String { "\(path)/output-\(String(UInt32.random(in: .min ... .max), radix: 36))" }

    private static func removeAbandoned(in folder: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where isAbandoned(name, in: folder) {
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
    }

    /// Looks at this user's own folders only.
    private static func isAbandoned(_ name: String, in folder: String) -> Bool {
        let (path, isNew) = ("\(folder)/\(name)", name.hasSuffix(suffix + newSuffix))
        var info = stat()
        guard name.hasPrefix(prefix), isNew || name.hasSuffix(suffix), lstat(path, &info) == 0,
            info.st_mode & S_IFMT == S_IFDIR, info.st_uid == geteuid()
        else { return false }
        let isOld = info.st_mtim.age() > newLimit
        if isNew { return isOld }
        // Open for writing: a lock over NFS needs that.
        do throws(FileLock.Failure) {
            _ = try FileLock(path + "/" + lockName, .readWrite, .noFollow)
            return true
        } catch {
            return isOld && error == .cannotOpen(.noSuchFileOrDirectory)
        }
    }
}

/// The parts of a render of this command, and the folder in which its file is put together.
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
