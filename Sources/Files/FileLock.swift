import Glibc
import SystemPackage

/// An exclusive lock on a file (flock(2)), which one process has at a time. It ends with the value,
/// and with the process, however that ends.
///
/// The lock belongs to the file that has the name when the lock is taken: one that was removed or
/// replaced while this process waited for it would be a lock that no other process sees.
public final class FileLock: Sendable {
    public enum Failure: Error, Hashable, Sendable {
        /// Another process, or another ``FileLock`` of this one, has the lock.
        case held
        case cannotOpen(Errno)
        /// The file system may have no locks.
        case cannotLock(Errno)

        /// Returns what the system says of it.
        public var reason: Errno {
            switch self {
            case .held: .wouldBlock
            case .cannotOpen(let error), .cannotLock(let error): error
            }
        }
    }

    public enum Patience: Sendable {
        /// Tries once.
        case none
        /// Tries for a fifth of a second. A process that the last holder was just starting has the
        /// lock until it has become another program.
        case brief
        /// Waits until the lock is free.
        case unbounded
    }

    /// The locked file.
    public let file: OpenFile

    private static let (tries, pause) = (10, 20_000 as useconds_t)
    /// How often the file may be replaced while its lock is taken.
    private static let mostReplacements = 100

    /// Takes the lock.
    /// - Parameters:
    ///   - options: `create` is added if there are `permissions`.
    ///   - permissions: of the file, which is made where it is missing; nil: it has to exist.
    public init(
        _ path: String, _ mode: FileDescriptor.AccessMode = .readWrite, _ options: FileDescriptor.OpenOptions = [],
        permissions: FilePermissions? = nil, patience: Patience = .none
    ) throws(Failure) {
        let options = permissions == nil ? options : options.union(.create)
        file = try Self.take(path, patience) { () throws(Errno) in
            try OpenFile(path, mode, options, permissions: permissions)
        }
    }

    private static func take(
        _ path: String, _ patience: Patience, _ open: () throws(Errno) -> OpenFile
    ) throws(Failure) -> OpenFile {
        for _ in 0..<mostReplacements {
            let file: OpenFile
            do throws(Errno) { file = try open() } catch { throw .cannotOpen(error) }
            try lock(file.descriptor, patience)
            if isNamed(path, file) { return file }
        }
        throw .held
    }

    private static func lock(_ file: FileDescriptor, _ patience: Patience) throws(Failure) {
        var pauses = patience == .brief ? tries : 0
        while flock(file.rawValue, patience == .unbounded ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK:
                guard pauses > 0 else { throw .held }
                pauses -= 1
                usleep(pause)
            default: throw .cannotLock(Errno(rawValue: errno))
            }
        }
    }

    /// Whether the file still has the name under which it was opened.
    private static func isNamed(_ path: String, _ file: borrowing OpenFile) -> Bool {
        var named = stat()
        guard stat(path, &named) == 0, let held = try? file.status() else { return false }
        return held.st_ino == named.st_ino && held.st_dev == named.st_dev
    }
}
