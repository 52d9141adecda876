import Foundation

/// The memory of large pictures that are gone, for the next ones of their size: each frame makes
/// the same few, and new pages from the system cost more than what is written into them.
///
/// `@unchecked`: `blocks` is only touched with `lock` held.
final class IdleMemory: @unchecked Sendable {
    static let shared = IdleMemory(limit: 64 << 20)

    private struct Block {
        var memory: UnsafeMutableRawPointer
        var bytes: Int
    }

    private let limit: Int
    private let lock = NSLock()
    /// The most recently returned blocks are at the end.
    private var blocks: [Block] = []

    /// - Parameter limit: the most bytes that lie idle.
    init(limit: Int) { self.limit = limit }

    deinit { for block in blocks { block.memory.deallocate() } }

    /// Bytes that lie idle.
    var bytes: Int { lock.withLock { blocks.reduce(0) { $0 + $1.bytes } } }

    /// Memory whose content is undefined.
    /// - Parameter alignment: the same for all of one size.
    func take(_ bytes: Int, alignment: Int) -> UnsafeMutableRawPointer {
        let known: UnsafeMutableRawPointer? = lock.withLock {
            guard let index = blocks.lastIndex(where: { $0.bytes == bytes }) else { return nil }
            return blocks.remove(at: index).memory
        }
        return known ?? .allocate(byteCount: bytes, alignment: alignment)
    }

    /// Keeps what was taken; what has been idle for longest goes where there is too much.
    func give(_ memory: UnsafeMutableRawPointer, _ bytes: Int) {
        let old: [Block] = lock.withLock {
            blocks.append(Block(memory: memory, bytes: bytes))
            var excess = blocks.reduce(0) { $0 + $1.bytes } - limit
            let count = blocks.prefix { block in
                defer { excess -= block.bytes }
                return excess > 0
            }.count
            defer { blocks.removeFirst(count) }
            return Array(blocks.prefix(count))
        }
        for block in old { block.memory.deallocate() }
    }
}
