import Cleanup
import Content
import Files
import Foundation
import Glibc

/// A render's own folder: its workers' output, and hard links to the cache's entries that it uses.
/// It is locked while the render runs, so that other hosts can tell it from the folder of a killed
/// one.
final class PartsFolder: Sendable {
    let path: String
    private let lock: FileLock

    /// Makes the folder, and removes those of killed renders.
    /// - Parameter cache: the cache's folder; made if missing.
    init(in cache: String) throws(HostError) {
        let parts = cache + "/parts"
        path = "\(parts)/\(getpid())-\(String(UInt32.random(in: .min ... .max), radix: 36))"
        func failure(_ code: Int32) -> HostError {
            HostError(.cannotCreate, "The cache folder ‘\(cache)’ cannot be written to: \(systemText(code)).")
        }
        let code = makeFolders(parts)
        guard code == 0 else { throw failure(code) }
        // If another host holds the cache's lock, it will remove abandoned folders later; this need
        // not wait.
        if let others = try CacheLock(ifFree: cache) {
            withExtendedLifetime(others) { Self.removeAbandoned(parts) }
        }
        // The folder is locked before it gets the name under which other hosts look for it.
        let new = path + Self.newSuffix
        CleanupRegistry.shared.note(new, .item)
        CleanupRegistry.shared.note(path, .item)
        defer { CleanupRegistry.shared.forget(new) }
        do throws(FileLock.Failure) {
            guard mkdir(new, 0o755) == 0 else { throw .cannotOpen(Errno(rawValue: errno)) }
            lock = try FileLock(new + "/" + Self.lockName, permissions: .readableByAll)
            guard rename(new, path) == 0 else { throw .cannotOpen(Errno(rawValue: errno)) }
        } catch {
            try? FileManager.default.removeItem(atPath: new)
            CleanupRegistry.shared.forget(path)
            throw failure(error.reason.rawValue)
        }
    }

    private static let lockName = ".lock"
    private static let newSuffix = ".new"
    /// The age in seconds after which a folder without its final name is abandoned; the rename
    /// usually takes milliseconds.
    private static let newLimit = 3600

    private static func removeAbandoned(_ parts: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parts)) ?? [] {
            let folder = "\(parts)/\(name)"
            if name.hasSuffix(newSuffix) ? isOld(folder) : !isInUse(folder) {
                try? FileManager.default.removeItem(atPath: folder)
            }
        }
    }

    private static func isOld(_ folder: String) -> Bool {
        var info = stat()
        return stat(folder, &info) == 0 && info.st_mtim.age() > newLimit
    }

    private static func isInUse(_ folder: String) -> Bool {
        do throws(FileLock.Failure) {
            // Checking needs no write permission.
            _ = try FileLock(folder + "/" + lockName, .readOnly)
            return false
        } catch {
            return error != .cannotOpen(.noSuchFileOrDirectory) && error != .cannotOpen(.notDirectory)
        }
    }

    /// Returns the number of renders that use the cache now. Requires the cache's lock.
    static func countInUse(in cache: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: cache + "/parts")) ?? []
        return names.count { isInUse("\(cache)/parts/\($0)") }
    }

    /// Removes the folder with everything in it.
    func remove() {
        try? FileManager.default.removeItem(atPath: path)
        CleanupRegistry.shared.forget(path)
    }
}
