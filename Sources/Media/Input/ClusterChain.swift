import Draft

/// The elements of a Matroska or WebM file's segment (RFC 9559, section 5.1), one after the other.
///
/// Only their headers are read: a film has some thousand clusters. Blocks within a cluster are read
/// where the cluster does not say how long it is, as in live recordings. A long file that ends
/// where its segment says is read from the last cluster of its index on: a node has little of it,
/// and damage before that is found where it is played.
struct ClusterChain {
    /// The segment or one of its elements is longer than the file.
    private(set) var isCutOff = false
    /// Where no known element begins.
    private(set) var breaks: DataBreaks?
    /// The byte at which the segment ends, if other bytes than padding and tags follow it.
    private(set) var tail: Int64?

    let file: InputFile

    /// nil where the file does not begin with a segment.
    init?(in file: InputFile) throws(MediaError) {
        guard let segment = try Self.segment(in: file) else { return nil }
        self.file = file
        if let end = try end(of: segment) {
            tail = try isPadding(from: end) ? nil : end
            return
        }
        let isWhole = segment.size.map { segment.content + $0 == file.size } ?? false
        let start = isWhole && file.size > Self.mostReadWhole ? try lastIndexedCluster(of: segment) : nil
        let found = try walk(from: start ?? segment.content, to: file.size)
        breaks = found.breaks.count > 0 ? found.breaks : nil
        isCutOff = found.isCutOff || segment.size.map { segment.content + $0 > file.size } ?? false
    }

    /// The byte at which the file's first segment ends, where other bytes follow it; nil: none do.
    ///
    /// libav would read them and take whatever looks like blocks for content of the segment.
    static func end(in file: InputFile) throws(MediaError) -> Int64? {
        guard let segment = try segment(in: file) else { return nil }
        return try ClusterChain(file).end(of: segment)
    }

    private init(_ file: InputFile) { self.file = file }

    /// A size that does not lead to the end of an element is damaged itself.
    private func end(of segment: Element) throws(MediaError) -> Int64? {
        guard let size = segment.size, segment.content + size < file.size else { return nil }
        let end = segment.content + size
        let next = try Element(in: file, at: end)
        guard next.map({ Self.padding.contains($0.id) || !Self.children.contains($0.id) }) ?? true else { return nil }
        return try walk(from: segment.content, to: end).breaks.count == 0 ? end : nil
    }

    private static func segment(in file: InputFile) throws(MediaError) -> Element? {
        guard let head = try Element(in: file, at: 0), head.id == ebml, let size = head.size else { return nil }
        var position = head.content + size
        while let element = try Element(in: file, at: position), padding.contains(element.id), let size = element.size {
            position = element.content + size
        }
        guard let segment = try Element(in: file, at: position), segment.id == Self.segment else { return nil }
        return segment
    }

    private func walk(
        from start: Int64, to end: Int64
    ) throws(MediaError) -> (breaks: DataBreaks, isCutOff: Bool) {
        var (position, found, isCutOff) = (start, DataBreaks(), false)
        // Elements of the segment and, within a cluster of unknown length, those of the cluster.
        var isInCluster = false
        while position < end {
            guard let element = try Element(in: file, at: position), try isKnown(element, isInCluster, end),
                let next = element.size.map({ element.content + $0 })
                    ?? (element.id == Self.cluster ? element.content : nil),
                next <= end || end == file.size
            else {
                let cluster = try nextCluster(after: position, before: end)
                if cluster == nil, end == file.size, try isPadding(from: position) { break }
                // The first bytes of an element whose header is not there.
                if end == file.size, end - position < 12, try Element(in: file, at: position) == nil {
                    isCutOff = true
                } else {
                    found.add(position)
                }
                guard let cluster else { break }
                (position, isInCluster) = (cluster, false)
                continue
            }
            file.found()
            if next > end { isCutOff = true }
            if Self.children.contains(element.id), !Self.padding.contains(element.id) {
                isInCluster = element.size == nil
            }
            position = next
        }
        return (found, isCutOff)
    }

    /// Whether an element is known, or of a future version and to be left out (RFC 8794, section
    /// 12): its size leads to the end or, over others of its kind, to a known element. Damaged data
    /// lead elsewhere.
    private func isKnown(_ element: Element, _ isInCluster: Bool, _ end: Int64) throws(MediaError) -> Bool {
        if Self.children.contains(element.id) || isInCluster && Self.blocks.contains(element.id) { return true }
        var (element, blocks) = (element, 0)
        for _ in 0..<Self.mostUnknown {
            guard let size = element.size, element.content + size <= end else { return false }
            if element.content + size == end { return true }
            guard let next = try Element(in: file, at: element.content + size) else { return false }
            if Self.children.contains(next.id), !Self.padding.contains(next.id) { return true }
            // The id of a block has one byte, which damaged data often hit: two blocks in a row are
            // needed.
            blocks = isInCluster && Self.blocks.contains(next.id) ? blocks + 1 : 0
            if blocks == 2 { return true }
            element = next
        }
        return false
    }

    /// Unknown elements in a row.
    private static let mostUnknown = 16

    /// Whether nothing but Void elements, zeros and tags follows.
    private func isPadding(from start: Int64) throws(MediaError) -> Bool {
        var position = start
        while let element = try Element(in: file, at: position), element.id == 0xEC, let size = element.size,
            element.content + size <= file.size
        {
            position = element.content + size
        }
        return try TrailingBytes.arePadding(in: file, from: position)
    }

    private func nextCluster(after start: Int64, before end: Int64) throws(MediaError) -> Int64? {
        var position = start + 1
        while position < min(end, start + Self.searchLimit) {
            let block = try file.bytes(at: position, count: 64 << 10)
            guard block.count > 12 else { return nil }
            let place = block.indices.dropLast(4).first { index in
                block[index] == 0x1F && block[index + 1] == 0x43 && block[index + 2] == 0xB6 && block[index + 3] == 0x75
            }
            if let place, let cluster = try Element(in: file, at: position + Int64(place)) {
                // Its first element is its time stamp, after a check sum where it has one.
                let first = try Element(in: file, at: cluster.content)
                if first.map({ Self.blocks.contains($0.id) }) ?? false { return position + Int64(place) }
                position += Int64(place) + 1
            } else {
                position += Int64(block.count - 4)
            }
        }
        return nil
    }

    /// No cluster is searched for farther than this.
    private static let searchLimit: Int64 = 64 << 20
    /// Bytes of a file of which all elements are looked at.
    static let mostReadWhole: Int64 = 16 << 20

    /// The header of an element (RFC 8794, sections 4 to 6).
    struct Element {
        var id: UInt32
        /// nil: unknown.
        var size: Int64?
        /// The byte at which its content begins.
        var content: Int64

        /// nil where no header lies there.
        init?(in file: InputFile, at position: Int64) throws(MediaError) {
            self.init(try file.bytes(at: position, count: 12)[...], at: position)
        }

        /// - Parameter bytes: begin with the header, which lies at `position`.
        init?(_ bytes: ArraySlice<UInt8>, at position: Int64) {
            guard let first = bytes.first, case let length = first.leadingZeroBitCount + 1, length <= 4,
                bytes.count > length
            else { return nil }
            let bytes = Array(bytes.prefix(12))
            id = bytes[..<length].reduce(0) { $0 << 8 | UInt32($1) }
            let width = bytes[length].leadingZeroBitCount + 1
            guard width <= 8, bytes.count >= length + width else { return nil }
            let mask = UInt64(1) << UInt64(7 * width) - 1
            let value = bytes[length..<length + width].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & mask
            content = position + Int64(length + width)
            size = value == mask ? nil : Int64(min(value, 1 << 56 - 1))
        }
    }

    static let ebml: UInt32 = 0x1A45_DFA3
    private static let segment: UInt32 = 0x1853_8067
    static let cluster: UInt32 = 0x1F43_B675
    /// Void and check sums.
    private static let padding: Set<UInt32> = [0xEC, 0xBF]
    /// Seek head, information, tracks, clusters, cues, tags, chapters and attachments.
    private static let children = padding.union([
        0x114D_9B74, 0x1549_A966, 0x1654_AE6B, cluster, 0x1C53_BB6B, 0x1254_C367, 0x1043_A770, 0x1941_A469,
    ])
    /// Time stamp, position, size of the cluster before, blocks, and silent tracks.
    private static let blocks = padding.union([0xE7, 0xA7, 0xAB, 0xA3, 0xA0, 0xAF, 0x5854])
}
