import Glibc
import Hashing
import SystemPackage

/// The SHA-256 of a file's bytes, and how many they were.
public struct FileDigest: Hashable, Sendable {
    public let size: Int64
    /// Lower-case hexadecimal, 64 characters.
    public let digest: String
}

extension OpenFile {
    /// Bytes that are read at a time.
    public static let blockSize = 1 << 20

    /// Reads the file from its start to its end.
    ///
    /// A file that is cut meanwhile ends earlier: compare the size where that matters.
    /// - Parameters:
    ///   - size: of a block in bytes. The last one may have fewer; an empty file has none.
    ///   - visit: called with each block, which is valid during the call; false ends the reading.
    /// - Returns: false where `visit` ended it.
    @discardableResult
    public func visitBlocks(
        of size: Int = OpenFile.blockSize, _ visit: (UnsafeRawBufferPointer) -> Bool
    ) throws(Errno) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while true {
            let count = try read(into: buffer, at: offset)
            if count > 0, !visit(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { return false }
            if count < size { return true }
            offset += Int64(count)
        }
    }

    /// Digests the file from its start to its end.
    public func digest() throws(Errno) -> FileDigest {
        var hasher = SHA256()
        var size: Int64 = 0
        try visitBlocks { block in
            hasher.update(block)
            size += Int64(block.count)
            return true
        }
        return FileDigest(size: size, digest: hasher.finish())
    }

    /// Digests the file from its start to its end.
    /// - Parameter check: called after each block; what it throws ends the reading.
    /// - Throws: ``Errno``, or what `check` throws.
    public func digest(_ check: () throws -> Void) throws -> FileDigest {
        var hasher = SHA256()
        var size: Int64 = 0
        var stop: (any Error)?
        try visitBlocks { block in
            hasher.update(block)
            size += Int64(block.count)
            do { try check() } catch { stop = error }
            return stop == nil
        }
        if let stop { throw stop }
        return FileDigest(size: size, digest: hasher.finish())
    }
}
