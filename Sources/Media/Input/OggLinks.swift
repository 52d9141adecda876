import Draft

/// The links of a chained Ogg file (RFC 3533, section 4): files that were written one after the other into one.
struct OggLinks {
    /// The bytes of each link, in order; one range for a file that is not chained. A link begins with pages that begin
    /// streams, after pages that do not.
    let links: [Range<Int64>]
    /// Where pages are missing or damaged.
    let breaks: DataBreaks?

    init(in file: InputFile) throws(MediaError) {
        var starts: [Int64] = [0]
        var breaks = DataBreaks()
        var position: Int64 = 0
        var hasContent = false
        // The number of the next page of each stream, by its serial number.
        var numbers: [UInt32: UInt32] = [:]
        while let page = try Self.nextPage(in: file, from: position) {
            if page.beginsStream {
                if hasContent {
                    starts.append(page.start)
                    numbers = [:]
                }
                hasContent = false
            } else {
                hasContent = true
            }
            if page.start != position || numbers[page.serial].map({ $0 != page.number }) ?? !page.beginsStream {
                breaks.add(position)
            }
            numbers[page.serial] = page.number &+ 1
            position = page.end
            guard starts.count < FileLink.limit else { break }
        }
        if position < file.size, starts.count < FileLink.limit { breaks.add(position) }
        links = zip(starts, starts.dropFirst() + [file.size]).map { $0..<$1 }
        self.breaks = breaks.count > 0 ? breaks : nil
    }

    private struct Page {
        var start: Int64
        var end: Int64
        var beginsStream: Bool
        var serial: UInt32
        var number: UInt32
    }

    /// The page at `position`, or the first one after it where that is damaged; nil where none follows.
    private static func nextPage(in file: InputFile, from position: Int64) throws(MediaError) -> Page? {
        // Its header and its table of at most 255 segments.
        let head = try file.bytes(at: position, count: 282)
        if let page = page(head, at: position) { return page }
        return try search(file, from: position)
    }

    private static func page(_ head: some RandomAccessCollection<UInt8>, at start: Int64) -> Page? {
        let bytes = Array(head)
        guard bytes.count >= 27, bytes.starts(with: Array("OggS".utf8)), bytes[4] == 0, bytes[5] < 8,
            bytes.count >= 27 + Int(bytes[26])
        else { return nil }
        let table = 27 + Int(bytes[26])
        let body = bytes[27..<table].reduce(0) { $0 + Int($1) }
        return Page(
            start: start, end: start + Int64(table + body), beginsStream: bytes[5] & 2 != 0,
            serial: number(bytes[14..<18]), number: number(bytes[18..<22]))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func search(_ file: InputFile, from start: Int64) throws(MediaError) -> Page? {
        var position = start
        while position < file.size {
            let block = try file.bytes(at: position, count: 64 << 10)
            guard block.count >= 27 else { return nil }
            for index in 0..<(block.count - 26) where block[index] == 0x4F && block[index + 1] == 0x67 {
                let found = position + Int64(index)
                guard let page = page(try file.bytes(at: found, count: 282), at: found) else { continue }
                if try isWhole(page, in: file) { return page }
            }
            position += Int64(block.count - 26)
        }
        return nil
    }

    /// Checks the page's sum, because four letters may stand anywhere in damaged data.
    private static func isWhole(_ page: Page, in file: InputFile) throws(MediaError) -> Bool {
        var bytes = try file.bytes(at: page.start, count: Int(page.end - page.start))
        guard bytes.count >= 27 else { return false }
        let sum = number(bytes[22..<26])
        bytes.replaceSubrange(22..<26, with: [0, 0, 0, 0])
        // The polynomial is 0x04C11DB7, the register begins at zero and nothing is reflected.
        let found = bytes.reduce(UInt32(0)) { $0 << 8 ^ table[Int($0 >> 24) ^ Int($1)] }
        return found == sum
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte) << 24) { value, _ in value << 1 ^ (value & 1 << 31 != 0 ? 0x04C1_1DB7 : 0) }
    }
}
