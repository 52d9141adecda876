import FoundationEssentials
import Hashing

/// The digests of a content's blocks: what has come of it can be checked piece by piece, long before all of it is there.
public struct BlockTable: Hashable, Sendable {
    /// The bytes of a block; the last one of a content may have fewer.
    public static let blockSize = 256 << 10
    /// The bytes of a block's digest, the first ones of its SHA-256.
    public static let digestSize = 16

    /// One digest after the other.
    public private(set) var bytes: Data

    /// - Returns: nil where these are not as many digests as a content of this size has blocks.
    public init?(_ bytes: Data, of id: ContentID) {
        guard bytes.count == Self.count(of: id.size) * Self.digestSize else { return nil }
        // From zero, whatever it was cut out of.
        self.bytes = Data(bytes)
    }

    fileprivate init() { bytes = Data() }

    public static func count(of size: Int64) -> Int { Int((size + Int64(blockSize) - 1) / Int64(blockSize)) }

    public var count: Int { bytes.count / Self.digestSize }

    /// Where a block lies; empty for one that a content of this size does not have.
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

/// What is known of a whole file's content.
public struct ContentRecord: Hashable, Sendable {
    public let id: ContentID
    public let table: BlockTable

    public init(id: ContentID, table: BlockTable) { (self.id, self.table) = (id, table) }

    /// Reads a file from its beginning to its end.
    /// - Parameter goesOn: told how far it is; false ends it.
    /// - Returns: nil where it was ended, or the file has changed meanwhile.
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
