import Foundation

/// The pages of an Ogg file, to be left out and changed (RFC 3533, section 6).
struct OggFile {
    struct Page {
        var bytes: [UInt8]

        var serial: [UInt8] { Array(bytes[14..<18]) }
        var granule: Int64 { bytes[6..<14].reversed().reduce(0) { $0 << 8 | Int64($1) } }
        var content: Range<Int> { 27 + Int(bytes[26])..<bytes.count }

        /// Computes the checksum anew.
        mutating func seal() {
            bytes.replaceSubrange(22..<26, with: [0, 0, 0, 0])
            var sum: UInt32 = 0
            for byte in bytes {
                sum ^= UInt32(byte) << 24
                for _ in 0..<8 { sum = sum << 1 ^ (sum & 1 << 31 != 0 ? 0x04C1_1DB7 : 0) }
            }
            for index in 0..<4 { bytes[22 + index] = UInt8(truncatingIfNeeded: sum >> (8 * index)) }
        }
    }

    var pages: [Page] = []

    init(_ path: String) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var start = 0
        while start + 27 < bytes.count {
            let table = start + 27 + Int(bytes[start + 26])
            let end = table + bytes[start + 27..<table].reduce(0) { $0 + Int($1) }
            pages.append(Page(bytes: Array(bytes[start..<end])))
            start = end
        }
    }

    func write(to path: String) throws {
        try Data(pages.flatMap(\.bytes)).write(to: URL(fileURLWithPath: path))
    }
}
