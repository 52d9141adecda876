import Foundation
import Glibc
import Messaging
import TestSupport
import Testing

@testable import Farm

/// A farm under test: a queue in this process that listens, and nodes that are real processes
/// (`WorkerFixture --connect`).
final class FarmBench {
    let folder: TemporaryFolder
    let server: KeyFile
    let allowed = AllowList([PublicKey: KeyHolder]())
    private(set) var queue: JobQueue
    private(set) var nodes: [Command] = []
    private var keys: [PublicKey: String] = [:]
    private let adjust: (inout JobQueue.Configuration) -> Void
    let log: LogLines

    static let fixture: String = {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return (program as NSString).deletingLastPathComponent + "/WorkerFixture"
    }()

    init(_ folder: TemporaryFolder, adjust: @escaping (inout JobQueue.Configuration) -> Void = { _ in }) throws {
        self.folder = folder
        self.adjust = adjust
        log = LogLines()
        server = try KeyFile(name: "farm", role: .server)
        try server.withoutSecret.write(to: folder.file("server.pub"))
        queue = try Self.open(folder, server, allowed, log, "tcp://127.0.0.1:*", 1, adjust)
    }

    private static func open(
        _ folder: TemporaryFolder, _ server: KeyFile, _ allowed: AllowList, _ log: LogLines, _ endpoint: String,
        _ epoch: UInt64, _ adjust: (inout JobQueue.Configuration) -> Void
    ) throws -> JobQueue {
        var configuration = JobQueue.Configuration(
            workers: 0, workerPath: fixture, engine: "test", runtimeDirectory: folder.path)
        configuration.leaseTimeout = .seconds(2)
        configuration.logger = log.logger
        configuration.firstEpoch = epoch
        configuration.listening = .init(
            endpoints: [endpoint], key: try #require(server.pair), allowed: allowed)
        adjust(&configuration)
        return try JobQueue(configuration: configuration)
    }

    var endpoint: String { queue.endpoints[0] }

    /// Starts another server at the same port.
    func restart(firstEpoch: UInt64) async throws {
        let endpoint = endpoint
        await queue.shutdown(graceful: false)
        for attempt in 0..<100 {
            do {
                queue = try Self.open(folder, server, allowed, log, endpoint, firstEpoch, adjust)
                return
            } catch  where attempt < 99 {
                // The system frees the port after a moment.
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Makes a key that is on the list.
    @discardableResult
    func allow(_ name: String) throws -> KeyFile {
        let key = try KeyFile(name: name, role: .node)
        allow(key)
        return key
    }

    func allow(_ key: KeyFile) {
        keys[key.publicKey] = key.name
        _ = allowed.replace(with: keys)
    }

    func revoke(_ name: String) {
        keys = keys.filter { $0.value != name }
        queue.revoke(allowed.replace(with: keys))
    }

    /// Starts a node.
    /// - Parameter key: nil for one that is on the list.
    @discardableResult
    func node(
        _ name: String, slots: Int = 1, key: KeyFile? = nil, endpoint: String? = nil, _ more: String...,
        environment: [String: String] = [:]
    ) throws -> Command {
        let path = folder.file("\(name).key")
        if access(path, F_OK) != 0 { try (key ?? allow(name)).write(to: path) }
        let node = try Command(
            [
                Self.fixture, "--connect", endpoint ?? self.endpoint, "--name", name, "--key", path, "--server-key",
                folder.file("server.pub"), "--slots", "\(slots)", "--spool", folder.file("spool-\(name)"),
            ] + more, environment: ["TMPDIR": folder.path, "XDG_RUNTIME_DIR": nil].merging(environment) { $1 })
        nodes.append(node)
        return node
    }

    func close() async {
        await queue.shutdown(graceful: true)
        nodes = []
    }

    /// Runs a test with a farm, which is always closed.
    static func with(
        adjust: @escaping (inout JobQueue.Configuration) -> Void = { _ in },
        _ body: (FarmBench) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            let bench = try FarmBench(folder, adjust: adjust)
            do {
                try await body(bench)
            } catch {
                Issue.record("\(error)\n\(bench.nodes.map(\.stderrSoFar))\n\(bench.log.lines)")
            }
            await bench.close()
        }
    }

    /// Returns the processes that a node has started.
    static func children(of node: Command) -> [pid_t] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { pid_t($0) }.filter { state(of: $0)?.parent == node.pid && isAlive($0) }
    }

    static func isAlive(_ pid: pid_t) -> Bool { state(of: pid).map { $0.letter != "Z" } ?? false }

    private static func state(of pid: pid_t) -> (letter: Substring, parent: pid_t)? {
        guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let end = stat.lastIndex(of: ")")
        else { return nil }
        let fields = stat[end...].split(separator: " ")
        guard fields.count > 2, let parent = pid_t(fields[2]) else { return nil }
        return (fields[1], parent)
    }
}
