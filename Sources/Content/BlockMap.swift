import CPosix
import Files
import FoundationEssentials
import Glibc

/// Which blocks of a content are in the file beside it: a file of its own that all who use the content have in memory at the same time. One of
/// them writes it; what it says is there lies in the other file already.
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
    // All that changes are single bytes and one counter, which are read and written atomically.
    private let base: UnsafeMutableRawPointer
    private let length: Int
    public let size: Int64
    public let count: Int

    private static let magic = Data("CTRMBLK1".utf8)
    private static let header = 64
    private static let (goneOffset, generationOffset) = (16, 32)

    /// What lies beside the file in its folder.
    public static let fileName = ".map"

    /// Makes the file of a content of which nothing is there.
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

    /// - Returns: nil where the file is not there, or is not whole.
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

    /// Whether all blocks that a range of bytes touches are there.
    public func has(_ range: Range<Int64>) -> Bool { blocks(of: range).allSatisfy(has) }

    public func blocks(of range: Range<Int64>) -> Range<Int> {
        let range = range.clamped(to: 0..<size)
        guard !range.isEmpty else { return 0..<0 }
        let block = Int64(BlockTable.blockSize)
        return Int(range.lowerBound / block)..<Int((range.upperBound - 1) / block) + 1
    }

    public var missing: [Int] { (0..<count).filter { !has($0) } }
    public var isWhole: Bool { (0..<count).allSatisfy(has) }
    /// What is there, in bytes.
    public var present: Int64 {
        (0..<count).reduce(0) { $0 + (has($1) ? Int64(BlockTable.range($1, of: size).count) : 0) }
    }

    public func set(_ block: Int) { cposix_store_byte(flag(block), 1) }

    public func clear(_ block: Int) {
        cposix_add_word(base + Self.generationOffset, 1)
        cposix_store_byte(flag(block), 0)
    }

    /// Another number where blocks have gone meanwhile.
    public var generation: UInt64 { cposix_load_word(base + Self.generationOffset) }

    /// The content is out of its place; whoever wants more of it opens its path anew.
    public var isGone: Bool { cposix_load_byte(base + Self.goneOffset) != 0 }
    public func setGone() { cposix_store_byte(base + Self.goneOffset, 1) }

    /// The digests, for a content of this name.
    public func table(of id: ContentID) -> BlockTable? {
        guard id.size == size else { return nil }
        return BlockTable(
            Data(bytes: base + Self.header + count, count: count * BlockTable.digestSize), of: id)
    }
}
