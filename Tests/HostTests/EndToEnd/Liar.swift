import Composition
import Foundation
import Messaging
import TestSupport
import Testing

/// A node with an allowed key that violates the protocol.
final class Liar {
    private let socket: ZMQSocket

    init(_ lot: EndToEnd.RemoteRenderTests.Lot, at endpoint: String) throws {
        let key = try KeyFile(path: lot.studio.file("config/cutroom/keys/liar.key"))
        let server = try KeyFile(path: lot.studio.file("config/cutroom/server/server.pub"))
        socket = try ZMQSocket.remoteDealer(
            context: ZMQContext(), name: "liar/1", key: try #require(key.pair), server: server.publicKey)
        try socket.connect(endpoint)
    }

    private func say(_ message: Message) { _ = try? socket.send(message) }

    private var hello: Message {
        .hello(
            WorkerIntroduction(
                worker: "liar/1", process: 1, engine: Engine.version, node: NodeIntroduction(session: "s", cores: 1)))
    }

    /// Sends as much as possible: results of others' leases, and invalid messages.
    func flood(seconds: Double) {
        let end = ContinuousClock.now + .seconds(seconds)
        var epoch: UInt64 = 0
        while ContinuousClock.now < end {
            epoch += 1
            for job in ["r1.1-segment-3", "r2.1-segment-5", "none"] {
                say(.completed(Lease(job: JobID(job), epoch: epoch), result: Data(#"{"path":"/etc/passwd"}"#.utf8)))
            }
            _ = try? socket.send([Data(repeating: UInt8(truncatingIfNeeded: epoch), count: 4096)])
        }
    }

    /// Takes segments and answers with files that do not exist; declines other jobs.
    /// - Returns: the number of false answers.
    @discardableResult
    func lieOfJobs(seconds: Double, atMost: Int = .max) throws -> Int {
        let end = ContinuousClock.now + .seconds(seconds)
        var poller = Poller()
        var lies = 0
        say(hello)
        while ContinuousClock.now < end, lies < atMost {
            say(.ready)
            _ = try poller.wait(for: socket, timeout: .milliseconds(50))
            for case .success(let message) in (try? socket.receiveMessages()) ?? [] {
                switch message {
                case .introduceYourself: say(hello)
                case .assign(let lease, let job) where job.kind == "segment":
                    lies += 1
                    say(.completed(lease, result: lie(of: job.payload, isElsewhere: lies.isMultiple(of: 2))))
                case .assign(let lease, _): say(.failed(lease, JobFailure(.declined, "It would rather not.")))
                default: break
                }
            }
        }
        say(.goodbye)
        return lies
    }

    /// Returns a missing part, or a file that does not belong to the render.
    private func lie(of payload: Data, isElsewhere: Bool) -> Data {
        let output = String(decoding: payload, as: UTF8.self).firstMatch(of: /"output":"([^"]+)"/)?.output.1 ?? ""
        let digest = String(repeating: "ab", count: 32)
        let path = isElsewhere ? "/etc/hostname" : "\(output).lie"
        return Data(#"{"path":"\#(path)","file":{"size":7,"count":60,"digest":"\#(digest)"}}"#.utf8)
    }
}
