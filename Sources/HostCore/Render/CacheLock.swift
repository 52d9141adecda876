import Files

/// Holds the lock file of the cache: while it exists, no other host adds or removes an entry. The
/// file contains the size of all entries, so that adding one does not require scanning the others.
///
/// The size is written before an entry appears and after one was removed, so a host that dies in
/// between leaves it too large, never too small; the next eviction recounts.
final class CacheLock {
    private let lock: FileLock

    /// Waits until other hosts are done, which takes milliseconds unless one is stopped in the
    /// middle.
    /// - Parameter folder: the cache's folder, which must exist.
    init(_ folder: String) throws(HostError) {
        let path = folder + "/lock"
        do throws(FileLock.Failure) { lock = try Self.take(path, .unbounded) } catch { throw Self.failure(path, error) }
    }

    /// Takes the lock if it is free; nil if another process holds it.
    init?(ifFree folder: String) throws(HostError) {
        let path = folder + "/lock"
        do throws(FileLock.Failure) { lock = try Self.take(path, .none) } catch {
            if error == .held { return nil }
            throw Self.failure(path, error)
        }
    }

    private static func take(_ path: String, _ patience: FileLock.Patience) throws(FileLock.Failure) -> FileLock {
        try FileLock(path, permissions: .readableByAll, patience: patience)
    }

    /// The size of all entries in bytes; nil if they were not counted yet.
    var total: Int64? {
        get {
            guard let bytes = try? lock.file.read(Self.width), bytes.count == Self.width else { return nil }
            return Int64(String(decoding: bytes, as: UTF8.self).drop { $0 == " " })
        }
        set {
            let digits = newValue.map { "\($0)" } ?? ""
            let text = String(repeating: " ", count: max(0, Self.width - digits.utf8.count)) + digits
            // A missing size is better than an old one.
            do { try lock.file.write(text.utf8, at: 0) } catch { try? lock.file.resize(to: 0) }
        }
    }

    private static let width = 20

    private static func failure(_ path: String, _ failure: FileLock.Failure) -> HostError {
        HostError(.inputOutput, "The cache's lock ‘\(path)’ cannot be taken: \(failure.reason).")
    }
}
