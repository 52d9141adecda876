import Content
import Foundation
import Glibc
import Messaging
import TestSupport
import Testing

@testable import Agent
@testable import Farm

/// Files that nodes fetch from a server, and send to it, over links that break.
@Suite(.listens) struct ContentTransferTests {
    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    /// More sizes.
    @Suite struct Sweep {
        @Test(arguments: [0, 1, 300_000, 3 << 20]) func aFileIsFetched(size: Int) throws {
            try ContentTransferTests().aFileIsFetched(size: size)
        }

        @Test(arguments: [0, 5, 300_000, 6 << 20]) func aResultArrivesUnderItsName(size: Int) throws {
            try ContentTransferTests().aResultArrivesUnderItsName(size: size)
        }
    }

    @Test(arguments: [0, 300_000]) func aFileIsFetched(size: Int) throws {
        try ContentBench.with { bench in
            let path = try bench.media("a.mp4", size)
            let client = bench.client(try bench.lease("job", 1, to: "a", reads: [path]), try bench.line("a"))
            let fetch = bench.fetch(try bench.store())
            let id = try fetch.whole(path, client)
            #expect(try fetch.bytes(of: id) == bytes(path))
            let name = try fetch.store.path(of: id, named: "a.mp4")
            #expect(name.hasSuffix("/a.mp4"))
            #expect(try bytes(name) == bytes(path))
            #expect(try fetch.store.path(of: id, named: "a.mp4") == name)
        }
    }

    @Test func whatIsThereIsNotFetchedAgain() throws {
        try ContentBench.with { bench in
            let path = try bench.media("a.mp4", 1 << 20)
            let line = try bench.line("a")
            let fetch = bench.fetch(try bench.store())
            let id = try fetch.whole(path, bench.client(try bench.lease("one", 1, to: "a", reads: [path]), line))
            // The server is gone.
            let client = bench.client(Lease(job: "none", epoch: 9), line)
            fetch.store.pin(id)
            try fetch.fetch(id, at: path, client)
        }
    }

    @Test func nothingAndFoldersAreToldApart() throws {
        try ContentBench.with { bench in
            let (nothing, media) = (bench.folder.file("media/nothing"), bench.folder.file("media"))
            let lease = try bench.lease("job", 1, to: "a", reads: [nothing, media])
            let client = bench.client(lease, try bench.line("a"))
            let fetch = bench.fetch(try bench.store())
            guard case .nothing = try fetch.describe(nothing, client) else { throw CancellationError() }
            let failure = #expect(throws: JobFailure.self) { try fetch.describe(media, client) }
            #expect(failure?.category == .input && failure?.message == "‘\(media)’ is not a regular file.")
        }
    }

    @Test func damagedBlocksAreFetchedAgain() throws {
        try ContentBench.with { bench in
            let path = try bench.media("a.mp4", 5 * BlockTable.blockSize)
            let client = bench.client(try bench.lease("job", 1, to: "a", reads: [path]), try bench.line("a"))
            let fetch = bench.fetch(try bench.store())
            let id = try fetch.whole(path, client)
            let data = fetch.store.dataPath(of: id)
            let file = try #require(FileHandle(forUpdatingAtPath: data))
            try file.seek(toOffset: UInt64(3 * BlockTable.blockSize + 5))
            try file.write(contentsOf: [1, 2, 3])
            try file.close()
            try fetch.fetch(id, at: path, client)
            #expect(try fetch.bytes(of: id) == bytes(path))
            #expect(bench.log.contains("1 damaged blocks of ‘\(path)’ in the content cache are fetched again"))
            // And one that is truncated.
            truncate(data, 7)
            try fetch.fetch(id, at: path, client)
            #expect(try fetch.bytes(of: id) == bytes(path))
        }
    }

    /// The second node of the name continues where the first was ended.
    @Test func aFetchGoesOnWhereItWasEnded() throws {
        try ContentBench.with { bench in
            let path = try bench.media("a.mp4", 20 * BlockTable.blockSize)
            let line = try bench.line("a")
            let lease = try bench.lease("job", 1, to: "a", reads: [path])
            var store: ContentStore? = try bench.store()
            var id: ContentID?
            do {
                let fetch = bench.fetch(try #require(store))
                let count = Locked(0)
                let client = Locked<ContentClient?>(nil)
                // Breaks the reference cycle.
                defer { client.withLock { $0 = nil } }
                client.withLock {
                    $0 = ContentClient(lease, line) { _ in
                        let number = count.withLock { count in
                            count += 1; return count
                        }
                        if number == 8 { client.withLock { $0 }?.cancel() }
                    }
                }
                let first = try #require(client.withLock { $0 })
                guard case .content(let found, _) = try fetch.describe(path, first) else { throw CancellationError() }
                id = found
                fetch.store.pin(found)
                let failure = #expect(throws: JobFailure.self) { try fetch.fetch(found, at: path, first) }
                #expect(failure?.category == .cancelled)
            }
            store = nil
            let again = try bench.store()
            let known = try #require(id)
            let map = try #require(again.map(of: known))
            let missing = map.missing.count
            #expect((1..<20).contains(missing))
            again.pin(known)
            let fetch = bench.fetch(again)
            try fetch.fetch(known, at: path, bench.client(lease, line))
            #expect(try fetch.bytes(of: known) == bytes(path))
        }
    }

    /// Each piece takes its time, so the link is cut in the middle.
    @Test func aLinkThatIsCutCostsNothingButTime() throws {
        try ContentBench.with { bench in
            let path = try bench.media("a.mp4", 12 * BlockTable.blockSize)
            let proxy = try Proxy(to: bench.socket.port, delay: 5)
            let line = try bench.line("a", port: proxy.port)
            let lease = try bench.lease("job", 1, to: "a", reads: [path], writes: [bench.folder.file("parts/p")])
            let count = Locked(0)
            let client = ContentClient(lease, line) { _ in
                let number = count.withLock { count in
                    count += 1; return count
                }
                if [4, 20].contains(number) { proxy.cut() }
            }
            let fetch = bench.fetch(try bench.store())
            let id = try fetch.whole(path, client)
            #expect(try fetch.bytes(of: id) == bytes(path))
            let there = bench.folder.file("parts/p.1-1")
            try Delivery([path: there], in: bench.folder.path) {}.send(client)
            #expect(try bytes(there) == bytes(path))
            proxy.stop()
        }
    }

    // MARK: Results

    @Test(arguments: [0, 300_000]) func aResultArrivesUnderItsName(size: Int) throws {
        try ContentBench.with { bench in
            let here = try bench.media("made", size)
            let there = bench.folder.file("parts/part.7-3")
            let lease = try bench.lease("job", 7, to: "a", writes: [bench.folder.file("parts/part")])
            let client = bench.client(lease, try bench.line("a"))
            let delivery = try Delivery([here: there], in: bench.folder.path) {}
            try delivery.send(client)
            #expect(try bytes(there) == bytes(here))
            // A file that is there already is not sent again, even by a new server.
            try delivery.send(client)
            try bench.lease("job", 7, to: "a", writes: [bench.folder.file("parts/part")])
            try delivery.send(client)
            #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder.file("parts")) == ["part.7-3"])
        }
    }

    @Test func picturesOfASequenceArriveInTheirFolder() throws {
        try ContentBench.with { bench in
            let made = bench.folder.file("made/out.7-3")
            try FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: true)
            for number in 1...3 {
                try Data(repeating: UInt8(number), count: number * 1000).write(
                    to: URL(fileURLWithPath: "\(made)/\(number).png"))
            }
            let there = bench.folder.file("parts/out.7-3")
            let lease = try bench.lease("job", 7, to: "a", writes: [bench.folder.file("parts/out")])
            let delivery = try Delivery([made: there], in: bench.folder.file("made")) {}
            try delivery.send(bench.client(lease, try bench.line("a")))
            for number in 1...3 { #expect(try bytes("\(there)/\(number).png").count == number * 1000) }
        }
    }

    @Test func aResultGoesOnWhereItWasCutOff() throws {
        try ContentBench.with { bench in
            let here = try bench.media("made", 10 * ContentWire.pieceSize)
            let there = bench.folder.file("parts/part.7-3")
            let lease = try bench.lease("job", 7, to: "a", writes: [bench.folder.file("parts/part")])
            try bytes(here).prefix(6 * ContentWire.pieceSize + 11).write(to: URL(fileURLWithPath: there + ".incoming"))
            let client = bench.client(lease, try bench.line("a"))
            let id = try Delivery([here: there], in: "") {}.files[0].id
            #expect(try client.ask(.offer(path: there, id)).say == .has(Int64(6 * ContentWire.pieceSize + 11)))
            try Delivery([here: there], in: "") {}.send(client)
            #expect(try bytes(there) == bytes(here))
            // A damaged file is sent again.
            unlink(there)
            try Data(count: 10 * ContentWire.pieceSize).write(to: URL(fileURLWithPath: there + ".incoming"))
            try bench.lease("job", 7, to: "a", writes: [bench.folder.file("parts/part")])
            try Delivery([here: there], in: "") {}.send(client)
            #expect(try bytes(there) == bytes(here))
        }
    }
}
