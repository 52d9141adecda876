/// The index of a Matroska or WebM file: its seek head (RFC 9559, section 5.1.1) and cues (section
/// 5.1.5).
extension ClusterChain {
    /// Returns the byte at which the last cluster that the cues name begins; nil where there are no
    /// cues, or they lead to no cluster.
    func lastIndexedCluster(of segment: Element) throws(MediaError) -> Int64? {
        guard let cues = try cues(of: segment) else { return nil }
        var last: UInt64 = 0
        try forEachLeaf(of: cues, among: [0xBB, 0xB7]) { id, value in
            if id == 0xF1 { last = max(last, value) }
        }
        guard last > 0, last < UInt64(file.size) else { return nil }
        let position = segment.content + Int64(last)
        guard let found = try Element(in: file, at: position), found.id == Self.cluster else { return nil }
        return position
    }

    /// The cues before the first cluster, or where the seek head says.
    private func cues(of segment: Element) throws(MediaError) -> Element? {
        var position = segment.content
        for _ in 0..<Self.mostHeads {
            guard let element = try Element(in: file, at: position), element.id != Self.cluster, let size = element.size
            else { return nil }
            if element.id == Self.cues { return element }
            if element.id == Self.seekHead, let place = try cuesPlace(in: element), place < UInt64(file.size),
                let cues = try Element(in: file, at: segment.content + Int64(place)), cues.id == Self.cues
            {
                return cues
            }
            position = element.content + size
        }
        return nil
    }

    private func cuesPlace(in seekHead: Element) throws(MediaError) -> UInt64? {
        var (isCues, place): (Bool, UInt64?) = (false, nil)
        try forEachLeaf(of: seekHead, among: [0x4DBB]) { id, value in
            if id == 0x53AB { isCues = value == UInt64(Self.cues) }
            if id == 0x53AC, isCues { place = value }
        }
        return place
    }

    /// Calls `body` with the id and the value of each element within another, as far as it is a
    /// number of at most eight bytes.
    /// - Parameter masters: the ids of elements that contain others.
    private func forEachLeaf(
        of element: Element, among masters: Set<UInt32>, _ body: (UInt32, UInt64) -> Void
    ) throws(MediaError) {
        guard let size = element.size, size <= Self.largestIndex else { return }
        let bytes = try file.bytes(at: element.content, count: Int(size))
        var position = 0
        while let head = Element(bytes[position...], at: Int64(position)), let size = head.size {
            let content = Int(head.content)
            if masters.contains(head.id) {
                position = content
                continue
            }
            guard Int64(content) + size <= Int64(bytes.count) else { return }
            let end = content + Int(size)
            if size <= 8 { body(head.id, bytes[content..<end].reduce(0) { $0 << 8 | UInt64($1) }) }
            position = end
        }
    }

    private static let seekHead: UInt32 = 0x114D_9B74
    private static let cues: UInt32 = 0x1C53_BB6B
    /// Elements before the first cluster that are looked at.
    private static let mostHeads = 64
    /// Bytes of cues: those of a day in steps of half a second take 4 MB.
    private static let largestIndex: Int64 = 16 << 20
}
