import Glibc

/// Whether a file ends before its content does, as its own structure tells. libav shows what is
/// there of such a file and says nothing; of containers that promise a length, ``Extents`` knows.
enum FileEnd {
    /// - Parameter format: libavformat's name.
    /// - Returns: false where the format has no end mark that is known here.
    static func isMissing(_ file: InputFile, format: String) throws(MediaError) -> Bool {
        switch format {
        case "jpeg_pipe": try isMissingInJPEG(file)
        case "png_pipe", "apng":
            // Its check sum is the file's end.
            try ImageTags.chunk("IEND", file, from: 8, isBigEndian: true, lengthFirst: true).map { $0 + 4 > file.size }
                ?? true
        case "webp_pipe", AnimatedWebP.format:
            // RIFF's length leaves out its first eight bytes.
            try file.bytes(at: 4, count: 4).reversed().reduce(0) { $0 << 8 | Int64($1) } + 8 > file.size
        case "mpegts": try endsWithinPacket(file)
        default: false
        }
    }

    /// Segments from mark to mark up to the end of the image (ITU-T T.81, annex B). A thumbnail
    /// with an end of its own lies within a segment, and what may follow the image is not looked
    /// at.
    private static func isMissingInJPEG(_ file: InputFile) throws(MediaError) -> Bool {
        var position: Int64 = 2
        while let mark = try nextMark(file, from: position) {
            // 0xD9: end of image.
            if mark.code == 0xD9 { return false }
            let head = try file.bytes(at: mark.position + 2, count: 2)
            guard head.count == 2 else { return true }
            position = mark.position + 2 + max(2, Int64(head[0]) << 8 | Int64(head[1]))
        }
        return true
    }

    /// Steps over entropy-coded data, in which 0xFF is followed by 0 or the code of a restart (0xD0
    /// … 0xD7).
    private static func nextMark(_ file: InputFile, from start: Int64) throws(MediaError) -> (
        code: UInt8, position: Int64
    )? {
        var position = start
        while position < file.size {
            // One byte is read twice: a mark may lie across two blocks.
            let block = try file.bytes(at: position, count: 64 << 10)
            guard block.count > 1 else { return nil }
            let mark = block.withUnsafeBufferPointer { bytes -> (code: UInt8, index: Int)? in
                guard let first = bytes.baseAddress else { return nil }
                var next = first
                // By the C library: a file may have gigabytes without a mark.
                while let found = memchr(next, 0xFF, first + bytes.count - 1 - next) {
                    let at = UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
                    let code = at[1]
                    if code != 0, code != 0xFF, !(0xD0...0xD7).contains(code) { return (code, at - first) }
                    next = at + 1
                }
                return nil
            }
            if let mark { return (mark.code, position + Int64(mark.index)) }
            position += Int64(block.count - 1)
        }
        return nil
    }

    private static func endsWithinPacket(_ file: InputFile) throws(MediaError) -> Bool {
        guard let layout = try TransportLayout.find(in: file) else { return false }
        return (file.size - layout.first) % Int64(layout.size) != 0
    }
}
