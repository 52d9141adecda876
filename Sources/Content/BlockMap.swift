import CPosix
import Files
import FoundationEssentials
import Glibc

/// A map of the blocks of a content that are present in the file beside it. The map is a file that
/// all its users have mapped at the same time. One of them writes it, and marks a block as present
/// only after the block's bytes were written.
///
/// ```
///   0  8 bytes  "CTRMBLK1"
///   8  u64      size of the content in bytes
///  16  u8       1: no block comes any more (``isGone``)
///  32  u64      counted up before blocks go (``generation``)
///  64  count    a byte for each block: 1, it is there
///   …  16·count the blocks' digests
/// ```
public final class BlockMap: @unchecked Sendable {
    // Only single bytes and one counter change, and these are read and written atomically.
    private let base: UnsafeMutableRawPointer
    private let length: Int
    public let size: Int64
    public let count: Int

    private static let magic = Data("CTRMBLK1".utf8)
    private static let header = 64
    private static let (goneOffset, generationOffset) = (16, 32)

    /// The map's file name, in the folder of its content.
    public static let fileName = ".map"

    /// Makes the map of a content of which no block is present.
    public static func create(_ path: String, _ record: ContentRecord) throws(Errno) {
        var bytes = Data(count: header + record.table.count)
        bytes.replaceSubrange(0..<8, with: magic)
        withUnsafeBytes(of: UInt64(record.id.size).littleEndian) { bytes.replaceSubrange(8..<16, with: $0) }
        bytes += record.table.bytes
        let new = path + ".new"
        try OpenFile.make(new, bytes, permissions: .ownerReadWrite, replaces: true, isDurable: false)
        guard rename(new, path) == 0 else {
            let error = Errno(rawValue: errno)
            unlink(new)
            throw error
        }
    }

    /// Maps an existing file.
    /// - Returns: nil if the file is missing or incomplete.
    public init?(path: String, writes: Bool) {
        guard let file = try? OpenFile(path, writes ? .readWrite : .readOnly, .noFollow),
            let info = try? file.status(), info.st_mode & S_IFMT == S_IFREG, Int(info.st_size) >= Self.header,
            let base = mmap(
                nil, Int(info.st_size), PROT_READ | (writes ? PROT_WRITE : 0), MAP_SHARED, file.descriptor.rawValue,
                0),
            base != MAP_FAILED
        else { return nil }
        (self.base, length) = (base, Int(info.st_size))
        let size = Int64(clamping: UInt64(littleEndian: base.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        self.size = size
        count = size <= ContentID.largest ? BlockTable.count(of: size) : 0
        guard Data(bytes: base, count: 8) == Self.magic, size <= ContentID.largest,
            length == Self.header + count * (1 + BlockTable.digestSize)
        else { return nil }
    }

    deinit { munmap(base, length) }

    private func flag(_ block: Int) -> UnsafeMutableRawPointer { base + Self.header + block }

    public func has(_ block: Int) -> Bool {
        (0..<count).contains(block) && cposix_load_byte(flag(block)) != 0
    }

    /// Returns whether all blocks that a range of bytes touches are present.
    public func has(_ range: Range<Int64>) -> Bool { blocks(of: range).allSatisfy(has) }

    public func blocks(of range: Range<Int64>) -> Range<Int> {
        let range = range.clamped(to: 0..<size)
        guard !range.isEmpty else { return 0..<0 }
        let block = Int64(BlockTable.blockSize)
        return Int(range.lowerBound / block)..<Int((range.upperBound - 1) / block) + 1
    }

    public var missing: [Int] { (0..<count).filter { !has($0) } }
    public var isWhole: Bool { (0..<count).allSatisfy(has) }
    /// The number of bytes that are present.
    public var present: Int64 {
        (0..<count).reduce(0) { $0 + (has($1) ? Int64(BlockTable.range($1, of: size).count) : 0) }
    }

    public func set(_ block: Int) { cposix_store_byte(flag(block), 1) }

    public func clear(_ block: Int) {
        cposix_add_word(base + Self.generationOffset, 1)
        cposix_store_byte(flag(block), 0)
    }

    /// A number that changes when blocks are removed.
    public var generation: UInt64 { cposix_load_word(base + Self.generationOffset) }

    /// Whether the content was removed from its place; a reader that needs more of it must open its
    /// path again.
    public var isGone: Bool { cposix_load_byte(base + Self.goneOffset) != 0 }
    public func setGone() { cposix_store_byte(base + Self.goneOffset, 1) }

    /// Returns the digests, for a content with this name.
    public func table(of id: ContentID) -> BlockTable? {
        guard id.size == size else { return nil }
        return BlockTable(
            Data(bytes: base + Self.header + count, count: count * BlockTable.digestSize), of: id)
    }
}
