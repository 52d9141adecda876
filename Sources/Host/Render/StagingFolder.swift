import Cleanup
import Farm
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
final class StagingFolder: Sendable {
    let path: String
    private let lock = Locked<Int32>(-1)

    private static let (prefix, suffix) = (".cutroom-", ".staging")
    private static let lockName = ".lock"
    /// Seconds after which a folder without a lock is abandoned. It takes milliseconds to get one.
    private static let newLimit = 3600

    /// Chooses a name; nothing is made before ``make()``.
    /// - Parameter folder: where the output is to lie. It need not be there yet.
    init(in folder: String) {
        let unique = [UInt32(getpid()), .random(in: .min ... .max)].map { String($0, radix: 36) }
        path = "\(folder)/\(Self.prefix)\(unique.joined(separator: "-"))\(Self.suffix)"
    }

    /// The same for an output, which lies where it is put together.
    convenience init(for output: OutputFile) {
        var info = stat()
        // Pictures go into a folder that is there, which may be another file system than the one around it.
        let isThere = output.pictures?.isFolder == true && stat(output.path, &info) == 0
        self.init(in: isThere ? output.path : output.folder)
    }

    /// Makes the folder, and removes those beside it whose commands were killed.
    func make() throws(HostError) {
        let folder = (path as NSString).deletingLastPathComponent
        Self.removeAbandoned(in: folder)
        Leavings.all.note(path, .item)
        var descriptor: Int32 = -1
        if mkdir(path, 0o700) == 0 {
            descriptor = open(path + "/" + Self.lockName, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        }
        guard descriptor >= 0 else {
            let code = errno
            remove()
            throw HostError(
                .cannotCreate, "The output's folder ‘\(folder)’ cannot be written to: \(systemText(code)).")
        }
        // Where the file system knows no locks the folder is taken for abandoned when it is old.
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
        lock.withLock { $0 = descriptor }
    }

    deinit { remove() }

    /// Removes the folder with everything in it.
    func remove() {
        lock.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
        try? FileManager.default.removeItem(atPath: path)
        Leavings.all.forget(path)
    }

    /// A name in it that nothing else uses.
    func newPath() -> String { "\(path)/output-\(String(UInt32.random(in: .min ... .max), radix: 36))" }

    private static func removeAbandoned(in folder: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where name.hasPrefix(prefix) && name.hasSuffix(suffix) && isAbandoned("\(folder)/\(name)") {
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
    }

    /// Only what is this user's own folder is looked at.
    private static func isAbandoned(_ path: String) -> Bool {
        var info = stat()
        guard lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFDIR, info.st_uid == geteuid() else { return false }
        let descriptor = open(path + "/" + lockName, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return time(nil) - info.st_mtim.tv_sec > newLimit }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
}

/// The parts of a render of this command, and the folder in which its file is put together.
struct StagedParts: PartStore {
    let cache: SegmentCache
    let staging: StagingFolder

    var partsFolder: String { cache.partsFolder }
    func find(_ version: PartVersion) -> WrittenFile? { cache.find(version) }
    func keep(_ part: WrittenFile, as key: String) { cache.keep(part, as: key) }
    func forget(_ key: String) { cache.forget(key) }
    func stage(_ output: OutputFile) -> String { staging.newPath() }
}
