/// The fragments of a part of a take, a fragmented MP4 file (ISO/IEC 14496-12, 8.8), which may be
/// cut off at any byte.
struct TakeFragments {
    /// The bytes up to the end of the last whole fragment; zero: there is none.
    private(set) var end: Int64 = 0
    /// There are fragments that cannot be read: behind something that is no box, or without the
    /// file's index.
    private(set) var areLost = false

    /// Walks the boxes of the file up to the first one that is not whole.
    init(in file: InputFile) throws(MediaError) {
        var position: Int64 = 0
        var (hasIndex, hasHeader) = (false, false)
        while let box = try Self.box(at: position, file) {
            position += box.size
            switch box.name {
            case "moov": hasIndex = true
            case "moof": (hasHeader, areLost) = (true, areLost || !hasIndex)
            case "mdat":
                if hasHeader, hasIndex { end = position }
                hasHeader = false
            default: break
            }
        }
        if !areLost { areLost = try Self.hasHeader(from: position + 8, file) }
    }

    /// - Returns: nil where there is none, or it is longer than the file.
    private static func box(at position: Int64, _ file: InputFile) throws(MediaError) -> (name: String, size: Int64)? {
        let head = try file.bytes(at: position, count: 16)
        guard head.count >= 8 else { return nil }
        func number(_ range: Range<Int>) -> UInt64 { head[range].reduce(0) { $0 << 8 | UInt64($1) } }
        // A size of 1 stands for one of 64 bits behind the name.
        let isLong = number(0..<4) == 1
        guard !isLong || head.count == 16 else { return nil }
        let size = number(isLong ? 8..<16 : 0..<4)
        guard size >= (isLong ? 16 : 8), size <= UInt64(max(0, file.size - position)) else { return nil }
        return (String(decoding: head[4..<8], as: UTF8.self), Int64(size))
    }

    /// Whether the name of a fragment's header is anywhere from a byte on.
    private static func hasHeader(from start: Int64, _ file: InputFile) throws(MediaError) -> Bool {
        let name = Array("moof".utf8)
        var position = start
        while position < file.size {
            let block = try file.bytes(at: position, count: 1 << 20)
            if block.count < name.count { return false }
            if block.firstRange(of: name) != nil { return true }
            position += Int64(block.count - name.count + 1)
        }
        return false
    }
}
