import Files
import FoundationEssentials
import Glibc

/// The identity of a version of a file, unique on this machine.
public struct FileStamp: Hashable, Sendable, Codable {
    public let device: UInt64
    public let inode: UInt64
    public let size: Int64
    /// The modification time, in nanoseconds since 1970.
    public let modified: Int64
    /// The time of the last change of any kind (ctime), which programs cannot set, in nanoseconds
    /// since 1970.
    public let changed: Int64

    public init(_ info: stat) {
        (device, inode, size) = (UInt64(info.st_dev), UInt64(info.st_ino), Int64(info.st_size))
        (modified, changed) = (info.st_mtim.nanoseconds, info.st_ctim.nanoseconds)
    }

    /// A text form, unique to this version of the file.
    public var text: String { "\(device) \(inode) \(size) \(modified) \(changed)" }
}

/// A regular file that is open for reading.
public struct ContentFile: ~Copyable {
    public struct Problem: Error, CustomStringConvertible {
        /// Half a sentence that continues after the path.
        public let description: String
        public let isMissing: Bool

        init(_ description: String, isMissing: Bool = false) {
            (self.description, self.isMissing) = (description, isMissing)
        }

        init(_ error: Errno) {
            self.init("cannot be read: \(error)", isMissing: error == .noSuchFileOrDirectory || error == .notDirectory)
        }
    }

    private let file: OpenFile
    public let stamp: FileStamp

    public init(path: String) throws(Problem) {
        // Without `nonBlocking`, opening a FIFO waits for its other end.
        let file = try Self.reading { () throws(Errno) in try OpenFile(path, .readOnly, .nonBlocking) }
        guard let info = try? file.status(), info.st_mode & S_IFMT == S_IFREG else {
            throw Problem("is not a regular file")
        }
        stamp = FileStamp(info)
        self.file = file
    }

    private static func reading<Result: ~Copyable>(_ body: () throws(Errno) -> Result) throws(Problem) -> Result {
        do throws(Errno) { return try body() } catch { throw Problem(error) }
    }

    /// Reads bytes.
    /// - Returns: `count` bytes, fewer only at the end of the file.
    public func read(_ count: Int, at offset: Int64) throws(Problem) -> Data {
        try Self.reading { () throws(Errno) in try file.read(count, at: offset) }
    }

    /// Reads the file from its start to its end, block by block.
    /// - Parameter visit: called with each block, which is valid during the call; false stops
    ///   reading.
    /// - Returns: false if `visit` stopped it.
    func visitBlocks(_ visit: (UnsafeRawBufferPointer) -> Bool) throws(Problem) -> Bool {
        try Self.reading { () throws(Errno) in try file.visitBlocks(of: BlockTable.blockSize, visit) }
    }

    public func read(block: Int) throws(Problem) -> Data {
        let range = BlockTable.range(block, of: stamp.size)
        return range.isEmpty ? Data() : try read(range.count, at: range.lowerBound)
    }

    public func isAsItWas() throws(Problem) -> Bool {
        FileStamp(try Self.reading { () throws(Errno) in try file.status() }) == stamp
    }
}
