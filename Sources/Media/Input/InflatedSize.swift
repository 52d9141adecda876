/// How much a zlib stream inflates to (RFC 1950, RFC 1951), counted without keeping any of it.
/// Deflate makes 1032 bytes out of one at most, so a small file can hold gigabytes.
struct InflatedSize {
    /// The greatest number of bytes that one compressed byte can stand for.
    static let greatestRatio = 1032

    private let bytes: ArraySlice<UInt8>
    private var position: Int
    private var buffer: UInt32 = 0
    private var bits = 0
    private var count = 0
    private let limit: Int

    /// The number of bytes, or a number above `limit` once that is passed. A damaged stream counts
    /// as far as it can be read.
    static func count(_ stream: ArraySlice<UInt8>, limit: Int) -> Int {
        var size = InflatedSize(stream, limit: limit)
        while size.count <= limit, size.readBlock() {}
        return size.count
    }

    private init(_ stream: ArraySlice<UInt8>, limit: Int) {
        // The two bytes of the zlib header go before.
        (bytes, position, self.limit) = (stream, stream.startIndex + 2, limit)
    }

    private mutating func take(_ wanted: Int) -> Int? {
        while bits < wanted {
            guard position < bytes.endIndex else { return nil }
            buffer |= UInt32(bytes[position]) << UInt32(bits)
            position += 1
            bits += 8
        }
        let value = Int(buffer & (1 << UInt32(wanted) - 1))
        buffer >>= UInt32(wanted)
        bits -= wanted
        return value
    }

    /// False after the last block, and where the stream is damaged.
    private mutating func readBlock() -> Bool {
        guard let isLast = take(1), let kind = take(2) else { return false }
        let isRead: Bool
        switch kind {
        case 0: isRead = readStored()
        case 1: isRead = readCodes(Self.fixedLengths, Self.fixedDistances)
        case 2: isRead = readDynamic()
        default: isRead = false
        }
        return isRead && isLast == 0
    }

    private mutating func readStored() -> Bool {
        (buffer, bits) = (0, 0)
        guard position + 4 <= bytes.endIndex else { return false }
        let length = Int(bytes[position]) | Int(bytes[position + 1]) << 8
        position += 4
        let there = min(length, bytes.endIndex - position)
        position += there
        count += there
        return there == length
    }

    private mutating func readDynamic() -> Bool {
        guard let lengths = take(5), let distances = take(5), let codes = take(4) else { return false }
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
        var widths = [Int](repeating: 0, count: 19)
        for index in 0..<codes + 4 {
            guard let width = take(3) else { return false }
            widths[order[index]] = width
        }
        let table = Code(widths)
        var all: [Int] = []
        let total = lengths + 257 + distances + 1
        while all.count < total {
            guard let symbol = decode(table) else { return false }
            switch symbol {
            case 0...15: all.append(symbol)
            case 16:
                guard let last = all.last, let more = take(2) else { return false }
                all += Array(repeating: last, count: more + 3)
            default:
                guard let more = take(symbol == 17 ? 3 : 7) else { return false }
                all += Array(repeating: 0, count: more + (symbol == 17 ? 3 : 11))
            }
        }
        return readCodes(Code(Array(all[..<(lengths + 257)])), Code(Array(all[(lengths + 257)...])))
    }

    private mutating func readCodes(_ lengths: Code, _ distances: Code) -> Bool {
        while count <= limit {
            guard let symbol = decode(lengths) else { return false }
            if symbol < 256 {
                count += 1
                continue
            }
            guard symbol > 256 else { return true }
            guard symbol < 286, let more = take(Self.extraBits[symbol - 257]),
                let distance = decode(distances), distance < 30, take(max(0, distance / 2 - 1)) != nil
            else { return false }
            count += Self.lengths[symbol - 257] + more
        }
        return false
    }

    private mutating func decode(_ table: Code) -> Int? {
        var (code, first, index) = (0, 0, 0)
        for width in 1...15 {
            guard let bit = take(1) else { return nil }
            code |= bit
            let there = table.counts[width]
            if code - there < first { return table.symbols[index + code - first] }
            index += there
            first = (first + there) << 1
            code <<= 1
        }
        return nil
    }

    /// A canonical Huffman code, by the widths of its symbols.
    private struct Code {
        /// By width, how many symbols have it.
        var counts = [Int](repeating: 0, count: 16)
        var symbols: [Int]

        init(_ widths: [Int]) {
            for width in widths where width > 0 { counts[width] += 1 }
            symbols = widths.indices.filter { widths[$0] > 0 }.sorted { (widths[$0], $0) < (widths[$1], $1) }
        }
    }

    private static let fixedLengths = Code(
        (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    private static let fixedDistances = Code([Int](repeating: 5, count: 30))
    private static let extraBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let lengths = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
}
