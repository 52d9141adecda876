import Draft

/// Whether a QuickTime or MP4 track's alpha is premultiplied: libav does not hand on the graphics mode of the track's video
/// header, which says so (QuickTime File Format Specification, "Video media information header").
enum QuickTimeMatte {
    private static let whiteMatte = 0x101
    private static let blackMatte = 0x102

    /// The matte of the track with this id; nil for straight alpha and where nothing is said.
    static func read(_ file: InputFile, track id: Int) throws(MediaError) -> Color? {
        guard let movie = try box("moov", file, 0..<file.size) else { return nil }
        var rest = movie
        while let track = try box("trak", file, rest) {
            rest = track.upperBound..<movie.upperBound
            guard let header = try box("tkhd", file, track) else { continue }
            // A version byte and three of flags; two times, of eight bytes each in version 1; the id.
            let bytes = try file.bytes(at: header.lowerBound, count: 24)
            guard bytes.count == 24 else { return nil }
            let at = bytes[0] == 1 ? 20 : 12
            guard number(bytes[at..<at + 4]) == id else { continue }
            var inner = track
            for name in ["mdia", "minf", "vmhd"] {
                guard let next = try box(name, file, inner) else { return nil }
                inner = next
            }
            switch number(try file.bytes(at: inner.lowerBound + 4, count: 2)[...]) {
            case whiteMatte: return .white
            case blackMatte: return .black
            default: return nil
            }
        }
        return nil
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    /// The content of the first box of this name in `range`.
    private static func box(_ name: String, _ file: InputFile, _ range: Range<Int64>) throws(MediaError) -> Range<
        Int64
    >? {
        var position = range.lowerBound
        for _ in 0..<10_000 where position + 8 <= range.upperBound {
            let head = try file.bytes(at: position, count: 16)
            guard head.count >= 8 else { return nil }
            var (length, start) = (Int64(number(head[0..<4])), position + 8)
            if length == 1, head.count == 16 {
                // Numbers beyond 2^62 are damage.
                guard head[8] < 0x40 else { return nil }
                (length, start) = (Int64(number(head[8..<16])), position + 16)
            }
            if length == 0 { length = range.upperBound - position }
            guard length >= start - position else { return nil }
            let end = min(position.addingReportingOverflow(length).partialValue, range.upperBound)
            guard end >= start else { return nil }
            if head[4..<8].elementsEqual(name.utf8) { return start..<end }
            position = end
        }
        return nil
    }
}
