import Draft

/// A place in an Ogg file at which pages of one stream are missing.
struct OggLoss: Hashable, Sendable {
    /// The stream's place among those of its link.
    var stream: Int
    /// The byte at which the stream's last page before it begins; nil where there is none.
    var before: Int64?
    /// The byte at which the stream's next page begins.
    var after: Int64
    /// The stream's end is missing, and ``after`` is the byte at which the next link begins.
    var isEnd = false

    /// The most losses that are kept for a file.
    static let limit = 10_000

    /// Returns the losses within a part of the file, counted from its first byte.
    ///
    /// The file is read once for all readers of the process: only damaged files come here.
    static func all(in file: InputFile, part: Range<Int64>) throws(MediaError) -> [OggLoss] {
        let version = FileVersion(file)
        let losses: [OggLoss]
        if let known = kept[version] {
            losses = known
        } else {
            losses = try OggLinks(in: file).losses
            kept.keep(losses, for: version)
        }
        // Behind the part's last byte lies the next link.
        return losses.filter { part.contains($0.after) || $0.after == part.upperBound && $0.isEnd }.map {
            OggLoss(
                stream: $0.stream, before: $0.before.map { $0 - part.lowerBound }, after: $0.after - part.lowerBound,
                isEnd: $0.isEnd)
        }
    }

    private static let kept = FileMemory<FileVersion, [OggLoss]>(most: 16)
}

/// Tells before which packets of an Ogg file pages are missing.
///
/// libav reads pages ahead of the packets that it gives, so its log tells that a page was lost, but
/// not where. Each packet says in which page it begins.
struct OggLossFinder {
    private let losses: [Int: [OggLoss]]
    /// The page of each stream's last packet; nil where reading began behind the stream's first
    /// packet.
    private var pages: [Int: Int64] = [:]
    private var isFromStart = true

    /// nil where nothing is missing.
    init?(_ losses: [OggLoss]) {
        guard !losses.isEmpty else { return nil }
        self.losses = Dictionary(grouping: losses, by: \.stream)
    }

    /// Whether a stream's end is missing before the next link.
    func lacksEnd(_ stream: Int) -> Bool { losses[stream]?.contains { $0.isEnd } ?? false }

    /// Whether the page in which a packet begins is the first one behind missing pages.
    func isBehindLoss(_ packet: Packet) -> Bool {
        guard let page = packet.position else { return false }
        return losses[packet.streamIndex]?.contains { $0.after == page } ?? false
    }

    /// Reading continues at another place.
    mutating func seek() { (pages, isFromStart) = ([:], false) }

    /// - Returns: whether pages are missing between the packet and the one of its stream before.
    mutating func take(_ packet: Packet) -> Bool {
        let stream = packet.streamIndex
        guard let page = packet.position else { return false }
        let last = pages.updateValue(page, forKey: stream)
        guard last != nil || isFromStart else { return false }
        return losses[stream]?.contains { $0.after <= page && (last ?? -1) <= $0.before ?? -1 } ?? false
    }
}
