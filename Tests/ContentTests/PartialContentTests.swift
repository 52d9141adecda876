import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Content

/// The requests of readers, and their waits.
@Suite(.waits) struct PartialContentTests {
    @Test func aWishComesOutOfThePipeAsItWentIn() throws {
        let seed = Seed.announced(for: "wishes among garbage", cases: 300)
        var random = SplitMix64(seed: seed)
        let digest = String(repeating: "4e", count: 32)
        var (said, bytes): ([ContentWish], Data) = ([], Data())
        for _ in 0..<300 {
            let size = Int64.random(in: 1...ContentID.largest, using: &random)
            let count = BlockTable.count(of: size)
            let first = Int.random(in: 0..<min(count, 1 << 31), using: &random)
            let wish = ContentWish(
                try #require(ContentID(digest: digest, size: size)),
                first..<min(count, first + Int.random(in: 1...ContentWish.most, using: &random)))
            #expect(wish.bytes.count == ContentWish.size)
            if Bool.random(using: &random) {
                bytes += (0..<Int.random(in: 1...200, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
            } else if Bool.random(using: &random) {
                // A truncated request.
                bytes += wish.bytes.prefix(Int.random(in: 1..<ContentWish.size, using: &random))
            }
            said.append(wish)
            bytes += wish.bytes
        }
        // Like data from a pipe: in pieces that start and end anywhere.
        var (heard, waiting): ([ContentWish], Data) = ([], Data())
        while !bytes.isEmpty {
            let piece = bytes.prefix(Int.random(in: 1...500, using: &random))
            bytes = Data(bytes.dropFirst(piece.count))
            waiting += piece
            while let wish = ContentWish.take(from: &waiting) { heard.append(wish) }
            #expect(waiting.count < ContentWish.size)
        }
        #expect(heard == said, "seed \(seed)")
    }

    @Test func whatIsNoWishIsNone() throws {
        let id = try #require(ContentID(digest: String(repeating: "0", count: 64), size: 1 << 20))
        let good = ContentWish(id, 1..<3).bytes
        for (offset, byte) in [(0, 0), (15, 1), (16, 4), (20, 0), (20, 200), (23, 1), (24, 0x47), (87, 0x20)] {
            var bad = good
            bad[offset] = UInt8(byte)
            #expect(ContentWish.take(from: &bad) == nil, "\(offset)")
        }
        #expect(ContentWish(id, 0..<1000).blocks == 0..<ContentWish.most)
    }

    /// A cache folder with an empty content, and a thread that fetches requested blocks.
    private final class Cache: @unchecked Sendable {
        let path: String
        let bytes: Data
        let map: BlockMap
        let asked = Mutex<[ContentWish]>([])
        private let pipe: Int32
        private let isOver = Mutex(false)

        init(_ folder: TemporaryFolder, blocks: Int, random: inout SplitMix64) throws {
            // A multiple of eight bytes.
            var words = [UInt64](repeating: 0, count: blocks * BlockTable.blockSize / 8 - 125)
            for index in words.indices { words[index] = random.next() }
            let bytes = words.withUnsafeBytes { Data($0) }
            self.bytes = bytes
            let record = try BlockMapTests.record(folder, bytes)
            let place = folder.file("\(record.id)")
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            path = place + "/a.mp4"
            try Data(count: bytes.count).write(to: URL(fileURLWithPath: path))
            try BlockMap.create("\(place)/\(BlockMap.fileName)", record)
            map = try #require(BlockMap(path: "\(place)/\(BlockMap.fileName)", writes: true))
            try #require(mkfifo(folder.file(PartialContent.pipeName), 0o600) == 0)
            pipe = open(folder.file(PartialContent.pipeName), O_RDWR | O_CLOEXEC)
        }

        /// Serves requests.
        /// - Parameter loses: whether every third request is lost.
        func serve(loses: Bool) {
            Thread.detachNewThread { [self] in
                let file = FileHandle(forUpdatingAtPath: path)
                var (waiting, buffer, count) = (Data(), [UInt8](repeating: 0, count: 4096), 0)
                while !isOver.withLock({ $0 }) {
                    let got = Glibc.read(pipe, &buffer, buffer.count)
                    if got > 0 { waiting += buffer[..<got] }
                    while let wish = ContentWish.take(from: &waiting) {
                        asked.withLock { $0.append(wish) }
                        count += 1
                        if loses, count.isMultiple(of: 3) { continue }
                        for block in wish.blocks where !map.has(block) {
                            let range = BlockTable.range(block, of: map.size)
                            try? file?.seek(toOffset: UInt64(range.lowerBound))
                            try? file?.write(contentsOf: bytes[Int(range.lowerBound)..<Int(range.upperBound)])
                            map.set(block)
                        }
                    }
                }
                close(pipe)
            }
        }

        func end() {
            isOver.withLock { $0 = true }
            _ = write(pipe, "x", 1)
        }
    }

    private static let blocks = 60

    private func read(_ cache: Cache, _ partial: PartialContent, _ range: Range<Int>) throws -> Data? {
        guard partial.wait(for: Int64(range.lowerBound)..<Int64(range.upperBound), goesOn: { true }) else { return nil }
        let file = try #require(FileHandle(forReadingAtPath: cache.path))
        try file.seek(toOffset: UInt64(range.lowerBound))
        return try file.read(upToCount: range.count)
    }

    /// Reads at any place, in any order, return the right bytes.
    @Test(arguments: [false, true]) func whatIsReadIsThere(loses: Bool) throws {
        // The third of these requests is lost.
        try read(loses ? 4 : 20, loses: loses)
    }

    /// More reads.
    @Suite struct Sweep {
        @Test(arguments: [false, true]) func whatIsReadIsThere(loses: Bool) throws {
            try PartialContentTests().read(loses ? 6 : 60, loses: loses)
        }
    }

    private func read(_ cases: Int, loses: Bool) throws {
        var random = SplitMix64(seed: Seed.announced(for: "reads of what is to come", cases: cases))
        try TemporaryFolder.with { folder in
            let cache = try Cache(folder, blocks: Self.blocks, random: &random)
            #expect(PartialContent.isComing(cache.path))
            cache.serve(loses: loses)
            defer { cache.end() }
            let partial = try #require(PartialContent(path: cache.path, size: Int64(cache.bytes.count)))
            for _ in 0..<cases {
                let start = Int.random(in: 0..<cache.bytes.count, using: &random)
                let range = start..<min(cache.bytes.count, start + Int.random(in: 1...700_000, using: &random))
                #expect(try read(cache, partial, range) == cache.bytes[range])
            }
        }
    }

    /// A sequential reader has its next blocks requested ahead, and one that jumps gets few unused
    /// blocks.
    @Test func whatIsReadOnIsWishedForAhead() throws {
        var random = SplitMix64(seed: 3)
        try TemporaryFolder.with { folder in
            let cache = try Cache(folder, blocks: Self.blocks, random: &random)
            cache.serve(loses: false)
            defer { cache.end() }
            let partial = try #require(PartialContent(path: cache.path, size: Int64(cache.bytes.count)))
            _ = try read(cache, partial, 0..<10)
            _ = try read(cache, partial, (40 * BlockTable.blockSize)..<(40 * BlockTable.blockSize + 10))
            #expect(Command.until { cache.map.has(42) })
            #expect(cache.map.present <= 6 * Int64(BlockTable.blockSize))
            for start in stride(from: 5 * BlockTable.blockSize, to: 38 * BlockTable.blockSize, by: 64 << 10) {
                _ = try read(cache, partial, start..<start + 64 << 10)
            }
            let asked = cache.asked.withLock { $0 }
            #expect(asked.count < 14 && Set(asked).count == asked.count, "\(asked)")
            #expect(!cache.map.isWhole)
        }
    }

    @Test func aWaitEndsWhereNothingComes() throws {
        var random = SplitMix64(seed: 4)
        try TemporaryFolder.with { folder in
            let cache = try Cache(folder, blocks: 4, random: &random)
            let partial = try #require(PartialContent(path: cache.path, size: Int64(cache.bytes.count)))
            var asked = 0
            let isThere = partial.wait(for: 0..<1) {
                asked += 1
                return asked < 5
            }
            #expect(!isThere && asked == 5)
            // Its place has changed.
            cache.map.setGone()
            #expect(!partial.wait(for: 0..<1) { true })
            // Nothing listens.
            unlink(folder.file(PartialContent.pipeName))
            let alone = try #require(PartialContent(path: cache.path, size: Int64(cache.bytes.count)))
            #expect(!alone.wait(for: 0..<1) { true })
        }
    }

    @Test func aFileThatIsThereIsNoneThatComes() throws {
        var random = SplitMix64(seed: 5)
        try TemporaryFolder.with { folder in
            let cache = try Cache(folder, blocks: 2, random: &random)
            #expect(PartialContent(path: cache.path, size: 7) == nil)
            #expect(PartialContent(path: folder.file("a.mp4"), size: 7) == nil)
            #expect(PartialContent(path: "a.mp4", size: 7) == nil && PartialContent(path: "/a", size: 7) == nil)
            for block in 0..<cache.map.count { cache.map.set(block) }
            #expect(PartialContent(path: cache.path, size: Int64(cache.bytes.count)) == nil)
            #expect(!PartialContent.isComing(cache.path))
        }
    }
}
