import FoundationEssentials
import TestSupport
import Testing

@testable import Messaging

/// Numbers of peers are bounded where they are decoded.
@Suite struct MessageBoundsTests {
    private static let lease = Lease(job: "a", epoch: 1)

    @Test func aHeartbeatsNumbersAreBounded() throws {
        var (header, body) = Message.heartbeat(Self.lease, Progress()).encoded()
        for offset in 16..<40 { header[header.startIndex + offset] = 0xFF }
        body = Data(repeating: 0xFF, count: 8) + Data(repeating: 65, count: 100_000)
        guard case .heartbeat(_, let progress, let vitals) = try Message.decode([header, body]).get() else {
            Issue.record("not a heartbeat")
            return
        }
        #expect(progress.done <= progress.total && progress.total == Progress.largest)
        #expect(vitals.processor <= 1 << 48 && (vitals.activity?.utf8.count ?? 0) <= 4096)
        #expect(Progress(done: .max, total: 5).done == 5 && Progress(done: .min, total: .min).total == 0)
    }

    @Test func aHeartbeatWithoutItsProcessorTimeIsAProblem() {
        let (header, body) = Message.heartbeat(Self.lease, Progress()).encoded()
        for length in 0..<8 {
            guard case .failure(.malformed) = Message.decode([header, body.prefix(length)]) else {
                Issue.record("taken with \(length) bytes")
                return
            }
        }
    }

    @Test func whatANodeSaysOfItselfIsBounded() throws {
        func decoded(_ cores: Int, _ memory: Int64) throws -> NodeIntroduction {
            let text = #"{"session": "s", "leases": [], "tags": [], "cores": \#(cores), "memory": \#(memory)}"#
            return try JSONDecoder().decode(NodeIntroduction.self, from: Data(text.utf8))
        }
        let most = try decoded(.max, .max)
        #expect(most.cores <= 1 << 20 && most.memory <= 1 << 56)
        let least = try decoded(.min, .min)
        #expect(least.cores == 0 && least.memory == 0)
    }

    @Test(arguments: ["-1", "1e300", "604800.5"]) func aHostsStallTimeoutIsBounded(seconds: String) throws {
        let text = #"{"host": "", "writable": [], "isParanoid": false, "stallSeconds": \#(seconds), "roots": {}}"#
        let terms = try JSONDecoder().decode(WorkerTerms.self, from: Data(text.utf8))
        #expect((0...WorkerTerms.longestStall).contains(terms.stallSeconds))
    }

    @Test(arguments: [Int.min, -1, .max]) func aBlamedFrameThatNoOutputHasIsLeftOut(frame: Int) throws {
        let text = #"{"path": "/p.so", "effectID": "", "frame": \#(frame)}"#
        #expect(try JSONDecoder().decode(PluginBlame.self, from: Data(text.utf8)).frame == nil)
    }

    /// A worker has at least one thread, and no more than a host could mean.
    @Test(arguments: [(Int.min, 1), (0, 1), (7, 7), (Int.max, Assignment.mostThreads)])
    func aNumberOfThreadsIsBounded(said: Int, heard: Int) throws {
        let share = Message.share(Self.lease, threads: said).encoded()
        #expect(try Message.decode([share.header, share.body]).get() == .share(Self.lease, threads: heard))
        #expect(Assignment(kind: "k", payload: Data(), threads: said).threads == heard)
    }

    @Test func aFenceIsNotAProgress() throws {
        let (header, body) = Message.assign(Self.lease, Assignment(kind: "k", payload: Data(), fence: .max)).encoded()
        guard case .assign(_, let job) = try Message.decode([header, body]).get() else {
            Issue.record("not a job")
            return
        }
        #expect(job.fence == .max)
    }
}
