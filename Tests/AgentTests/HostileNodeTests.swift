import Foundation
import Glibc
import Messaging
import TestSupport
import Testing

@testable import Farm

/// Foreign peers, and peers that violate the protocol: the nodes' work continues undisturbed.
@Suite(.listens) struct HostileNodeTests {
    private func port(_ farm: FarmBench) throws -> UInt16 {
        try #require(farm.endpoint.split(separator: ":").last.flatMap { UInt16($0) })
    }

    /// Opens a connection that does not speak ZeroMQ.
    private func plain(_ port: UInt16, _ bytes: [UInt8]) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(connected == 0)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        return descriptor
    }

    @Test func strangersOfEveryKindDisturbNobody() async throws {
        try await FarmBench.with { farm in
            let unlisted = try farm.node("unlisted", key: KeyFile(name: "unlisted", role: .node))
            try farm.node("a", slots: 2)
            let (task, log) = farm.start((0..<30).map { JobSpec("job-\($0)", "sleep", "50") })
            try await eventually("jobs run") { !log.starts.isEmpty }
            let seed = Seed.announced(for: "garbage over TCP", cases: 40)
            var random = SplitMix64(seed: seed)
            let port = try port(farm)
            var descriptors: [Int32] = []
            defer { for descriptor in descriptors { close(descriptor) } }
            for number in 0..<40 {
                // Some start like ZeroMQ, then stall or deviate.
                var bytes: [UInt8] = number.isMultiple(of: 2) ? [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 1] : []
                if number.isMultiple(of: 4) { bytes += Array("CURVE".utf8) + [UInt8](repeating: 0, count: 47) }
                if !number.isMultiple(of: 8) {
                    bytes += (0..<Int.random(in: 0...300, using: &random)).map { _ in
                        UInt8.random(in: 0...255, using: &random)
                    }
                }
                descriptors.append(try plain(port, bytes))
            }
            // ZeroMQ without a key, under the name of the working node.
            let open = try ZMQSocket.dealer(context: ZMQContext(), name: "a/1")
            try open.connect(farm.endpoint)
            for _ in 0..<20 { _ = try open.send(.goodbye) }
            #expect(try await task.value.count == 30)
            #expect(log.retries.isEmpty && log.starts.allSatisfy { $0.node == "a" }, "seed \(seed)")
            #expect(farm.log.lines.allSatisfy { !$0.contains("unlisted") })
            try await eventually("it is told why") { unlisted.stderrSoFar.contains("does not allow this node's key") }
        }
    }

    /// Connects as a worker with a key on the list, which repeats itself.
    private func player(_ farm: FarmBench, _ key: KeyFile, _ name: WorkerID) throws -> ZMQSocket {
        let socket = try ZMQSocket.remoteDealer(
            context: ZMQContext(), name: name, key: try #require(key.pair), server: farm.server.publicKey)
        try socket.connect(farm.endpoint)
        return socket
    }

    private func say(_ message: Message, on socket: borrowing ZMQSocket) async throws {
        for _ in 0..<2000 {
            if try socket.send(message) { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("could not send")
    }

    /// The messages that arrived together with the last one.
    private let heard = Locked<[Message]>([])

    /// Returns the next message. Meanwhile it releases its thread, which the queue's part of the
    /// test may need.
    private func answer(on socket: borrowing ZMQSocket) async throws -> Message {
        if let next = heard.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return next }
        for _ in 0..<2000 {
            if let received = try socket.receiveMessages()?.map({ try $0.get() }), let first = received.first {
                heard.withLock { $0 += received.dropFirst() }
                return first
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw CancellationError()
    }

    /// Waits until the jobs are there, before a worker asks for them.
    private func haveJobs(_ farm: FarmBench, _ count: Int) async throws {
        try await eventually("\(count) jobs wait") { await farm.queue.status()?.waiting == count }
    }

    private func hello(_ session: String) -> Message {
        .hello(WorkerIntroduction(worker: "", process: 1, engine: "test", node: NodeIntroduction(session: session)))
    }

    @Test func repeatedAndOldMessagesHaveNoEffect() async throws {
        // A worker that the test plays is not lost for being slow.
        try await FarmBench.with(adjust: { $0.leaseTimeout = .seconds(3600) }) { farm in
            let socket = try player(farm, farm.allow("a"), "a/1")
            let (task, log) = farm.start([JobSpec("first", "x"), JobSpec("second", "x")])
            try await haveJobs(farm, 2)
            try await say(.ready, on: socket)
            #expect(try await answer(on: socket) == .introduceYourself)
            try await say(hello("s"), on: socket)
            try await say(hello("s"), on: socket)
            for _ in 0..<2 {
                guard case .welcome(let terms) = try await answer(on: socket) else { throw CancellationError() }
                #expect(!terms.host.isEmpty)
            }
            try await say(.ready, on: socket)
            guard case .assign(let first, _) = try await answer(on: socket) else { throw CancellationError() }
            for _ in 0..<2 { try await say(.completed(first, result: Data([1])), on: socket) }
            for _ in 0..<2 { #expect(try await answer(on: socket) == .acknowledge(first)) }
            try await say(.ready, on: socket)
            guard case .assign(let second, _) = try await answer(on: socket) else { throw CancellationError() }
            #expect(second.epoch > first.epoch)
            let old = Lease(job: second.job, epoch: first.epoch)
            try await say(.completed(old, result: Data([9])), on: socket)
            #expect(try await answer(on: socket) == .cancel(old))
            try await say(.completed(second, result: Data([2])), on: socket)
            // Without this the jobs would never end.
            try #require(try await answer(on: socket) == .acknowledge(second))
            #expect(try await task.value == ["first": Data([1]), "second": Data([2])])
            #expect(log.retries.isEmpty)
        }
    }

    @Test func aKeyIsGoodForItsOwnNameAlone() async throws {
        try await FarmBench.with { farm in
            try farm.node("a")
            let other = try farm.allow("b")
            #expect(try await farm.run(JobSpec("before", "echo", "1")) == "1")
            // Not under another node's name, and not without a slot.
            for name in ["a/2", "b", "a"] as [WorkerID] {
                let socket = try player(farm, other, name)
                try await say(hello("s"), on: socket)
                var poller = Poller()
                _ = try poller.wait(for: socket, timeout: .milliseconds(200))
                #expect(try socket.receiveMessages() == nil, "\(name)")
            }
            #expect(farm.log.contains("of the key ‘b’ in the name of worker a/2"))
            #expect(try await farm.run(JobSpec("after", "echo", "2")) == "2")
        }
    }

    @Test func aWorkerThatComesAsAnotherProcessHoldsNothing() async throws {
        try await FarmBench.with(adjust: { $0.leaseTimeout = .seconds(3600) }) { farm in
            let socket = try player(farm, farm.allow("a"), "a/1")
            let (task, log) = farm.start([JobSpec("job", "x")])
            try await haveJobs(farm, 1)
            try await say(hello("s"), on: socket)
            _ = try await answer(on: socket)
            try await say(.ready, on: socket)
            guard case .assign(let lease, _) = try await answer(on: socket) else { throw CancellationError() }
            try await say(hello("t"), on: socket)
            _ = try await answer(on: socket)
            try await eventually("its job is free") { log.retries == ["worker a/1 was restarted"] }
            try await say(.ready, on: socket)
            guard case .assign(let next, _) = try await answer(on: socket) else { throw CancellationError() }
            #expect(next.job == lease.job && next.epoch > lease.epoch)
            try await say(.completed(next, result: Data()), on: socket)
            #expect(try await task.value.count == 1)
        }
    }
}
