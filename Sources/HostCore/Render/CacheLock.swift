import Glibc

/// Holds the cache's lock file: while it lives, no other host adds or removes an entry. What the file says is the size of
/// all entries, so that nobody has to look at each of them to know whether one more fits.
///
/// The number is written before an entry appears and after one has gone, so that a host that dies in between leaves it
/// too large, never too small; the next eviction counts anew.
final class CacheLock {
    private let descriptor: Int32

    /// Waits until the others are done, which takes milliseconds where nobody is stopped in the middle.
    /// - Parameter folder: the cache's, which exists.
    init(_ folder: String) throws(HostError) {
        descriptor = try Self.take(folder + "/lock", LOCK_EX) ?? -1
    }

    /// Takes the lock where nobody has it; nil where somebody has.
    init?(ifFree folder: String) throws(HostError) {
        guard let descriptor = try Self.take(folder + "/lock", LOCK_EX | LOCK_NB) else { return nil }
        self.descriptor = descriptor
    }

    /// - Returns: nil where somebody else has the lock and `operation` does not wait.
    private static func take(_ path: String, _ operation: Int32) throws(HostError) -> Int32? {
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
            guard descriptor >= 0 else { throw failure(path) }
            var result = flock(descriptor, operation)
            while result != 0, errno == EINTR { result = flock(descriptor, operation) }
            guard result == 0 else {
                let isTaken = errno == EWOULDBLOCK
                let failure = failure(path)
                close(descriptor)
                if isTaken { return nil }
                throw failure
            }
            // Somebody may have removed the whole folder meanwhile: then this is a lock that nobody else sees.
            var (held, named) = (stat(), stat())
            if fstat(descriptor, &held) == 0, stat(path, &named) == 0, held.st_ino == named.st_ino {
                return descriptor
            }
            close(descriptor)
        }
    }

    deinit { close(descriptor) }

    /// Bytes in all entries; nil where nobody has counted them yet.
    var total: Int64? {
        get {
            var bytes = [UInt8](repeating: 0, count: Self.width)
            guard pread(descriptor, &bytes, Self.width, 0) == Self.width else { return nil }
            return Int64(String(decoding: bytes, as: UTF8.self).drop { $0 == " " })
        }
        set {
            let digits = newValue.map { "\($0)" } ?? ""
            let text = Array((String(repeating: " ", count: max(0, Self.width - digits.utf8.count)) + digits).utf8)
            // No number is better than an old one.
            if pwrite(descriptor, text, text.count, 0) != text.count { ftruncate(descriptor, 0) }
        }
    }

    private static let width = 20

    private static func failure(_ path: String) -> HostError {
        HostError(.inputOutput, "The cache's lock ‘\(path)’ cannot be taken: \(String(cString: strerror(errno))).")
    }
}
