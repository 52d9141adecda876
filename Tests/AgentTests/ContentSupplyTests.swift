import Content
import Foundation
import Glibc
import Messaging
import TestSupport
import Testing

@testable import Agent
@testable import Farm

/// What workers read while it comes.
@Suite(.listens) struct ContentSupplyTests {
    /// A node's supply, and the failures that it told of.
    private struct Node {
        let fetch: ContentFetch
        let supply: ContentSupply
        let failures = Locked<[(JobID, JobFailure)]>([])

        init(_ bench: ContentBench, bound: Int64 = 1 << 30) throws {
            fetch = bench.fetch(try bench.store(bound: bound))
            supply = try ContentSupply(fetch, pipe: bench.folder.file("wishes")) { [failures] job, failure in
                failures.withLock { $0.append((job, failure)) }
            }
        }

        /// Has a job read a file of the server's while it comes.
        func begin(_ path: String, _ job: JobID, _ errand: Errand) throws -> (id: ContentID, path: String) {
            guard case .content(let id, _) = try fetch.describe(path, errand) else { throw CancellationError() }
            fetch.store.pin(id)
            try fetch.prepare(id, at: path, errand)
            supply.add(ContentSupply.Reader(job: job, path: path, errand: errand), of: id)
            return (id, try fetch.store.path(of: id, named: "a.mp4"))
        }

        func read(_ path: String, _ range: Range<Int>, of size: Int, goesOn: () -> Bool = { true }) throws -> Data? {
            if let partial = PartialContent(path: path, size: Int64(size)),
                !partial.wait(for: Int64(range.lowerBound)..<Int64(range.upperBound), goesOn: goesOn)
            {
                return nil
            }
            let file = try #require(FileHandle(forReadingAtPath: path))
            try file.seek(toOffset: UInt64(range.lowerBound))
            return try file.read(upToCount: range.count)
        }
    }

    private static let size = 12 << 20

    @Test func readersGetWhatTheyAskForAndLittleMore() throws {
        try ContentBench.with { bench in
            let path = try bench.media("a.mp4", Self.size)
            let all = try Data(contentsOf: URL(fileURLWithPath: path))
            let node = try Node(bench)
            let errand = bench.errand(try bench.lease("job", 1, to: "a", reads: [path]), try bench.line("a"))
            let (id, here) = try node.begin(path, "job", errand)
            let map = try #require(node.fetch.store.map(of: id))
            #expect(map.present == 0)
            for start in [9_000_000, 0, 5_000_000, 9_100_000] {
                #expect(try node.read(here, start..<start + 70_000, of: Self.size) == all[start..<start + 70_000])
            }
            #expect(!map.isWhole && map.present < 4 << 20, "\(map.present)")
            node.supply.remove("job", of: [id])
            // Nobody reads it: what is wished for is not fetched.
            #expect(try node.read(here, 2_000_000..<2_000_010, of: Self.size, goesOn: Self.moments(100)) == nil)
            // All of it, for who wants that; what was there is used.
            try node.fetch.fetch(id, at: path, errand)
            #expect(map.isWhole)
            #expect(try node.fetch.bytes(of: id) == all)
        }
    }

    private static func moments(_ count: Int) -> () -> Bool {
        var left = count
        return {
            left -= 1
            return left > 0
        }
    }

    @Test func aReaderThatLeavesCostsTheOthersNothing() throws {
        try ContentBench.with { bench in
            let path = try bench.media("a.mp4", Self.size)
            let all = try Data(contentsOf: URL(fileURLWithPath: path))
            let node = try Node(bench)
            let line = try bench.line("a")
            let first = bench.errand(try bench.lease("first", 1, to: "a", reads: [path]), line)
            let second = bench.errand(try bench.lease("second", 2, to: "a", reads: [path]), line)
            let (id, here) = try node.begin(path, "first", first)
            _ = try node.begin(path, "second", second)
            // It is over, and its errand is asked first.
            first.cancel()
            #expect(try node.read(here, 100..<300_000, of: Self.size) == all[100..<300_000])
            #expect(node.failures.withLock { $0.isEmpty })
            node.supply.remove("first", of: [id])
            #expect(try node.read(here, 4_000_000..<4_000_100, of: Self.size) == all[4_000_000..<4_000_100])
        }
    }

    /// The server does not have it any more, or there is no room: the job is told, and waits for nothing.
    @Test func whoCannotBeServedIsTold() throws {
        try ContentBench.with { bench in
            let path = try bench.media("a.mp4", Self.size)
            let node = try Node(bench, bound: 1 << 20)
            let errand = bench.errand(try bench.lease("job", 1, to: "a", reads: [path]), try bench.line("a"))
            let (_, here) = try node.begin(path, "job", errand)
            #expect(try node.read(here, 0..<10, of: Self.size)?.count == 10)
            #expect(
                try node.read(here, 7 << 20..<9 << 20, of: Self.size, goesOn: { node.failures.withLock { $0.isEmpty } })
                    == nil)
            let small = try #require(node.failures.withLock { $0.first })
            #expect(
                small.0 == "job" && small.1.category == .declined && small.1.message.contains("--content-cache"),
                "\(small)")
        }
        try ContentBench.with { bench in
            let path = try bench.media("a.mp4", Self.size)
            let node = try Node(bench)
            let errand = bench.errand(try bench.lease("job", 1, to: "a", reads: [path]), try bench.line("a"))
            let (_, here) = try node.begin(path, "job", errand)
            #expect(try node.read(here, 0..<10, of: Self.size)?.count == 10)
            try Data(count: 100).write(to: URL(fileURLWithPath: path))
            #expect(
                try node.read(here, 7 << 20..<9 << 20, of: Self.size, goesOn: { node.failures.withLock { $0.isEmpty } })
                    == nil)
            let gone = try #require(node.failures.withLock { $0.first })
            #expect(gone.1.message.contains("‘\(path)’"), "\(gone)")
        }
    }

    /// Whoever may write into the pipe gets nothing by it.
    @Test func noiseInThePipeIsPassedOver() throws {
        try ContentBench.with { bench in
            let path = try bench.media("a.mp4", Self.size)
            let all = try Data(contentsOf: URL(fileURLWithPath: path))
            let node = try Node(bench)
            let errand = bench.errand(try bench.lease("job", 1, to: "a", reads: [path]), try bench.line("a"))
            let (id, here) = try node.begin(path, "job", errand)
            var random = SplitMix64(seed: Seed.announced(for: "noise in a pipe of wishes", cases: 2000))
            let pipe = open(bench.folder.file("wishes"), O_WRONLY | O_NONBLOCK)
            defer { close(pipe) }
            let other = try #require(ContentID(digest: String(repeating: "a", count: 64), size: 1 << 40))
            for number in 0..<2000 {
                var bytes = ContentWish(number.isMultiple(of: 2) ? other : id, 0..<64).bytes
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
                bytes = Data(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
                _ = bytes.withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) }
            }
            #expect(try node.read(here, 11_000_000..<11_000_100, of: Self.size) == all[11_000_000..<11_000_100])
            #expect(node.failures.withLock { $0.isEmpty })
        }
    }
}
