import Values

/// What a QuickTime or MP4 file says of a track and libav does not hand on (QuickTime File Format
/// Specification, "Track header atoms" and "Video media information header").
struct QuickTimeTrack {
    private static let whiteMatte = 0x101
    private static let blackMatte = 0x102

    private let file: InputFile
    /// The content of the track and of its header.
    private let track: Range<Int64>
    private let header: Range<Int64>
    /// Times and lengths have eight bytes in the header, not four.
    private let isLong: Bool

    /// - Parameter stream: of a file that `demuxer` reads.
    /// - Returns: nil where the file is of another kind, or does not have the track.
    init?(_ stream: Demuxer.Stream, in demuxer: Demuxer) throws(MediaError) {
        guard demuxer.formatName.contains("mp4") else { return nil }
        try self.init(demuxer.file, id: Int(stream.raw.pointee.id))
    }

    private init?(_ file: InputFile, id: Int) throws(MediaError) {
        guard let movie = try Self.box("moov", file, 0..<file.size) else { return nil }
        var rest = movie
        while let track = try Self.box("trak", file, rest) {
            rest = track.upperBound..<movie.upperBound
            guard let header = try Self.box("tkhd", file, track) else { continue }
            // A version byte and three of flags; two times, of eight bytes each in version 1; the
            // id.
            let bytes = try file.bytes(at: header.lowerBound, count: 24)
            guard bytes.count == 24 else { return nil }
            let isLong = bytes[0] == 1
            let at = isLong ? 20 : 12
            guard Self.number(bytes[at..<at + 4]) == id else { continue }
            (self.file, self.track, self.header, self.isLong) = (file, track, header, isLong)
            return
        }
        return nil
    }

    /// The matte of a picture with alpha; nil for straight alpha and where nothing is said.
    func matte() throws(MediaError) -> Color? {
        var inner = track
        for name in ["mdia", "minf", "vmhd"] {
            guard let next = try Self.box(name, file, inner) else { return nil }
            inner = next
        }
        switch Self.number(try file.bytes(at: inner.lowerBound + 4, count: 2)[...]) {
        case Self.whiteMatte: return .white
        case Self.blackMatte: return .black
        default: return nil
        }
    }

    /// The factor at which a sound is to be played, a fixed-point number of 8.8 bits; nil for 1,
    /// and for 0, which some writers leave there.
    func level() throws(MediaError) -> Double? {
        let at = header.lowerBound + (isLong ? 48 : 36)
        guard at + 2 <= header.upperBound else { return nil }
        let number = Self.number(try file.bytes(at: at, count: 2)[...])
        // It has a sign.
        return number == 0x100 || number == 0 || number > 0x7fff ? nil : Double(number) / 256
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
