import FoundationEssentials
import Glibc
import SystemPackage

/// An error of the system. Its description is the system's own text, as in "No space left on
/// device".
public typealias Errno = SystemPackage.Errno

/// An open file or folder. It is closed with the value, and programs that this process starts do
/// not inherit it.
///
/// Reads and writes are whole: short ones continue, and interrupted ones are repeated.
public struct OpenFile: ~Copyable, Sendable {
    /// The open descriptor, for calls that have no method here. It stays this value's: do not close
    /// it.
    public let descriptor: FileDescriptor

    /// Opens a file.
    /// - Parameters:
    ///   - options: `closeOnExec` is added.
    ///   - permissions: of a file that is made; needed with `create`.
    public init(
        _ path: String, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions = [],
        permissions: FilePermissions? = nil
    ) throws(Errno) {
        descriptor = try typed {
            try FileDescriptor.open(path, mode, options: options.union(.closeOnExec), permissions: permissions)
        }
    }

    deinit { try? descriptor.close() }

    /// Returns what the system says of the file.
    public func status() throws(Errno) -> stat {
        var info = stat()
        guard fstat(descriptor.rawValue, &info) == 0 else { throw Errno(rawValue: errno) }
        return info
    }

    // MARK: Writing

    /// Writes all bytes at the file's position, or at its end if it is open with `append`.
    public func write(_ bytes: some Sequence<UInt8>) throws(Errno) {
        try typed { _ = try descriptor.writeAll(bytes) }
    }

    /// Writes all bytes at an offset.
    public func write(_ bytes: some Sequence<UInt8>, at offset: Int64) throws(Errno) {
        try typed { _ = try descriptor.writeAll(toAbsoluteOffset: offset, bytes) }
    }

    /// Cuts or extends the file to a size in bytes.
    public func resize(to size: Int64) throws(Errno) { try typed { try descriptor.resize(to: size) } }

    /// Waits until the file is on the disk.
    public func sync() throws(Errno) {
        guard fsync(descriptor.rawValue) == 0 else { throw Errno(rawValue: errno) }
    }

    // MARK: Reading

    /// Returns `count` bytes at an offset, fewer only at the end of the file.
    public func read(_ count: Int, at offset: Int64 = 0) throws(Errno) -> Data {
        var bytes = Data(count: count)
        var result = Result<Int, Errno>.success(0)
        bytes.withUnsafeMutableBytes { buffer in
            result = Result { () throws(Errno) in try read(into: buffer, at: offset) }
        }
        return bytes.prefix(try result.get())
    }

    /// Fills a buffer with the bytes at an offset.
    /// - Returns: how many bytes were read, fewer than the buffer takes only at the end of the
    ///   file.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = try typed { [filled] in
                try descriptor.read(fromAbsoluteOffset: offset + Int64(filled), into: rest)
            }
            if count == 0 { break }
            filled += count
        }
        return filled
    }
}

extension OpenFile {
    /// Makes a file with these bytes. Where that fails, nothing is left of it.
    /// - Parameters:
    ///   - replaces: a file of that name is overwritten; else it is an error.
    ///   - isDurable: waits until the bytes are on the disk.
    public static func make(
        _ path: String, _ bytes: some Sequence<UInt8>, permissions: FilePermissions, replaces: Bool, isDurable: Bool
    ) throws(Errno) {
        let file = try OpenFile(
            path, .writeOnly, [.create, replaces ? .truncate : .exclusiveCreate], permissions: permissions)
        do throws(Errno) {
            try file.write(bytes)
            if isDurable { try file.sync() }
        } catch {
            unlink(path)
            throw error
        }
    }
}

extension FilePermissions {
    /// 0644: all may read, the owner may write.
    public static var readableByAll: FilePermissions { [.ownerReadWrite, .groupRead, .otherRead] }
}

/// Gives errors of swift-system, which throws nothing else, their type.
func typed<Result>(_ body: () throws -> Result) throws(Errno) -> Result {
    do {
        return try body()
    } catch let error as Errno {
        throw error
    } catch {
        preconditionFailure("swift-system threw \(error)")
    }
}
