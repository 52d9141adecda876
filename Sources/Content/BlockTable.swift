import FoundationEssentials
import Hashing

/// The digests of a content's blocks. Each block can be checked on arrival, long before the whole
/// content is present.
public struct BlockTable: Hashable, Sendable {
    /// The bytes of a block; the last block of a content may be shorter.
    public static let blockSize = 256 << 10
    /// The bytes of a block's digest: the first bytes of its SHA-256.
    public static let digestSize = 16

    /// The digests, concatenated.
    public private(set) var bytes: Data

    /// Reads digests.
    /// - Returns: nil unless there is one digest for each block of the content.
    public init?(_ bytes: Data, of id: ContentID) {
        guard bytes.count == Self.count(of: id.size) * Self.digestSize else { return nil }
        // Makes indices start at zero, even for a slice.
        self.bytes = Data(bytes)
    }

    fileprivate init() { bytes = Data() }

    public static func count(of size: Int64) -> Int { Int((size + Int64(blockSize) - 1) / Int64(blockSize)) }

    public var count: Int { bytes.count / Self.digestSize }

    /// Returns the byte range of a block; empty if a content of this size has no such block.
    public static func range(_ block: Int, of size: Int64) -> Range<Int64> {
        guard (0..<count(of: size)).contains(block) else { return size..<size }
        let start = Int64(block) * Int64(blockSize)
        return start..<min(size, start + Int64(blockSize))
    }

    public func holds(_ block: Int, _ content: Data) -> Bool {
        guard (0..<count).contains(block) else { return false }
        let start = block * Self.digestSize
        return content.withUnsafeBytes(Self.digest) == bytes[start..<start + Self.digestSize]
    }

    fileprivate mutating func append(_ content: UnsafeRawBufferPointer) { bytes += Self.digest(content) }

    private static func digest(_ content: UnsafeRawBufferPointer) -> Data {
        var hasher = SHA256()
        hasher.update(content)
        return Data(hasher.finishBytes().prefix(digestSize))
    }
}

/// The name and the block digests of a complete file.
public struct ContentRecord: Hashable, Sendable {
    public let id: ContentID
    public let table: BlockTable

    public init(id: ContentID, table: BlockTable) { (self.id, self.table) = (id, table) }

    /// Reads and hashes a whole file.
    /// - Parameter goesOn: called with the progress; false stops reading.
    /// - Returns: nil if it was stopped, or the file changed meanwhile.
    public init?(
        counting file: borrowing ContentFile, goesOn: (Int64) -> Bool = { _ in true }
    ) throws(ContentFile.Problem) {
        var hasher = SHA256()
        var table = BlockTable()
        var size: Int64 = 0
        let wholeSize = file.stamp.size
        let isRead = try file.visitBlocks { block in
            hasher.update(block)
            table.append(block)
            size += Int64(block.count)
            return size <= wholeSize && goesOn(size)
        }
        guard isRead, size == wholeSize, try file.isAsItWas(),
            let id = ContentID(digest: hasher.finish(), size: size)
        else { return nil }
        self.init(id: id, table: table)
    }
}
