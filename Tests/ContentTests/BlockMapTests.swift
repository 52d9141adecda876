import Foundation
import TestSupport
import Testing

@testable import Content

/// Names of content, digests of blocks, and the map of present blocks.
@Suite struct BlockMapTests {
    static func record(_ folder: TemporaryFolder, _ bytes: Data) throws -> ContentRecord {
        let path = folder.file("content-\(bytes.count)")
        try bytes.write(to: URL(fileURLWithPath: path))
        let file = try ContentFile(path: path)
        return try #require(try ContentRecord(counting: file))
    }

    private static func bytes(_ count: Int, _ random: inout SplitMix64) -> Data {
        Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    @Test func aNameIsADigestAndASize() throws {
        let digest = String(repeating: "0f", count: 32)
        let id = try #require(ContentID(digest: digest, size: 7))
        #expect(ContentID("\(id)") == id)
        #expect(try JSONDecoder().decode(ContentID.self, from: JSONEncoder().encode(id)) == id)
        for (digest, size) in [
            (digest, -1), (digest, ContentID.largest + 1), (String(digest.dropLast()), 7), (digest.uppercased(), 7),
            ("../" + digest.dropFirst(3), 7), ("", 0),
        ] as [(String, Int64)] {
            #expect(ContentID(digest: digest, size: size) == nil)
            let json = Data(#"{"digest":"\#(digest)","size":\#(size)}"#.utf8)
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(ContentID.self, from: json) }
        }
        for text in ["", "-", digest, "\(digest)-", "\(digest)-07", "\(digest)-7-7", "\(digest)-+7"] {
            #expect(ContentID(text) == nil, "\(text)")
        }
    }

    @Test(arguments: [0, 1, BlockTable.blockSize - 1, BlockTable.blockSize, BlockTable.blockSize * 3 + 17])
    func everyBlockIsKnownByItsDigest(size: Int) throws {
        try TemporaryFolder.with { folder in
            var random = SplitMix64(seed: UInt64(size))
            let bytes = Self.bytes(size, &random)
            let record = try Self.record(folder, bytes)
            #expect(record.id.size == Int64(size) && record.table.count == BlockTable.count(of: Int64(size)))
            for block in 0..<record.table.count {
                let range = BlockTable.range(block, of: Int64(size))
                var content = Data(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
                #expect(record.table.holds(block, content))
                content[content.count / 2] ^= 1
                #expect(!record.table.holds(block, content) && !record.table.holds(block, content.dropLast()))
            }
            #expect(!record.table.holds(-1, Data()) && !record.table.holds(record.table.count, Data()))
            #expect(BlockTable(record.table.bytes + [0], of: record.id) == nil)
        }
    }

    @Test func whatOneProcessWritesTheOtherSees() throws {
        try TemporaryFolder.with { folder in
            var random = SplitMix64(seed: 1)
            let record = try Self.record(folder, Self.bytes(BlockTable.blockSize * 4 + 5, &random))
            let path = folder.file(".map")
            try BlockMap.create(path, record)
            let writer = try #require(BlockMap(path: path, writes: true))
            let reader = try #require(BlockMap(path: path, writes: false))
            #expect(reader.missing == [0, 1, 2, 3, 4] && reader.present == 0 && !reader.isWhole)
            writer.set(4)
            writer.set(1)
            #expect(reader.missing == [0, 2, 3] && reader.present == Int64(BlockTable.blockSize) + 5)
            let block = Int64(BlockTable.blockSize)
            #expect(
                reader.has(block..<block * 2) && !reader.has(block - 1..<block * 2) && !reader.has(0..<record.id.size))
            #expect(reader.has(block * 4 + 4..<block * 9), "what lies behind the end is nobody's lack")
            #expect(reader.has(0..<0) && !reader.has(5) && !reader.has(-1))
            let generation = reader.generation
            writer.clear(1)
            #expect(!reader.has(1) && reader.generation == generation + 1)
            writer.setGone()
            #expect(reader.isGone)
            #expect(reader.table(of: record.id) == record.table)
        }
    }

    /// Any bytes of a map open as a usable map, or do not open.
    @Test func damagedMapsAreNotOpened() throws {
        try TemporaryFolder.with { folder in
            var random = SplitMix64(seed: Seed.announced(for: "damaged block maps", cases: 200))
            let record = try Self.record(folder, Self.bytes(BlockTable.blockSize * 2, &random))
            let path = folder.file(".map")
            try BlockMap.create(path, record)
            let whole = try Data(contentsOf: URL(fileURLWithPath: path))
            for number in 0..<200 {
                var bytes = whole
                switch number % 3 {
                case 0: bytes = bytes.prefix(Int.random(in: 0..<whole.count, using: &random))
                case 1: bytes[Int.random(in: 0..<17, using: &random)] = UInt8.random(in: 1...255, using: &random)
                default: bytes += Self.bytes(Int.random(in: 1...100, using: &random), &random)
                }
                try bytes.write(to: URL(fileURLWithPath: path))
                if let map = BlockMap(path: path, writes: false) {
                    #expect(map.count == BlockTable.count(of: map.size))
                    _ = (map.missing, map.present, map.table(of: record.id))
                }
            }
            #expect(BlockMap(path: folder.file("nothing"), writes: true) == nil)
            #expect(BlockMap(path: folder.path, writes: false) == nil)
        }
    }

    @Test func whatIsNoFileIsNotRead() throws {
        try TemporaryFolder.with { folder in
            #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
            for (path, text, isMissing) in [
                (folder.file("pipe"), "is not a regular file", false), (folder.path, "is not a regular file", false),
                (folder.file("nothing"), "cannot be read: No such file or directory", true),
            ] {
                let problem = #expect(throws: ContentFile.Problem.self) { _ = try ContentFile(path: path).stamp }
                #expect(problem?.description == text && problem?.isMissing == isMissing)
            }
        }
    }
}
