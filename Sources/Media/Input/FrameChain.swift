import Draft

/// The frames of a bare sound stream (ADTS, MPEG audio), one after the other.
///
/// libav counts the frames of such a file, or seeks in it, as if all had the sample rate of the
/// first, so times are wrong behind a frame with another one. Parts of different rates are read as
/// chained files are.
struct FrameChain {
    /// The bytes of each part with one sample rate, in order; one range where the rate stays.
    let links: [Range<Int64>]
    /// Where frames of ADTS do not follow each other: bytes are missing or overwritten there. libav
    /// searches for the next frame and says nothing. MP3 files hold tags and padding of many kinds
    /// between their frames.
    let breaks: DataBreaks?

    /// nil for formats without such a chain.
    /// - Parameter format: libavformat's name.
    init?(in file: InputFile, format: String) throws(MediaError) {
        guard let kind = Kind(rawValue: format) else { return nil }
        var breaks = DataBreaks()
        var parts = Parts()
        var position: Int64 = 0
        while position + 7 <= file.size {
            let head = try file.bytes(at: position, count: 10)
            if let frame = Frame(head, kind) {
                parts.take(frame, at: position)
                position += frame.length
            } else if let length = Self.tag(head) {
                position += length
            } else if head.starts(with: Array("TAG".utf8)), kind == .mpeg || file.size - position == 128 {
                position += 128
            } else {
                if kind == .adts { breaks.add(position) }
                guard let next = try Self.nextFrame(kind, in: file, after: position) else { break }
                position = next
            }
        }
        links = zip(parts.starts, parts.starts.dropFirst() + [file.size]).map { $0..<$1 }
        self.breaks = breaks.count > 0 ? breaks : nil
    }

    /// By libavformat's names.
    private enum Kind: String {
        case adts = "aac"
        case mpeg = "mp3"
    }

    private struct Frame {
        let length: Int64
        /// Tells sample rates apart.
        let rate: UInt8

        /// nil where no frame begins with these bytes.
        init?(_ bytes: [UInt8], _ kind: Kind) {
            guard bytes.count >= 7, bytes[0] == 0xFF else { return nil }
            let frame = kind == .adts ? Self.adts(bytes) : Self.mpeg(bytes)
            guard let frame else { return nil }
            (length, rate) = frame
        }

        /// ISO/IEC 13818-7, 6.2.
        private static func adts(_ bytes: [UInt8]) -> (Int64, UInt8)? {
            let rate = bytes[2] >> 2 & 15
            let length = Int64(bytes[3] & 3) << 11 | Int64(bytes[4]) << 3 | Int64(bytes[5]) >> 5
            return bytes[1] & 0xF6 == 0xF0 && length >= 7 && rate < 13 ? (length, rate) : nil
        }

        /// ISO/IEC 11172-3, 2.4.1.3, and 13818-3. Frames of a free bit rate do not say their
        /// length.
        private static func mpeg(_ bytes: [UInt8]) -> (Int64, UInt8)? {
            let (version, layer) = (bytes[1] >> 3 & 3, 4 - Int(bytes[1] >> 1 & 3))
            let (bits, rate) = (Int(bytes[2] >> 4), Int(bytes[2] >> 2 & 3))
            guard bytes[1] & 0xE0 == 0xE0, version != 1, layer < 4, bits > 0, bits < 15, rate < 3 else { return nil }
            let isFirst = version == 3
            let table = isFirst ? bitRates[layer - 1] : lowBitRates[min(layer, 2) - 1]
            // Version 2 has half the rates, version 2.5 a quarter.
            let hertz = [44_100, 48_000, 32_000][rate] / [3: 1, 2: 2, 0: 4][version, default: 1]
            let perSecond = table[bits - 1] * 1000
            let padding = Int(bytes[2] >> 1 & 1)
            let length =
                layer == 1
                ? (12 * perSecond / hertz + padding) * 4
                : (layer == 3 && !isFirst ? 72 : 144) * perSecond / hertz + padding
            return (Int64(length), version << 2 | UInt8(rate))
        }

        /// Kilobits per second by layer, for version 1 and for the others.
        private static let bitRates = [
            [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
            [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
            [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        ]
        private static let lowBitRates = [
            [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
            [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
        ]
    }

    /// Where the sample rate changes.
    private struct Parts {
        private(set) var starts: [Int64] = [0]
        private var rate: UInt8?
        /// The rate of the frame before, and the first of the frames that have it.
        private var last: (rate: UInt8, start: Int64)?

        /// One frame with another rate may be damaged data; two in a row are not.
        mutating func take(_ frame: Frame, at position: Int64) {
            defer { if last?.rate != frame.rate { last = (frame.rate, position) } }
            guard let last, last.rate == frame.rate, frame.rate != rate else { return }
            if rate != nil, starts.count < FileLink.limit { starts.append(last.start) }
            rate = frame.rate
        }
    }

    /// The length of an ID3v2 tag.
    private static func tag(_ bytes: [UInt8]) -> Int64? {
        guard bytes.count >= 10, bytes.starts(with: Array("ID3".utf8)) else { return nil }
        return 10 + bytes[6..<10].reduce(Int64(0)) { $0 << 7 | Int64($1 & 0x7F) }
    }

    /// The next frame that another one follows, or the file's end.
    private static func nextFrame(
        _ kind: Kind, in file: InputFile, after start: Int64
    ) throws(MediaError) -> Int64? {
        var position = start + 1
        while position < file.size {
            let block = try file.bytes(at: position, count: 64 << 10, isSearched: true)
            guard block.count >= 7 else { return nil }
            for index in 0...(block.count - 7) where block[index] == 0xFF {
                guard let frame = Frame(Array(block[index..<index + 7]), kind) else { continue }
                let next = position + Int64(index) + frame.length
                if next == file.size { return position + Int64(index) }
                if Frame(try file.bytes(at: next, count: 7), kind) != nil { return position + Int64(index) }
            }
            position += Int64(block.count - 6)
        }
        return nil
    }
}
