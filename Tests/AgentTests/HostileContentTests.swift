import CZeroMQ
import Content
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Agent
@testable import Farm
@testable import Messaging

/// Nodes that request other nodes' files, send forbidden ones, or send garbage: they get nothing,
/// and other nodes are not affected.
@Suite(.listens) struct HostileContentTests {
    /// Returns the answer to one request, even a refusal.
    private func answer(
        _ line: ContentLine, _ lease: Lease, _ ask: ContentQuestion.Ask, _ bytes: Data? = nil
    ) throws -> (say: ContentAnswer.Say, bytes: Data?) {
        let box = Locked<ContentLine.Reply?>(nil)
        let done = DispatchSemaphore(value: 0)
        line.ask(lease, ask, bytes) { reply in
            box.withLock { $0 = reply }
            done.signal()
        }
        #expect(done.wait(timeout: .now() + 30) == .success)
        guard case .said(let say, let bytes) = box.withLock({ $0 }) else { throw CancellationError() }
        return (say, bytes)
    }

    private func isRefused(_ say: ContentAnswer.Say) -> Bool { if case .refused = say { true } else { false } }

    @Test func aNodeGetsWhatItsOwnLeasesNameAndNothingElse() throws {
        try ContentBench.with { bench in
            let (own, others) = (try bench.media("own", 1000), try bench.media("others", 1000, seed: 2))
            let lease = try bench.lease("job", 5, to: "a", reads: [own])
            let theirs = try bench.lease("their", 6, to: "b", reads: [others])
            let (a, b) = (try bench.line("a"), try bench.line("b"))
            guard case .content(let id, _) = try answer(b, theirs, .describe(path: others)).say,
                case .content(let ownID, _) = try answer(a, lease, .describe(path: own)).say
            else { throw CancellationError() }
            // Another node's file, the same by a detour, another node's lease, its own with another
            // epoch, and an unknown one.
            let around = bench.folder.file("media/../media/own")
            for path in [others, around, "/etc/passwd", "", own + "\0"] {
                #expect(isRefused(try answer(a, lease, .describe(path: path)).say))
                #expect(isRefused(try answer(a, lease, .block(path: path, id, 0)).say))
                #expect(isRefused(try answer(a, lease, .table(path: path, id, from: 0)).say))
            }
            for other in [theirs, Lease(job: "job", epoch: 4), Lease(job: "none", epoch: 5)] {
                for ask in [.describe(path: others), .block(path: others, id, 0), .describe(path: own)]
                    as [ContentQuestion.Ask]
                { #expect(try answer(a, other, ask).say == .unknownLease) }
            }
            // Another content at an allowed path, and blocks that do not exist.
            for ask in [
                .block(path: own, id, 0), .block(path: own, ownID, 1), .block(path: own, ownID, -1),
                .block(path: own, ownID, .max), .table(path: own, ownID, from: -1),
                .table(path: own, ownID, from: .max),
            ] as [ContentQuestion.Ask] { #expect(isRefused(try answer(a, lease, ask).say), "\(ask)") }
            let block = try answer(a, lease, .block(path: own, ownID, 0))
            #expect(block.say == .bytes && block.bytes?.count == 1000)
            // The lease is over.
            bench.ledger.note(.completed("job", result: Data())) { _ in nil }
            #expect(try answer(a, lease, .block(path: own, ownID, 0)).say == .unknownLease)
            #expect(try answer(b, theirs, .block(path: others, id, 0)).say == .bytes)
        }
    }

    @Test func aResultHasTheNameOfItsRunAlone() throws {
        try ContentBench.with { bench in
            let output = bench.folder.file("parts/part")
            let lease = try bench.lease("job", 5, to: "a", reads: [output], writes: [output])
            let line = try bench.line("a")
            let id = try #require(ContentID(digest: String(repeating: "0", count: 64), size: 3))
            for path in [
                output, output + ".5", output + ".5-", output + ".4-1", output + ".6-1", output + ".5-1x",
                output + ".5-1.incoming",
                output + ".5-1/../x", output + ".5-1/x.png", output + ".5-1/1.png/2.png", output + ".5-1/1.so",
                bench.folder.file("parts/other.5-1"), "/etc/cron.d/x",
                output + ".5-" + String(repeating: "1", count: 21),
            ] {
                #expect(isRefused(try answer(line, lease, .offer(path: path, id)).say), "\(path)")
                #expect(isRefused(try answer(line, lease, .give(path: path, id, from: 0), Data([1])).say), "\(path)")
                #expect(isRefused(try answer(line, lease, .finish(path: path, id)).say), "\(path)")
            }
            let good = output + ".5-1"
            for (from, bytes) in [
                (0, Data(count: 4)), (2, Data(count: 2)), (-1, Data(count: 1)), (0, Data()), (.max, Data(count: 1)),
            ]
                as [(Int64, Data)]
            { #expect(isRefused(try answer(line, lease, .give(path: good, id, from: from), bytes).say), "\(from)") }
            #expect(
                try answer(line, lease, .give(path: good, id, from: 0)).say
                    == .refused(reason: "A piece of ‘\(good)’ lies outside the file."))
            #expect(try answer(line, lease, .give(path: good, id, from: 0), Data([1, 2, 3])).say == .has(3))
            // Its digest is not the announced one.
            #expect(try answer(line, lease, .finish(path: good, id)).say == .has(0))
            #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder.file("parts")).isEmpty)
            // A symbolic link is not followed.
            let target = bench.folder.file("target")
            try Data([9]).write(to: URL(fileURLWithPath: target))
            symlink(target, good + ".incoming")
            _ = try answer(line, lease, .give(path: good, id, from: 0), Data([1, 2, 3]))
            #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data([9]))
            // One lease has few runs.
            var taken = 0
            for run in 1...40 {
                if case .has = try answer(line, lease, .offer(path: "\(output).5-\(run)", id)).say { taken += 1 }
            }
            #expect(taken == 8)
        }
    }

    @Test func aKeyThatIsRevokedGetsNothingMore() throws {
        try ContentBench.with { bench in
            let path = try bench.media("own", 1000)
            let lease = try bench.lease("job", 5, to: "a", reads: [path])
            let line = try bench.line("a")
            _ = try answer(line, lease, .describe(path: path))
            bench.revoke("a")
            let reply = Locked<ContentLine.Reply?>(nil)
            line.ask(lease, .describe(path: path)) { found in reply.withLock { $0 = found } }
            #expect(Command.until { reply.withLock { $0 } != nil })
            guard case .lost = reply.withLock({ $0 }) else {
                Issue.record("it was answered")
                return
            }
        }
    }

    /// Garbage, other nodes' names and floods, beside a node that works.
    @Test func noiseDisturbsNobody() throws { try Self.fetchAmongNoise(512 << 10) }

    /// A larger file, so more noise.
    @Suite struct Sweep {
        @Test func noiseDisturbsNobody() throws { try fetchAmongNoise(2 << 20) }
    }

    /// Fetches a file among noise.
    /// - Parameter size: the size of the file.
    private static func fetchAmongNoise(_ size: Int) throws {
        try ContentBench.with { bench in
            let path = try bench.media("a.mp4", size)
            let lease = try bench.lease("job", 5, to: "a", reads: [path])
            let fetch = bench.fetch(try bench.store())
            let line = try bench.line("a")
            let hostile = try bench.configuration("b")
            var random = SplitMix64(seed: Seed.announced(for: "garbage for a server's content", cases: 400))
            let isOver = Locked(false)
            let noise = try ["b/content", "a/content", "b/x", "b"].map { name in
                let socket = try ZMQSocket.remoteDealer(
                    context: ZMQContext(), name: WorkerID(name), key: hostile.key, server: hostile.server)
                // It never reads its answers.
                try socket.set(ZMQ_RCVHWM, 10 as Int32, "RCVHWM")
                try socket.set(ZMQ_HEARTBEAT_IVL, 0 as Int32, "HEARTBEAT_IVL")
                try socket.connect(bench.endpoint)
                return Noise(socket: socket)
            }
            let question = ContentWire.encode(ContentQuestion(number: 1, lease: lease, ask: .describe(path: path)))
            let seed = random.next()
            #expect(
                SystemThread.start(name: "noise") {
                    var random = SplitMix64(seed: seed)
                    for number in 0... {
                        if isOver.withLock({ $0 }) { return }
                        var frames = question
                        switch number % 4 {
                        case 0:
                            frames[0] = Data(
                                (0..<Int.random(in: 0...300, using: &random)).map { _ in
                                    UInt8.random(in: 0...255, using: &random)
                                })
                        case 1:
                            frames[0][Int.random(in: 0..<frames[0].count, using: &random)] ^=
                                1 << UInt8.random(in: 0...7, using: &random)
                        case 2: frames += (0..<Int.random(in: 1...6, using: &random)).map { _ in Data(count: 10) }
                        default: break
                        }
                        _ = try? noise[number % noise.count].socket.send(frames)
                        if number % 50 == 0 { SystemThread.pause(.milliseconds(1)) }
                    }
                })
            // The flood has started.
            #expect(Command.until { bench.log.contains("content requests were dropped so far") })
            let id = try fetch.whole(path, bench.client(lease, line))
            isOver.withLock { $0 = true }
            #expect(try fetch.bytes(of: id) == Data(contentsOf: URL(fileURLWithPath: path)))
        }
    }

    private final class Noise: @unchecked Sendable {
        // Used by one thread only.
        let socket: ZMQSocket
        init(socket: consuming ZMQSocket) { self.socket = socket }
    }

    /// Any frames decode to a message or to nil.
    @Test func garbageIsNoMessage() throws {
        let lease = Lease(job: "job", epoch: 5)
        let id = try #require(ContentID(digest: String(repeating: "a", count: 64), size: 9))
        let asks: [ContentQuestion.Ask] = [
            .describe(path: "/a"), .table(path: "/a", id, from: 1), .block(path: "/a", id, 2), .offer(path: "/a", id),
            .give(path: "/a", id, from: 3), .finish(path: "/a", id),
        ]
        var random = SplitMix64(seed: Seed.announced(for: "damaged questions about content", cases: 3000))
        for ask in asks {
            let question = ContentQuestion(number: 7, lease: lease, ask: ask)
            let frames = ContentWire.encode(question, Data([1]))
            let read = try #require(ContentWire.decode(ContentQuestion.self, frames))
            #expect(read.message == question && read.bytes == Data([1]))
            for _ in 0..<500 {
                var text = frames[0]
                for _ in 0...Int.random(in: 0...3, using: &random) {
                    text[Int.random(in: 0..<text.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                if let found = ContentWire.decode(
                    ContentQuestion.self, [text.prefix(Int.random(in: 0...text.count, using: &random))])
                {
                    #expect(ContentWire.decode(ContentQuestion.self, ContentWire.encode(found.message)) != nil)
                }
            }
        }
        #expect(ContentWire.decode(ContentQuestion.self, []) == nil)
        #expect(ContentWire.decode(ContentQuestion.self, [Data(count: ContentWire.largestText + 1)]) == nil)
        #expect(
            ContentWire.decode(
                ContentAnswer.self, ContentWire.encode(ContentAnswer(number: 1, say: .kept)) + [Data(), Data()]) == nil)
        // Endless nesting.
        #expect(ContentWire.decode(ContentQuestion.self, [Data(repeating: UInt8(ascii: "["), count: 60_000)]) == nil)
    }
}
