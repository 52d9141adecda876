/// What a PNG file holds beside its picture (PNG, third edition, 11.3): texts and a colour profile,
/// which may be compressed.
///
/// libav inflates them without a bound, and nothing here needs them.
enum PNGChunks {
    /// Bytes to which all compressed texts and profiles of a file may inflate together.
    static let limit = 64 << 20
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// - Throws: `unsupported` where they would inflate to more than ``limit``.
    static func check(_ file: InputFile) throws(MediaError) {
        guard file.size > 8, try file.bytes(at: 0, count: 8) == signature else { return }
        var (position, total) = (Int64(8), 0)
        while position + 12 <= file.size {
            let head = try file.bytes(at: position, count: 8)
            guard head.count == 8 else { return }
            let length = head[..<4].reduce(0) { $0 << 8 | Int64($1) }
            // What follows damage is no chunk, and a hole would be walked through in steps of 12 bytes.
            guard head[4...].allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 }) else { return }
            let name = String(decoding: head[4...], as: UTF8.self)
            if name == "IEND" { return }
            if ["zTXt", "iTXt", "iCCP"].contains(name), length < file.size - position {
                total += try inflated(file, at: position + 8, count: Int(length), limit: limit - total)
                guard total <= limit else { throw tooMuch(file) }
            }
            position += 12 + length
        }
    }

    /// - Returns: an upper bound where that is within the limit, else the number.
    private static func inflated(
        _ file: InputFile, at offset: Int64, count: Int, limit: Int
    ) throws(MediaError) -> Int {
        let bound = count * InflatedSize.greatestRatio
        // What is compressed comes after the keyword and, in an iTXt, after two more texts.
        guard bound > min(limit, 1 << 20) else { return bound }
        guard count <= self.limit else { throw tooMuch(file) }
        let chunk = try file.bytes(at: offset, count: count)
        // A stream begins with 0x78 mostly; where it is not found, the chunk counts with the worst.
        guard
            let start = chunk.indices.first(where: { index in
                index > 0 && chunk[index] & 0x0F == 8 && chunk[index] >> 4 <= 7 && index + 1 < chunk.count
                    && (Int(chunk[index]) << 8 | Int(chunk[index + 1])) % 31 == 0 && chunk[index - 1] == 0
            })
        else { return count }
        return InflatedSize.count(chunk[start...], limit: limit)
    }

    private static func tooMuch(_ file: InputFile) -> MediaError {
        MediaError(
            .unsupported, "read", path: file.path,
            reason:
                "its compressed texts and colour profile would take more than \(limit >> 20) MiB; save it without them")
    }
}
