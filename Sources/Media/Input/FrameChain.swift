import Draft

/// Places at which the frames of a bare sound stream (ADTS) do not follow each other: bytes are missing or overwritten there.
/// libav searches for the next frame and says nothing.
enum FrameChain {
    /// - Parameter format: libavformat's name.
    /// - Returns: nil where there are none, and for formats without such a chain.
    static func breaks(in file: InputFile, format: String) throws(MediaError) -> DataBreaks? {
        guard format == "aac" else { return nil }
        var found = DataBreaks()
        var position: Int64 = 0
        while position + 7 <= file.size {
            let head = try file.bytes(at: position, count: 10)
            if let length = frame(head) ?? tag(head) {
                position += length
            } else if head.starts(with: Array("TAG".utf8)), file.size - position == 128 {
                break
            } else {
                found.add(position)
                guard let next = try nextFrame(in: file, after: position) else { break }
                position = next
            }
        }
        return found.count > 0 ? found : nil
    }

    /// The length of an ADTS frame (ISO/IEC 13818-7, 6.2) that begins with these bytes.
    private static func frame(_ bytes: [UInt8]) -> Int64? {
        guard bytes.count >= 7, bytes[0] == 0xFF, bytes[1] & 0xF6 == 0xF0 else { return nil }
        let length = Int64(bytes[3] & 3) << 11 | Int64(bytes[4]) << 3 | Int64(bytes[5]) >> 5
        return length >= 7 ? length : nil
    }

    /// The length of an ID3v2 tag.
    private static func tag(_ bytes: [UInt8]) -> Int64? {
        guard bytes.count >= 10, bytes.starts(with: Array("ID3".utf8)) else { return nil }
        return 10 + bytes[6..<10].reduce(Int64(0)) { $0 << 7 | Int64($1 & 0x7F) }
    }

    /// The next frame that another one follows, or the file's end.
    private static func nextFrame(in file: InputFile, after start: Int64) throws(MediaError) -> Int64? {
        var position = start + 1
        while position < file.size {
            let block = try file.bytes(at: position, count: 64 << 10)
            guard block.count >= 7 else { return nil }
            for index in 0...(block.count - 7) where block[index] == 0xFF {
                guard let length = frame(Array(block[index..<index + 7])) else { continue }
                let next = position + Int64(index) + length
                if next == file.size { return position + Int64(index) }
                if frame(try file.bytes(at: next, count: 7)) != nil { return position + Int64(index) }
            }
            position += Int64(block.count - 6)
        }
        return nil
    }
}
