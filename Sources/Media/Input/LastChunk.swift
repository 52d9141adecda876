/// Whether the last piece of a file that consists of sized pieces is longer than the file.
enum LastChunk {
    /// Walks the tags of an FLV file (Adobe Flash Video File Format 10.1, annex E) by their sizes.
    /// False where something else than a tag begins.
    static func isCutOffInFLV(_ file: InputFile) throws(MediaError) -> Bool {
        let head = try file.bytes(at: 0, count: 9)
        guard head.count == 9, head.starts(with: Array("FLV".utf8)) else { return false }
        // The size of the tag before follows each tag, and the header.
        var position = number(head[5..<9]) + 4
        while position < file.size {
            let tag = try file.bytes(at: position, count: 11)
            // Bit 5 says that the tag is encrypted: sound, picture, or data.
            guard let kind = tag.first, [8, 9, 18].contains(kind & 0x1F) else { return false }
            guard tag.count == 11 else { return true }
            let end = position + 11 + number(tag[1..<4])
            if end > file.size { return true }
            file.found()
            position = end + 4
        }
        return false
    }

    /// Walks the chunks of a RIFF or RF64 file (EBU Tech 3306) up to its sound.
    static func isCutOffInWAV(_ file: InputFile) throws(MediaError) -> Bool {
        let head = try file.bytes(at: 0, count: 12)
        guard head.starts(with: Array("RIFF".utf8)) || head.starts(with: Array("RF64".utf8)) else { return false }
        var (position, long): (Int64, Int64?) = (12, nil)
        for _ in 0..<mostChunks {
            let chunk = try file.bytes(at: position, count: 24)
            guard chunk.count >= 8 else { return false }
            let size = number(chunk[4..<8].reversed())
            let content = position + 8
            if chunk.starts(with: Array("ds64".utf8)), chunk.count == 24 { long = number(chunk[16..<24].reversed()) }
            if chunk.starts(with: Array("data".utf8)) {
                let sound = size == 0xFFFF_FFFF ? long : isUnknown(size) ? nil : size
                guard let sound, sound >= 0 else { return false }
                return sound > file.size - content
            }
            position = content + size + size % 2
        }
        return false
    }

    /// Programs that write to a pipe leave one of these: they do not know the size yet.
    private static func isUnknown(_ size: Int64) -> Bool {
        size == 0 || size >= 0xFFFF_F000 || (0x7FFF_F000...0x8000_0000).contains(size)
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> Int64 {
        bytes.reduce(0) { $0 << 8 | Int64($1) }
    }

    private static let mostChunks = 1000
}
