import Draft

/// The links of a chained Ogg file (RFC 3533, section 4): files that were written one after the
/// other into one.
///
/// Every page is read and its checksum compared, because libav drops a page with a wrong one and
/// says only that.
struct OggLinks {
    /// The bytes of each link, in order; one range for a file that is not chained. A link begins
    /// with pages that begin streams, after pages that do not.
    let links: [Range<Int64>]
    /// Where pages are missing or damaged.
    let breaks: DataBreaks?
    /// Missing pages by stream, in the file's order; at most ``OggLoss/limit``.
    let losses: [OggLoss]
    /// The last page of a stream in the last link does not say that it ends the stream: pages
    /// behind it are missing.
    let lacksEnd: Bool
    /// The streams of the last link whose last page does not say so, by their places in it.
    let unended: Set<Int>
    /// The byte at which bytes begin that belong to no stream, behind the last page; nil: there are
    /// none but padding.
    let tail: Int64?

    init(in file: InputFile) throws(MediaError) {
        var scan = Scan()
        var search = Search(file)
        var position: Int64 = 0
        while let page = try search.nextPage(from: position) {
            file.found()
            scan.take(page, expectedAt: position)
            position = page.end
            guard scan.starts.count < FileLink.limit else { break }
        }
        let isWhole = scan.starts.count < FileLink.limit
        let unended = scan.streams.values.filter { !$0.hasEnded }
        var tail: Int64?
        if position < file.size, isWhole {
            // Where a stream has no end, its last page may lie there.
            if !unended.isEmpty || search.isSpent {
                scan.breaks.add(position)
            } else if try !TrailingBytes.arePadding(in: file, from: position) {
                tail = position
            }
        }
        self.tail = tail
        self.unended = isWhole ? Set(unended.map(\.index)) : []
        links = zip(scan.starts, scan.starts.dropFirst() + [file.size]).map { $0..<$1 }
        breaks = scan.breaks.count > 0 ? scan.breaks : nil
        losses = scan.losses
        lacksEnd = isWhole && !unended.isEmpty
    }

    private struct Scan {
        struct Stream {
            /// Its place among the streams of its link, by their first pages: libav counts them so.
            var index: Int
            /// The byte at which its last page begins.
            var last: Int64
            var nextNumber: UInt32
            var hasEnded: Bool
        }

        var starts: [Int64] = [0]
        var breaks = DataBreaks()
        var losses: [OggLoss] = []
        /// The streams of the current link, by serial number.
        var streams: [UInt32: Stream] = [:]
        private var hasContent = false

        mutating func take(_ page: Page, expectedAt position: Int64) {
            if page.beginsStream {
                if hasContent {
                    noteEnds(before: page)
                    starts.append(page.start)
                    streams = [:]
                }
                hasContent = false
            } else {
                hasContent = true
            }
            let known = streams[page.serial]
            let isMissing = known.map { $0.nextNumber != page.number } ?? !page.beginsStream
            let index = known?.index ?? streams.count
            if isMissing, losses.count < OggLoss.limit {
                losses.append(OggLoss(stream: index, before: known?.last, after: page.start))
            }
            if page.start != position || isMissing { breaks.add(position) }
            streams[page.serial] = Stream(
                index: index, last: page.start, nextNumber: page.number &+ 1, hasEnded: page.endsStream)
        }

        /// Notes the streams of a link that ends without their last pages.
        private mutating func noteEnds(before page: Page) {
            let unended = streams.values.filter { !$0.hasEnded }.sorted { $0.index < $1.index }
            guard !unended.isEmpty else { return }
            breaks.add(page.start)
            for stream in unended where losses.count < OggLoss.limit {
                losses.append(OggLoss(stream: stream.index, before: stream.last, after: page.start, isEnd: true))
            }
        }
    }

    private struct Page {
        var start: Int64
        var end: Int64
        var beginsStream: Bool
        var endsStream: Bool
        var serial: UInt32
        var number: UInt32
    }

    /// Finds pages, also behind damaged bytes.
    private struct Search {
        let file: InputFile
        /// Bytes of what looks like a page and is none that may still be summed up. Without a
        /// bound, a file that consists of beginnings of pages would be read tens of thousands of
        /// times.
        private var rest: Int64

        init(_ file: InputFile) {
            self.file = file
            rest = min(2 * file.size + 1 << 20, 512 << 20)
        }

        /// The bound was reached: pages behind it were not found.
        var isSpent: Bool { rest <= 0 }

        /// The page at `position`, or the first one after it where that is damaged; nil where none
        /// follows.
        mutating func nextPage(from position: Int64) throws(MediaError) -> Page? {
            // Its header and its table of at most 255 segments.
            let head = try file.bytes(at: position, count: 282)
            if let page = OggLinks.page(head, at: position), try isWhole(page) { return page }
            return try search(from: position)
        }

        private mutating func isWhole(_ page: Page) throws(MediaError) -> Bool {
            if page.end <= file.size, try OggLinks.isWhole(page, in: file) { return true }
            rest -= page.end - page.start
            return false
        }

        private mutating func search(from start: Int64) throws(MediaError) -> Page? {
            var position = start
            while position < file.size {
                let block = try file.bytes(at: position, count: 64 << 10, isSearched: true)
                guard block.count >= 27 else { return nil }
                for index in 0..<(block.count - 26)
                where block[index] == 0x4F && block[index + 1] == 0x67 && block[index + 2] == 0x67
                    && block[index + 3] == 0x53
                {
                    let found = position + Int64(index)
                    guard let page = OggLinks.page(try file.bytes(at: found, count: 282), at: found) else { continue }
                    if try isWhole(page) { return page }
                    if isSpent { return nil }
                }
                position += Int64(block.count - 26)
            }
            return nil
        }
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
            endsStream: bytes[5] & 4 != 0, serial: number(bytes[14..<18]), number: number(bytes[18..<22]))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Checks the page's sum.
    private static func isWhole(_ page: Page, in file: InputFile) throws(MediaError) -> Bool {
        var bytes = try file.bytes(at: page.start, count: Int(page.end - page.start))
        guard bytes.count >= 27 else { return false }
        let sum = number(bytes[22..<26])
        bytes.replaceSubrange(22..<26, with: [0, 0, 0, 0])
        // The polynomial is 0x04C11DB7, the register begins at zero and nothing is reflected.
        let found = table.withUnsafeBufferPointer { table in
            bytes.withUnsafeBufferPointer { bytes in
                var register: UInt32 = 0
                for byte in bytes { register = register << 8 ^ table[Int(register >> 24) ^ Int(byte)] }
                return register
            }
        }
        return found == sum
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte) << 24) { value, _ in value << 1 ^ (value & 1 << 31 != 0 ? 0x04C1_1DB7 : 0) }
    }
}
