import FoundationEssentials
import Glibc

/// What tells a file, and each version of it, from all others of this machine.
public struct FileStamp: Hashable, Sendable, Codable {
    public let device: UInt64
    public let inode: UInt64
    public let size: Int64
    /// Nanoseconds since 1970.
    public let modified: Int64
    /// The same of its last change of any kind, which nobody can set.
    public let changed: Int64

    public init(_ info: stat) {
        (device, inode, size) = (UInt64(info.st_dev), UInt64(info.st_ino), Int64(info.st_size))
        (modified, changed) = (info.st_mtim.nanoseconds, info.st_ctim.nanoseconds)
    }

    /// The same as a text, which no other version of a file has.
    public var text: String { "\(device) \(inode) \(size) \(modified) \(changed)" }
}

/// A regular file that is open for reading.
public struct ContentFile: ~Copyable {
    public struct Problem: Error, CustomStringConvertible {
        /// Half a sentence that goes on after the path.
        public let description: String
        public let isMissing: Bool

        init(_ description: String, isMissing: Bool = false) {
            (self.description, self.isMissing) = (description, isMissing)
        }

        init(_ code: Int32) {
            self.init(
                "cannot be read: \(String(cString: strerror(code)))", isMissing: code == ENOENT || code == ENOTDIR)
        }
    }

    private let descriptor: Int32
    public let stamp: FileStamp

    public init(path: String) throws(Problem) {
        // What is no regular file must not make us wait.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Problem(errno) }
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw Problem("is no file")
        }
        (self.descriptor, stamp) = (descriptor, FileStamp(info))
    }

    deinit { close(descriptor) }

    /// - Returns: `count` bytes, fewer only at the end.
    public func read(_ count: Int, at offset: Int64) throws(Problem) -> Data {
        var bytes = Data(count: count)
        var filled = 0
        while filled < count {
            let got = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress.map { $0 + filled }, count - filled, off_t(offset) + filled)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw Problem(errno) }
            if got == 0 { break }
            filled += got
        }
        return bytes.prefix(filled)
    }

    public func read(block: Int) throws(Problem) -> Data {
        let range = BlockTable.range(block, of: stamp.size)
        return range.isEmpty ? Data() : try read(range.count, at: range.lowerBound)
    }

    public func isAsItWas() throws(Problem) -> Bool {
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { throw Problem(errno) }
        return FileStamp(info) == stamp
    }
}
