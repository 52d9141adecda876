import FoundationEssentials

/// A request for blocks of a content that a reader needs next, sent through a pipe to the process
/// that fetches them. It is shorter than `PIPE_BUF`, so writes of several readers never mix.
///
/// ```
///   0  8 bytes   "CTRMWISH"
///   8  u64       size of the content in bytes
///  16  u32, u32  the first block, and how many
///  24  64 bytes  the content's digest, as text
/// ```
public struct ContentWish: Hashable, Sendable {
    public let id: ContentID
    public let blocks: Range<Int>

    /// The size of a request in bytes.
    public static let size = 88
    /// The most blocks of one request.
    public static let most = 64
    private static let magic = Data("CTRMWISH".utf8)

    public init(_ id: ContentID, _ blocks: Range<Int>) {
        (self.id, self.blocks) = (id, blocks.prefix(Self.most))
    }

    public var bytes: Data {
        var bytes = Self.magic
        withUnsafeBytes(of: UInt64(id.size).littleEndian) { bytes += $0 }
        for number in [blocks.lowerBound, blocks.count] {
            withUnsafeBytes(of: UInt32(clamping: number).littleEndian) { bytes += $0 }
        }
        return bytes + Data(id.digest.utf8)
    }

    /// Takes the first request from bytes that were read from a pipe, and drops anything before it.
    /// - Returns: nil if there is no complete request yet.
    public static func take(from bytes: inout Data) -> ContentWish? {
        while let start = bytes.firstRange(of: magic)?.lowerBound {
            let record = Data(bytes[start...].prefix(size))
            guard record.count == size else { break }
            if let wish = ContentWish(record) {
                bytes = Data(bytes[(start + size)...])
                return wish
            }
            bytes = Data(bytes[(start + 1)...])
        }
        // The beginning of a request may still be completed.
        bytes = Data(bytes.suffix(size - 1))
        return nil
    }

    private init?(_ record: Data) {
        func number<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Number {
            record.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
        }
        let (first, count) = (Int(number(16, UInt32.self)), Int(number(20, UInt32.self)))
        guard let size = Int64(exactly: number(8, UInt64.self)),
            let id = ContentID(digest: String(decoding: record[24...], as: UTF8.self), size: size),
            (1...Self.most).contains(count), first + count <= BlockTable.count(of: size)
        else { return nil }
        self.init(id, first..<first + count)
    }
}
