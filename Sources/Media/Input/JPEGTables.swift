import CFFmpeg

/// The tables of a Motion JPEG stream that hold at a frame: quantization and Huffman tables (ITU-T
/// T.81, B.2.4).
///
/// A frame may lack tables, and those that were defined last hold. So each frame gets what it
/// lacks, and the picture does not depend on which frames a decoder has had before. Huffman tables
/// that the stream's first frame lacks are the usual ones (K.3) in all frames without their own, as
/// in AVI.
struct JPEGTables: Hashable {
    private struct Key: Hashable {
        /// The marker: 0xDB for quantization, 0xC4 for Huffman tables.
        var marker: UInt8
        /// The table's class and destination, without the precision of a quantization table.
        var destination: UInt8
    }

    private struct Table: Hashable {
        var key: Key
        var bytes: [UInt8]
    }

    /// The tables that frames may redefine, in the order of the first frame.
    private var carried: [Table]
    /// Usual Huffman tables that the first frame lacks.
    private let usual: [Table]

    /// - Parameter first: the stream's first packet.
    init(first: Packet) {
        var own: [Table] = []
        // A frame may define a table twice; the second one holds.
        for table in Self.tables(in: first.content) {
            own.removeAll { $0.key == table.key }
            own.append(table)
        }
        let keys = Set(own.map(\.key))
        carried = own
        usual = Self.tables(in: [0xFF, 0xD8] + Self.usualHuffman).filter { !keys.contains($0.key) }
    }

    /// The bytes that the tables take.
    var size: Int { (carried + usual).reduce(0) { $0 + $1.bytes.count } }

    /// Whether a frame needs tables of frames before.
    func lacks(in packet: Packet) -> Bool {
        guard Self.isImage(packet) else { return false }
        let keys = Set(Self.tables(in: packet.content).map(\.key))
        return carried.contains { !keys.contains($0.key) }
    }

    /// Takes the tables that a packet defines.
    mutating func take(_ packet: Packet) {
        guard Self.isImage(packet) else { return }
        for table in Self.tables(in: packet.content) {
            guard let index = carried.firstIndex(where: { $0.key == table.key }) else { continue }
            carried[index] = table
        }
    }

    /// Adds the tables that a packet lacks.
    func complete(_ packet: Packet) throws(MediaError) {
        guard Self.isImage(packet) else { return }
        let keys = Set(Self.tables(in: packet.content).map(\.key))
        let missing = (carried + usual).filter { !keys.contains($0.key) }
        guard !missing.isEmpty else { return }
        let segments = missing.flatMap { table -> [UInt8] in
            let length = table.bytes.count + 2
            return [0xFF, table.key.marker, UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)] + table.bytes
        }
        try packet.insert(segments, at: 2)
    }

    private static func isImage(_ packet: Packet) -> Bool {
        let content = packet.content
        return content.count > 4 && content[0] == 0xFF && content[1] == 0xD8
    }

    /// The tables before the first scan, as far as they can be read.
    private static func tables(in bytes: some RandomAccessCollection<UInt8>) -> [Table] {
        let bytes = bytes.prefix(headLimit)
        var found: [Table] = []
        func byte(_ offset: Int) -> UInt8 { bytes[bytes.index(bytes.startIndex, offsetBy: offset)] }
        var position = 2
        while position + 4 <= bytes.count, byte(position) == 0xFF {
            let marker = byte(position + 1)
            if marker == 0xFF {
                position += 1
                continue
            }
            // A scan, or the image's end.
            if marker == 0xDA || marker == 0xD9 { break }
            let length = Int(byte(position + 2)) << 8 | Int(byte(position + 3))
            let end = position + 2 + length
            guard length >= 2, end <= bytes.count else { break }
            var table = position + 4
            while marker == 0xDB || marker == 0xC4, table < end {
                let size: Int
                if marker == 0xDB {
                    size = byte(table) >> 4 == 0 ? 65 : 129
                } else {
                    guard table + 17 <= end else { break }
                    size = 17 + (1...16).reduce(0) { $0 + Int(byte(table + $1)) }
                }
                guard table + size <= end else { break }
                let destination = marker == 0xDB ? byte(table) & 15 : byte(table)
                let key = Key(marker: marker, destination: destination)
                found.append(Table(key: key, bytes: (table..<table + size).map(byte)))
                table += size
            }
            position = end
        }
        return found
    }

    /// Tables lie in the first kilobytes; what is before them may be pictures and profiles of this
    /// size.
    private static let headLimit = 1 << 20

    /// The tables of ITU-T T.81, K.3.3, as one segment.
    private static let usualHuffman: [UInt8] = {
        let luma: [UInt8] = [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
        let chroma: [UInt8] = [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0]
        let lumaScan: [UInt8] = [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7D]
        let chromaScan: [UInt8] = [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 0x77]
        let steps: [UInt8] = Array(0...11)
        let tables: [UInt8] =
            [0x00] + luma + steps + [0x01] + chroma + steps + [0x10] + lumaScan + lumaValues + [0x11] + chromaScan
            + chromaValues
        let length = tables.count + 2
        return [0xFF, 0xC4, UInt8(length >> 8), UInt8(length & 0xFF)] + tables
    }()

    private static let lumaValues: [UInt8] = [
        0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71,
        0x14, 0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52, 0xD1, 0xF0, 0x24, 0x33, 0x62, 0x72,
        0x82, 0x09, 0x0A, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x34, 0x35, 0x36, 0x37,
        0x38, 0x39, 0x3A, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59,
        0x5A, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A, 0x83,
        0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8A, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9A, 0xA2, 0xA3,
        0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xAA, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA, 0xC2, 0xC3,
        0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0xDA, 0xE1, 0xE2,
        0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0xFA,
    ]

    private static let chromaValues: [UInt8] = [
        0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13, 0x22,
        0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xA1, 0xB1, 0xC1, 0x09, 0x23, 0x33, 0x52, 0xF0, 0x15, 0x62, 0x72, 0xD1,
        0x0A, 0x16, 0x24, 0x34, 0xE1, 0x25, 0xF1, 0x17, 0x18, 0x19, 0x1A, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x35, 0x36,
        0x37, 0x38, 0x39, 0x3A, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58,
        0x59, 0x5A, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A,
        0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8A, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9A,
        0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xAA, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA,
        0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0xDA,
        0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0xFA,
    ]
}
