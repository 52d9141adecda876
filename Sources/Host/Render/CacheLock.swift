import Glibc

/// Holds the cache's lock file: while it lives, no other host adds or removes an entry. What the file says is the size of
/// all entries, so that nobody has to look at each of them to know whether one more fits.
///
/// The number is written before an entry appears and after one has gone, so that a host that dies in between leaves it
/// too large, never too small; the next eviction counts anew.
final class CacheLock {
    private let descriptor: Int32

    /// Waits until the others are done, which takes milliseconds.
    /// - Parameter folder: the cache's, which exists.
    init(_ folder: String) throws(HostError) {
        let path = folder + "/lock"
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
            guard descriptor >= 0 else { throw Self.failure(path) }
            var result = flock(descriptor, LOCK_EX)
            while result != 0, errno == EINTR { result = flock(descriptor, LOCK_EX) }
            guard result == 0 else {
                let failure = Self.failure(path)
                close(descriptor)
                throw failure
            }
            // Somebody may have removed the whole folder meanwhile: then this is a lock that nobody else sees.
            var (held, named) = (stat(), stat())
            if fstat(descriptor, &held) == 0, stat(path, &named) == 0, held.st_ino == named.st_ino {
                self.descriptor = descriptor
                return
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
