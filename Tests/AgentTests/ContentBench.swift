import Content
import Foundation
import Logging
import Messaging
import TestSupport
import Testing

@testable import Agent
@testable import Farm

/// A server's content service in this process, and nodes that use it.
final class ContentBench {
    let folder: TemporaryFolder
    let ledger = ContentLedger()
    let server: KeyFile
    let allowed = AllowList([PublicKey: KeyHolder]())
    let socket: ContentSocket
    let log = LogLines()
    private var keys: [PublicKey: String] = [:]

    init(_ folder: TemporaryFolder) throws {
        self.folder = folder
        server = try KeyFile(name: "farm", role: .server)
        let listening = JobQueue.Configuration.Listening(
            endpoints: ["tcp://127.0.0.1:*"], key: try #require(server.pair), allowed: allowed)
        socket = try ContentSocket(
            listening, ContentSettings(memory: folder.file("digests")) { Self.reach(of: $1) }, ledger, log.logger)
        for name in ["media", "parts"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
        }
    }

    private static func reach(of payload: Data) -> JobReach? {
        guard let lines = try? JSONDecoder().decode([[String]].self, from: payload), lines.count == 2 else {
            return nil
        }
        return JobReach(reads: Set(lines[0]), writes: Set(lines[1]))
    }

    /// Gives a node a job that reads and writes these paths.
    @discardableResult
    func lease(
        _ job: String, _ epoch: UInt64, to node: String, reads: [String] = [], writes: [String] = []
    ) throws -> Lease {
        let spec = JobSpec(id: JobID(job), kind: "test", payload: try JSONEncoder().encode([reads, writes]))
        let lease = Lease(job: spec.id, epoch: epoch)
        ledger.note(.leased(lease, to: WorkerID(node: node, slot: 1))) { _ in spec }
        return lease
    }

    /// Makes a file on the server, of random bytes.
    func media(_ name: String, _ size: Int, seed: UInt64 = 1) throws -> String {
        var random = SplitMix64(seed: seed)
        let path = folder.file("media/\(name)")
        try Data((0..<size / 8 + 1).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }.prefix(size))
            .write(to: URL(fileURLWithPath: path))
        return path
    }

    func configuration(_ node: String) throws -> AgentConfiguration {
        let key = try KeyFile(name: node, role: .node)
        keys[key.publicKey] = node
        _ = allowed.replace(with: keys)
        return AgentConfiguration(
            endpoint: "", name: node, key: try #require(key.pair), server: server.publicKey, slots: 1, tags: [],
            spool: "", drainLimit: .zero, engine: "test", workerPath: "", logger: log.logger)
    }

    func revoke(_ node: String) {
        keys = keys.filter { $0.value != node }
        _ = allowed.replace(with: keys)
    }

    var endpoint: String { "tcp://127.0.0.1:\(socket.port)" }

    /// Connects a node.
    /// - Parameter port: the port of a proxy, if not the server's.
    func line(_ node: String, port: UInt16? = nil) throws -> ContentLine {
        let line = try ContentLine(configuration(node))
        line.connect(to: "tcp://127.0.0.1:\(port ?? socket.port)")
        return line
    }

    func client(_ lease: Lease, _ line: ContentLine) -> ContentClient { ContentClient(lease, line) { _ in } }

    func store(_ name: String = "cache", bound: Int64 = 1 << 30) throws -> ContentStore {
        try ContentStore(folder: folder.file(name), bound: bound)
    }

    func fetch(_ store: ContentStore) -> ContentFetch { ContentFetch(store: store, log: log.logger) }

    static func with(_ body: (ContentBench) throws -> Void) throws {
        try TemporaryFolder.with { try body(ContentBench($0)) }
    }
}

extension ContentFetch {
    /// Fetches a file as a job does.
    func whole(_ path: String, _ client: ContentClient) throws -> ContentID {
        guard case .content(let id, _) = try describe(path, client) else { throw CancellationError() }
        store.pin(id)
        try fetch(id, at: path, client)
        return id
    }

    func bytes(of id: ContentID) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: store.dataPath(of: id))) }
}
