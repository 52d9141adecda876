import Content
import Foundation
import Glibc
import Messaging
import TestSupport
import Testing

@testable import Agent
@testable import Farm

/// A node's bounded content cache.
@Suite struct ContentStoreTests {
    private static let block = Int64(BlockTable.blockSize)

    /// Some contents of different sizes, with their records.
    private struct Shelf {
        var contents: [(record: ContentRecord, bytes: Data)] = []

        init(_ folder: TemporaryFolder, _ count: Int, _ random: inout SplitMix64) throws {
            for number in 0..<count {
                let size = Int.random(in: 1...3 * BlockTable.blockSize, using: &random)
                let fill = UInt64.random(in: .min ... .max, using: &random)
                let bytes = Data(
                    (0..<size).map {
                        UInt8(truncatingIfNeeded: fill >> UInt64($0 % 8 * 8)) &+ UInt8(truncatingIfNeeded: $0 >> 8)
                    })
                let path = folder.file("source-\(number)")
                try bytes.write(to: URL(fileURLWithPath: path))
                let file = try ContentFile(path: path)
                contents.append((try #require(try ContentRecord(counting: file)), bytes))
            }
        }
    }

    private func fill(_ store: ContentStore, _ record: ContentRecord, _ bytes: Data, blocks: Range<Int>? = nil) throws
        -> Bool
    {
        guard store.begin(record.id) else { return false }
        defer { store.end(record.id) }
        let map = try store.map(of: record.id) ?? store.make(record)
        do throws(ContentStore.Problem) { try store.reserve(record.id, record.id.size) } catch { return false }
        for block in blocks ?? 0..<map.count where !map.has(block) {
            let range = BlockTable.range(block, of: record.id.size)
            try store.put(record.id, block, bytes[Int(range.lowerBound)..<Int(range.upperBound)], map)
        }
        store.note(record.id)
        return true
    }

    /// Random uses, ends, restarts and damage: pinned contents stay, present blocks are right or
    /// found to be damaged, and the bound holds.
    @Test func itKeepsItsBoundAndWhatIsUsed() throws {
        let seed = Seed.announced(for: "uses of a content store", cases: 300)
        try TemporaryFolder.with { folder in
            var random = SplitMix64(seed: seed)
            let shelf = try Shelf(folder, 10, &random)
            let bound = 6 * Self.block
            var store = try ContentStore(folder: folder.file("cache"), bound: bound)
            var pinned: [Int] = []
            for step in 0..<300 {
                let number = Int.random(in: 0..<shelf.contents.count, using: &random)
                let (record, bytes) = shelf.contents[number]
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<5:
                    store.pin(record.id)
                    if try fill(store, record, bytes) {
                        #expect(
                            try Data(contentsOf: URL(fileURLWithPath: store.dataPath(of: record.id))) == bytes,
                            "seed \(seed), step \(step)")
                        pinned.append(number)
                    } else {
                        store.release([record.id])
                    }
                case 5..<8:
                    guard let index = pinned.indices.randomElement(using: &random) else { continue }
                    store.release([shelf.contents[pinned.remove(at: index)].record.id])
                case 8:
                    guard let handle = FileHandle(forUpdatingAtPath: store.dataPath(of: record.id)) else { continue }
                    try handle.write(contentsOf: Data([bytes[0] ^ 0xFF]))
                    try handle.close()
                    #expect(!store.isKnown(record.id))
                    if let map = store.map(of: record.id), map.has(0) {
                        #expect(try store.check(record.id, map) {} >= 1)
                        #expect(!map.has(0))
                    }
                    store.pin(record.id)
                    _ = try fill(store, record, bytes)
                    store.release([record.id])
                default:
                    // A new process knows nothing of uses, but everything that is stored.
                    for number in pinned { store.release([shelf.contents[number].record.id]) }
                    pinned = []
                    let folderPath = store.folder
                    store = try Self.reopened(&store, folderPath, bound)
                }
                let state = store.state.withLock { $0 }
                #expect(state.bytes <= bound || !pinned.isEmpty, "seed \(seed), step \(step): \(state.bytes)")
                for number in pinned {
                    let id = shelf.contents[number].record.id
                    #expect(access(store.dataPath(of: id), F_OK) == 0, "seed \(seed), step \(step)")
                }
                let names = try FileManager.default.contentsOfDirectory(atPath: store.folder).filter {
                    !$0.hasPrefix(".")
                }
                #expect(Set(names).isSubset(of: state.items.keys.map(\.description)), "seed \(seed), step \(step)")
            }
        }
    }

    private static func reopened(_ store: inout ContentStore, _ folder: String, _ bound: Int64) throws -> ContentStore {
        let parked = folder + "-parked"
        // The lock ends with the last reference.
        store = try ContentStore(folder: parked, bound: 0)
        defer { try? FileManager.default.removeItem(atPath: parked) }
        return try ContentStore(folder: folder, bound: bound)
    }

    @Test func whatWasUsedLongestAgoGoesFirstAlsoAfterARestart() throws {
        try TemporaryFolder.with { folder in
            var random = SplitMix64(seed: 3)
            let shelf = try Shelf(folder, 4, &random)
            var store = try ContentStore(folder: folder.file("cache"), bound: 1 << 30)
            for (record, bytes) in shelf.contents {
                store.pin(record.id)
                #expect(try fill(store, record, bytes))
            }
            for number in [2, 0, 3, 1] {
                store.release([shelf.contents[number].record.id])
                usleep(20_000)
            }
            let kept = shelf.contents[3].record.id.size + shelf.contents[1].record.id.size
            let path = store.folder
            store = try Self.reopened(&store, path, kept)
            let left = Set(store.state.withLock { $0.items.keys })
            #expect(left == [shelf.contents[3].record.id, shelf.contents[1].record.id])
        }
    }

    @Test func whatIsNoContentIsRemoved() throws {
        try TemporaryFolder.with { folder in
            let path = folder.file("cache")
            let digest = String(repeating: "a", count: 64)
            for name in ["x", "\(digest)-5", ".gone-1"] {
                try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
            }
            try Data(count: 100).write(to: URL(fileURLWithPath: "\(path)/\(digest)-5/.map"))
            let store = try ContentStore(folder: path, bound: 1 << 20)
            #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [".lock"])
            #expect(throws: ContentStore.Problem.self) { try ContentStore(folder: path, bound: 1) }
            withExtendedLifetime(store) {}
        }
    }

    @Test func aServersNamesAreMadeOurs() {
        for (name, ours) in [
            ("a.mp4", "a.mp4"), ("", "_"), (".", "_."), ("..", "_.."), (".map", "_.map"), ("a/b\0.srt", "b.srt"),
            (String(repeating: "x", count: 300) + ".cube", String(repeating: "x", count: 195) + ".cube"),
        ] { #expect(ContentName.file(name) == ours) }
    }

    @Test func pluginsAreTakenAsTheOwnerSays() throws {
        try TemporaryFolder.with { folder in
            let digest = String(repeating: "ab", count: 32)
            let id = try #require(ContentID(digest: digest, size: 3))
            let list = try folder.write("# ours\n\n\(digest.uppercased())  glow.so\n", to: "list")
            for (word, isTaken) in [("allow", true), ("none", false), ("pinned:" + list, true)] {
                let gate = PluginGate(try .init(word), program: "/nowhere/cutroom-worker")
                let failure =
                    isTaken ? nil : JobFailure(.declined, "it refuses plugins (--plugins), and ‘/p/glow.so’ is one")
                var found: JobFailure?
                do throws(JobFailure) { try gate.check("/p/glow.so", id) } catch { found = error }
                #expect(found == failure, "\(word)")
            }
            let other = try #require(ContentID(digest: String(repeating: "00", count: 32), size: 3))
            let failure = #expect(throws: JobFailure.self) {
                try PluginGate(.init("pinned:" + list), program: "").check("/p/glow.so", other)
            }
            #expect(failure?.category == .declined && failure?.message.contains("is not pinned (--plugins)") == true)
            _ = try folder.write("what\n", to: "bad")
            for word in ["", "all", "pinned:", "pinned:" + folder.file("missing"), "pinned:" + folder.file("bad")] {
                #expect(throws: NodeAgent.Problem.self) { try PluginGate.Policy(word) }
            }
            // A plugin that comes with the build is recognised by its content.
            let own = try folder.write("abc", to: "libcutroom_plugin_x.so")
            let gate = PluginGate(.none, program: folder.file("cutroom-worker"))
            let record = try ContentRecord(counting: ContentFile(path: own))
            #expect(gate.own("libcutroom_plugin_x.so", try #require(record).id) == own)
            #expect(gate.own("libcutroom_plugin_x.so", id) == nil && gate.own("glow.so", id) == nil)
        }
    }
}
