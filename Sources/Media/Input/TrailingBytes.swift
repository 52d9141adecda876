/// Tells padding and tags behind a container's content from bytes that do not belong to it.
///
/// Recorders and downloads fill files up with zeros, and programs that tag music append ID3v1 (128
/// bytes at the end) and APE tags (with a footer of 32 bytes) to files of any format. Players step
/// over them.
enum TrailingBytes {
    /// Whether nothing but zeros and tags lies between a byte and the file's end.
    static func arePadding(in file: InputFile, from start: Int64) throws(MediaError) -> Bool {
        var end = file.size
        while end > start {
            if let before = try tag(in: file, from: start, endingAt: end) {
                end = before
                continue
            }
            let before = max(start, end - (64 << 10))
            let block = try file.bytes(at: before, count: Int(end - before))
            guard block.count == Int(end - before) else { return false }
            guard let last = block.lastIndex(where: { $0 != 0 }) else {
                end = before
                file.found()
                continue
            }
            guard last + 1 < block.count else { return false }
            end = before + Int64(last) + 1
            // A tag may end with zeros itself.
            let isTag = try tag(in: file, from: start, within: end)
            guard let isTag else { return false }
            end = isTag
        }
        return true
    }

    private static let id3v1: Int64 = 128
    private static let apeFooter: Int64 = 32

    /// The byte at which a tag begins that ends at `end`; nil where none does.
    private static func tag(in file: InputFile, from start: Int64, endingAt end: Int64) throws(MediaError) -> Int64? {
        if end - id3v1 >= start, try file.bytes(at: end - id3v1, count: 3) == Array("TAG".utf8) { return end - id3v1 }
        guard end - apeFooter >= start else { return nil }
        let footer = try file.bytes(at: end - apeFooter, count: Int(apeFooter))
        guard footer.starts(with: Array("APETAGEX".utf8)), footer.count == Int(apeFooter) else { return nil }
        // The size leaves out the header, which bit 31 of the flags announces.
        let size = footer[12..<16].reversed().reduce(0) { $0 << 8 | Int64($1) }
        let first = end - size - (footer[23] & 0x80 != 0 ? apeFooter : 0)
        return size >= apeFooter && first >= start ? first : nil
    }

    /// The byte at which a tag begins whose last byte that is not zero lies before `end`; nil where
    /// none does.
    private static func tag(in file: InputFile, from start: Int64, within end: Int64) throws(MediaError) -> Int64? {
        for last in end..<min(end + id3v1, file.size + 1) {
            if let first = try tag(in: file, from: start, endingAt: last) { return first }
        }
        return nil
    }
}
