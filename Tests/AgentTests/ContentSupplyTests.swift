import Content
import Foundation
import Glibc
import Messaging
import TestSupport
import Testing

@testable import Agent
@testable import Farm

/// Files that workers read while they are fetched.
@Suite(.listens) struct ContentSupplyTests {
    /// A node's supply, and the failures that it reported.
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

        /// Starts a job that reads a file of the server while it is fetched.
        func begin(_ path: String, _ job: JobID, _ client: ContentClient) throws -> (id: ContentID, path: String) {
            guard case .content(let id, _) = try fetch.describe(path, client) else { throw CancellationError() }
            fetch.store.pin(id)
            try fetch.prepare(id, at: path, client)
            supply.add(ContentSupply.Reader(job: job, path: path, client: client), of: id)
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

    /// A job of node a that reads a file of the server.
    private struct Reading {
        let bench: ContentBench
        let node: Node
        let client: ContentClient
        /// The file on the server, and its bytes.
        let path: String
        let bytes: Data
        let id: ContentID
        /// The local path.
        let here: String

        func read(_ range: Range<Int>, goesOn: () -> Bool = { true }) throws -> Data? {
            try node.read(here, range, of: size, goesOn: goesOn)
        }

        /// Waits for a block that never comes, until the job's failure is reported.
        func failure() throws -> (JobID, JobFailure) {
            #expect(try read(7 << 20..<9 << 20) { node.failures.withLock { $0.isEmpty } } == nil)
            return try #require(node.failures.withLock { $0.first })
        }
    }

    private func reading(bound: Int64 = 1 << 30, _ body: (Reading) throws -> Void) throws {
        try ContentBench.with { bench in
            let path = try bench.media("a.mp4", Self.size)
            let node = try Node(bench, bound: bound)
            let client = bench.client(try bench.lease("job", 1, to: "a", reads: [path]), try bench.line("a"))
            // Its thread would wait for ever for what does not come.
            defer { client.cancel() }
            let (id, here) = try node.begin(path, "job", client)
            try body(
                Reading(
                    bench: bench, node: node, client: client, path: path,
                    bytes: Data(contentsOf: URL(fileURLWithPath: path)), id: id, here: here))
        }
    }

    @Test func readersGetWhatTheyAskForAndLittleMore() throws {
        try reading { job in
            let map = try #require(job.node.fetch.store.map(of: job.id))
            #expect(map.present == 0)
            for start in [9_000_000, 0, 5_000_000, 9_100_000] {
                #expect(try job.read(start..<start + 70_000) == job.bytes[start..<start + 70_000])
            }
            #expect(!map.isWhole && map.present < 4 << 20, "\(map.present)")
            job.node.supply.remove("job", of: [job.id])
            // Without a reader, requested blocks are not fetched.
            #expect(try job.read(2_000_000..<2_000_010, goesOn: Self.moments(100)) == nil)
            // Fetches everything, using the blocks that are present.
            try job.node.fetch.fetch(job.id, at: job.path, job.client)
            #expect(map.isWhole)
            #expect(try job.node.fetch.bytes(of: job.id) == job.bytes)
        }
    }

    /// Blocks are checked only against the server's digests. A reader of the whole file, such as
    /// the loader of a plugin by its SHA-256, has it compared.
    @Test func whatCameInBlocksIsComparedBeforeItIsTakenForTheWhole() throws {
        try reading { job in
            let store = job.node.fetch.store
            #expect(try job.read(0..<Self.size) == job.bytes)
            #expect(try #require(store.map(of: job.id)).isWhole && !store.isProven(job.id))
            try job.node.fetch.fetch(job.id, at: job.path, job.client)
            #expect(store.isProven(job.id))
            // A server that gives other bytes under that name, with matching digests of blocks.
            let other = try job.bench.media("other.mp4", Self.size, seed: 9)
            let lie = try ContentRecord(counting: ContentFile(path: other))
            let name = try #require(ContentID(digest: String(repeating: "5", count: 64), size: Int64(Self.size)))
            store.pin(name)
            let map = try store.make(ContentRecord(id: name, table: #require(lie).table))
            let file = try ContentFile(path: other)
            for block in 0..<map.count { try store.put(name, block, file.read(block: block), map) }
            store.note(name)
            #expect(store.isKnown(name) && !store.isProven(name))
            let failure = #expect(throws: JobFailure.self) {
                try job.node.fetch.fetch(name, at: other, job.client)
            }
            #expect(failure?.message.contains("its SHA-256 differs") == true, "\(String(describing: failure))")
            #expect(!store.isProven(name))
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
            let first = bench.client(try bench.lease("first", 1, to: "a", reads: [path]), line)
            let second = bench.client(try bench.lease("second", 2, to: "a", reads: [path]), line)
            defer { second.cancel() }
            let (id, here) = try node.begin(path, "first", first)
            _ = try node.begin(path, "second", second)
            // Its job is over, and its client is asked first.
            first.cancel()
            #expect(try node.read(here, 100..<300_000, of: Self.size) == all[100..<300_000])
            #expect(node.failures.withLock { $0.isEmpty })
            node.supply.remove("first", of: [id])
            #expect(try node.read(here, 4_000_000..<4_000_100, of: Self.size) == all[4_000_000..<4_000_100])
        }
    }

    /// The server has lost the file, or there is no room: the job fails instead of waiting.
    @Test func whoCannotBeServedIsTold() throws {
        try reading(bound: 1 << 20) { job in
            #expect(try job.read(0..<10)?.count == 10)
            let small = try job.failure()
            #expect(
                small.0 == "job" && small.1.category == .declined && small.1.message.contains("--content-cache"),
                "\(small)")
        }
        try reading { job in
            #expect(try job.read(0..<10)?.count == 10)
            try Data(count: 100).write(to: URL(fileURLWithPath: job.path))
            let gone = try job.failure()
            #expect(gone.1.message.contains("‘\(job.path)’"), "\(gone)")
        }
    }

    /// Bytes that any process writes into the pipe have no effect.
    @Test func noiseInThePipeIsPassedOver() throws {
        try reading { job in
            var random = SplitMix64(seed: Seed.announced(for: "noise in a pipe of wishes", cases: 2000))
            let pipe = open(job.bench.folder.file("wishes"), O_WRONLY | O_NONBLOCK)
            defer { close(pipe) }
            let other = try #require(ContentID(digest: String(repeating: "a", count: 64), size: 1 << 40))
            for number in 0..<2000 {
                var bytes = ContentWish(number.isMultiple(of: 2) ? other : job.id, 0..<64).bytes
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
                bytes = Data(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
                _ = bytes.withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) }
            }
            #expect(try job.read(11_000_000..<11_000_100) == job.bytes[11_000_000..<11_000_100])
            #expect(job.node.failures.withLock { $0.isEmpty })
        }
    }
}
