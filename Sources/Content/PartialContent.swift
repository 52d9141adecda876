import FoundationEssentials
import Glibc

/// A content that is read while it is still being fetched: a file in a node's content cache of
/// which some blocks are present. The reader requests the blocks that it needs and waits for them.
/// Blocks ahead are requested, too; the longer it reads sequentially, the more.
///
/// Each reader has an instance of its own, and uses it on one thread at a time.
public final class PartialContent {
    private let id: ContentID
    private let map: BlockMap
    private let pipe: Int32
    /// The blocks of the last request.
    private var wished = 0..<0
    /// The number of blocks to read ahead.
    private var ahead = PartialContent.leastAhead
    private var lastBlock: Int?

    /// The pipe's name in the folder of the content cache.
    public static let pipeName = ".wishes"
    private static let (leastAhead, mostAhead) = (2, 32)
    private static let pause: useconds_t = 500
    /// The number of pauses after which a request, which may have been lost, is repeated.
    private static let patience = 4000

    /// Opens a content.
    /// - Parameter path: the path of a file that is open.
    /// - Returns: nil if all of the file is present, which includes any file outside a content
    ///   cache.
    public init?(path: String, size: Int64) {
        guard let (id, map, folder) = Self.find(path), id.size == size else { return nil }
        (self.id, self.map) = (id, map)
        // Without a process that listens, nothing fetches the blocks, and waits end.
        pipe = open("\(folder)/\(Self.pipeName)", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    }

    /// Returns whether a file is a content of which some blocks are missing.
    public static func isComing(_ path: String) -> Bool { find(path) != nil }

    private static func find(_ path: String) -> (ContentID, BlockMap, folder: Substring)? {
        let slash = UInt8(ascii: "/")
        guard let end = path.utf8.lastIndex(of: slash), case let place = path[..<end],
            let map = BlockMap(path: "\(place)/\(BlockMap.fileName)", writes: false),
            let nameEnd = place.utf8.lastIndex(of: slash),
            let id = ContentID(String(place[place.utf8.index(after: nameEnd)...])), map.size == id.size, !map.isWhole
        else { return nil }
        return (id, map, place[..<nameEnd])
    }

    deinit { if pipe >= 0 { close(pipe) } }

    /// Waits until all bytes of a range are present.
    /// - Parameter goesOn: polled often; false ends the wait.
    /// - Returns: false if the range is incomplete.
    public func wait(for range: Range<Int64>, goesOn: () -> Bool) -> Bool {
        let blocks = map.blocks(of: range)
        guard let first = blocks.first, let last = blocks.last else { return true }
        noteJump(to: first)
        lastBlock = last
        let end = last + 1 + ahead
        if !map.has(range) {
            if !wished.contains(first) || !wished.contains(last) { wish(first..<end) }
        } else if case let next = last + 1 + ahead / 2, next < map.count, !map.has(next), !wished.contains(next) {
            // Half of the requested blocks have been read.
            wish(min(end, max(last + 1, wished.upperBound))..<end)
        }
        var pauses = 0
        while !map.has(range) {
            guard pipe >= 0, !map.isGone, goesOn() else { return false }
            usleep(Self.pause)
            pauses += 1
            if pauses.isMultiple(of: Self.patience) { wish(first..<end) }
        }
        return true
    }

    private func noteJump(to first: Int) {
        guard let lastBlock, first != lastBlock else { return }
        ahead = first == lastBlock + 1 ? min(ahead * 2, Self.mostAhead) : Self.leastAhead
        if first != lastBlock + 1 { wished = 0..<0 }
    }

    private func wish(_ blocks: Range<Int>) {
        let blocks = blocks.clamped(to: 0..<map.count)
        guard !blocks.isEmpty else { return }
        wished = blocks
        // Several requests if the blocks do not fit one. If the pipe is full, the request is
        // repeated later.
        for start in stride(from: blocks.lowerBound, to: blocks.upperBound, by: ContentWish.most) {
            let bytes = ContentWish(id, start..<min(blocks.upperBound, start + ContentWish.most)).bytes
            _ = bytes.withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) }
        }
    }
}
