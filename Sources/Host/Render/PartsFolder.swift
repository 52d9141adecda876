import Cleanup
import Foundation
import Glibc

/// A render's own folder: what its workers write, and second names of the cache's entries that it uses. It is locked while
/// the render runs, so that others can tell it from one whose host was killed.
final class PartsFolder: Sendable {
    let path: String
    private let lock: Int32

    /// Makes the folder, and removes those that killed renders have left.
    /// - Parameter cache: the cache's folder; made where it does not exist.
    init(in cache: String) throws(HostError) {
        let parts = cache + "/parts"
        path = "\(parts)/\(getpid())-\(String(UInt32.random(in: .min ... .max), radix: 36))"
        func failure(_ code: Int32) -> HostError {
            HostError(.cannotCreate, "The cache folder ‘\(cache)’ cannot be written to: \(systemText(code)).")
        }
        let code = makeFolders(parts)
        guard code == 0 else { throw failure(code) }
        // Nobody looks for abandoned folders between the folder and its lock.
        let others = try CacheLock(cache)
        defer { withExtendedLifetime(others) {} }
        Self.removeAbandoned(parts)
        Leavings.all.note(path, .item)
        var descriptor: Int32 = -1
        if mkdir(path, 0o755) == 0 {
            descriptor = open(path + "/" + Self.lockName, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        }
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            if descriptor >= 0 { close(descriptor) }
            try? FileManager.default.removeItem(atPath: path)
            Leavings.all.forget(path)
            throw failure(code)
        }
        lock = descriptor
    }

    deinit { close(lock) }

    private static let lockName = ".lock"

    private static func removeAbandoned(_ parts: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parts)) ?? []
        where !isInUse("\(parts)/\(name)") {
            try? FileManager.default.removeItem(atPath: "\(parts)/\(name)")
        }
    }

    private static func isInUse(_ folder: String) -> Bool {
        // Looking needs no right to write.
        let descriptor = open(folder + "/" + lockName, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno != ENOENT && errno != ENOTDIR }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0
    }

    /// How many renders use the cache now. To be called with the cache's lock.
    static func countInUse(in cache: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: cache + "/parts")) ?? []
        return names.count { isInUse("\(cache)/parts/\($0)") }
    }

    /// Removes the folder with everything in it.
    func remove() {
        try? FileManager.default.removeItem(atPath: path)
        Leavings.all.forget(path)
    }
}
