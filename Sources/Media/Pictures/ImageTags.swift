/// What a picture file says beside its picture, as far as libav does not hand it on: the
/// orientation of PNG, WebP and TIFF, and whether alpha is premultiplied.
///
/// PNG and WebP have Exif in a chunk of their own, which is itself a small TIFF file; so one reader
/// of TIFF's first directory serves all three (TIFF 6.0, section 2; Exif 2.32, 4.6.4; PNG's `eXIf`;
/// WebP's `EXIF`).
struct ImageTags {
    private(set) var orientation = Orientation()
    private(set) var isPremultiplied = false

    private enum Tag {
        static let orientation = 274
        static let extraSamples = 338
    }

    /// - Parameter format: libavformat's name.
    init(_ file: InputFile, format: String) throws(MediaError) {
        switch format {
        case "png_pipe":
            // Eight bytes of signature, then chunks: length, name, content, check sum.
            guard let chunk = try Self.chunk("eXIf", file, from: 8, isBigEndian: true, lengthFirst: true) else {
                return
            }
            try read(file, at: chunk)
        case "webp_pipe":
            // `RIFF`, length, `WEBP`, then chunks: name, length, content, padded to an even length.
            guard let chunk = try Self.chunk("EXIF", file, from: 12, isBigEndian: false, lengthFirst: false) else {
                return
            }
            // Some writers repeat JPEG's prefix.
            let prefix = Array("Exif\0\0".utf8)
            try read(file, at: chunk + (try file.bytes(at: chunk, count: 6) == prefix ? 6 : 0))
        case "tiff_pipe": try read(file, at: 0)
        // OpenEXR defines its alpha as premultiplied.
        case "exr_pipe": isPremultiplied = true
        default: break
        }
    }

    /// Where the content of the first chunk of this name begins; nil where there is none. The bound
    /// is for hostile files: PNG's usual chunk has 8 KiB.
    static func chunk(
        _ name: String, _ file: InputFile, from start: Int64, isBigEndian: Bool, lengthFirst: Bool
    ) throws(MediaError) -> Int64? {
        var position = start
        for _ in 0..<1_000_000 {
            let head = try file.bytes(at: position, count: 8)
            guard head.count == 8 else { return nil }
            let (length, title) = lengthFirst ? (head[0..<4], head[4..<8]) : (head[4..<8], head[0..<4])
            if title.elementsEqual(name.utf8) { return position + 8 }
            let bytes = isBigEndian ? Array(length) : length.reversed()
            let count = Int64(bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
            position += 8 + (lengthFirst ? count + 4 : count + count % 2)
        }
        return nil
    }

    /// Reads the first directory of the TIFF structure at `start`.
    private mutating func read(_ file: InputFile, at start: Int64) throws(MediaError) {
        let head = try file.bytes(at: start, count: 8)
        guard head.count == 8, head[0] == head[1], head[0] == 0x49 || head[0] == 0x4D else { return }
        let isBigEndian = head[0] == 0x4D
        func number(_ bytes: ArraySlice<UInt8>) -> Int {
            (isBigEndian ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
        }
        guard number(head[2..<4]) == 42 else { return }
        let directory = start + Int64(number(head[4..<8]))
        let count = number((try file.bytes(at: directory, count: 2))[...])
        let entries = try file.bytes(at: directory + 2, count: 12 * min(count, 1000))
        for at in stride(from: 0, through: entries.count - 12, by: 12) {
            // Tag, type, count, value: both of ours are one 16-bit number, at the value's own
            // place.
            guard number(entries[at + 2..<at + 4]) == 3, number(entries[at + 4..<at + 8]) == 1 else { continue }
            let value = number(entries[at + 8..<at + 10])
            switch number(entries[at..<at + 2]) {
            case Tag.orientation: orientation = Orientation(exif: value)
            case Tag.extraSamples: isPremultiplied = value == 1
            default: break
            }
        }
    }
}

extension Orientation {
    /// From Exif's number, 1…8; others mean upright.
    init(exif number: Int) {
        let known: [(Int, Bool)] = [
            (0, false), (0, true), (180, false), (180, true), (90, true), (90, false), (270, true), (270, false),
        ]
        if known.indices.contains(number - 1) { (rotation, isMirrored) = known[number - 1] }
    }
}
