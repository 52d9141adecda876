import Foundation
import Glibc
import Messaging
import TestSupport
import Testing

@testable import Farm

/// Links that are slow, or that carry nothing although both ends consider them open.
@Suite(.listens) struct LinkTests {
    private static func proxy(_ farm: FarmBench, delay: UInt32 = 0) throws -> Proxy {
        try Proxy(to: #require(farm.endpoint.split(separator: ":").last.flatMap { UInt16($0) }), delay: delay)
    }

    /// Pieces of up to 64 KiB take a tenth of a second each way.
    @Test func aSlowLinkLosesNobody() async throws {
        try await FarmBench.with { farm in
            let proxy = try Self.proxy(farm, delay: 100)
            try farm.node("a", slots: 2, endpoint: "tcp://127.0.0.1:\(proxy.port)")
            let log = EventLog()
            let payload = String(repeating: "x", count: 150_000)
            let results = try await farm.queue.run((0..<4).map { JobSpec("job-\($0)", "echo", payload) }) {
                log.add($0)
            }
            #expect(results.values.allSatisfy { $0.count == payload.utf8.count } && log.retries.isEmpty)
            proxy.stop()
        }
    }

    @Suite(.listens) struct Sweep {
        /// Repeated bytes violate CURVE: the connection ends, and a new one is made. Nothing counts
        /// twice.
        @Test func aLinkThatRepeatsWhatItCarriesIsDropped() async throws {
            try await FarmBench.with { farm in
                let proxy = try LinkTests.proxy(farm)
                try farm.node("a", endpoint: "tcp://127.0.0.1:\(proxy.port)")
                let (task, log) = farm.start((0..<6).map { JobSpec("job-\($0)", "sleep", "300") })
                try await eventually("one runs") { !log.starts.isEmpty }
                proxy.sayTwice()
                try farm.node("b")
                #expect(try await task.value.count == 6)
                #expect(log.events.count { if case .completed = $0 { true } else { false } } == 6)
                proxy.stop()
            }
        }

        /// The server gives the job to another node; the first one notices by itself, and
        /// reconnects.
        @Test func aLinkThatIsOpenAtBothEndsAndCarriesNothingIsFound() async throws {
            try await FarmBench.with { farm in
                let proxy = try LinkTests.proxy(farm)
                let first = try farm.node("a", endpoint: "tcp://127.0.0.1:\(proxy.port)")
                let (task, log) = farm.start([JobSpec("job", "until", farm.folder.file("go"))])
                try await eventually("it runs") { log.progresses }
                let start = ContinuousClock.now
                proxy.fallSilent()
                try await eventually("the server finds out") { log.retries.count == 1 }
                print("a silent link: the server found out after \(start.duration(to: .now))")
                try await eventually("the node finds out") { first.stderrSoFar.contains("is lost; trying again") }
                print("a silent link: the node found out after \(start.duration(to: .now))")
                try await eventually("it runs again") { log.starts.count == 2 }
                close(creat(farm.folder.file("go"), 0o600))
                #expect(try await task.value.count == 1)
                #expect(log.starts.map(\.node) == ["a", "a"])
                proxy.stop()
            }
        }

        /// ZeroMQ does not reconnect after a refusal; the node does.
        @Test func aNodeWhoseKeyIsAllowedLaterComesIn() async throws {
            try await FarmBench.with { farm in
                let key = try KeyFile(name: "a", role: .node)
                let node = try farm.node("a", key: key)
                try await eventually("it is told why") { node.stderrSoFar.contains("does not allow this node's key") }
                farm.allow(key)
                #expect(try await farm.run(JobSpec("job", "echo", "fine")) == "fine")
            }
        }

        @Test func thousandsOfSmallJobs() async throws {
            try await FarmBench.with { farm in
                try farm.node("a", slots: 4)
                try farm.node("b", slots: 4)
                _ = try await farm.queue.run((0..<16).map { JobSpec("warm-\($0)", "sleep", "100") })
                let start = ContinuousClock.now
                let results = try await farm.queue.run((0..<4000).map { JobSpec("job-\($0)", "echo", "x") })
                let seconds = start.duration(to: .now) / .seconds(1)
                print("4000 small jobs by two nodes of four slots: \(Int(4000 / seconds)) a second")
                #expect(results.count == 4000)
            }
        }
    }
}
