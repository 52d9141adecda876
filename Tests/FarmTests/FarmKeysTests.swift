import FoundationEssentials
import Glibc
import Messaging
import TestSupport
import Testing

@testable import Farm

/// A server's folder of keys, and a running queue that follows it.
@Suite(.listens) struct FarmKeysTests {
    @Test func keysAreMadeAllowedAndRevoked() throws {
        try TemporaryFolder.with { folder in
            let keys = FarmKeys(folder: folder.file("farm"))
            let missing = #expect(throws: KeyFile.Problem.self) { try keys.server() }
            #expect(missing?.description.contains("--role server") == true)
            _ = try keys.create("studio", role: .server)
            let own = folder.file("keys")
            let paths = try keys.create("a", role: .node, in: own)
            #expect(throws: KeyFile.Problem.self) { try keys.create("a", role: .node, in: own) }
            #expect(try keys.server().publicKey == KeyFile(path: folder.file("farm/server.pub")).publicKey)
            #expect(keys.allowed().keys.isEmpty)
            #expect(throws: KeyFile.Problem.self) { try keys.allow(paths.secret) }
            #expect(throws: KeyFile.Problem.self) { try keys.allow(folder.file("farm/server.pub")) }
            let key = try keys.allow(paths.public)
            #expect(try keys.allow(paths.public) == key, "twice is once")
            #expect(keys.allowed().holders([.node]) == [key.publicKey: KeyHolder("a", .node)])
            #expect(keys.allowed().holders([.submitter, .admin]).isEmpty)
            // Another key with that name, and the same key under another name.
            try KeyFile(name: "a", role: .node).withoutSecret.write(to: folder.file("other.pub"))
            #expect(throws: KeyFile.Problem.self) { try keys.allow(folder.file("other.pub")) }
            let text = try String(contentsOfFile: paths.public, encoding: .utf8)
            _ = try folder.write(text.replacing("name: a", with: "name: b"), to: "renamed.pub")
            #expect(throws: KeyFile.Problem.self) { try keys.allow(folder.file("renamed.pub")) }
            // A file that is not a key is reported, and affects no other key.
            _ = try folder.write("nonsense", to: "farm/allowed/bad.pub")
            #expect(keys.allowed().keys == [key] && keys.allowed().problems.count == 1)
            try keys.revoke("a")
            #expect(keys.allowed().keys.isEmpty)
            #expect(throws: KeyFile.Problem.self) { try keys.revoke("a") }
            #expect(throws: KeyFile.Problem.self) { try keys.revoke("../server") }
        }
    }

    @Test func aRunningQueueNoticesChanges() async throws {
        try await TemporaryFolder.with { folder in
            let keys = FarmKeys(folder: folder.file("farm"))
            _ = try keys.create("studio", role: .server)
            let paths = try keys.create("a", role: .node, in: folder.file("keys"))
            let key = try KeyFile(path: paths.public)
            let allowed = AllowList([PublicKey: KeyHolder]())
            try await withQueue(adjust: {
                guard let server = try? keys.server() else { return }
                $0.listening = .init(endpoints: ["tcp://127.0.0.1:*"], key: server, allowed: allowed, keys: keys)
            }) { queue, _ in
                #expect(queue.endpoints.count == 1 && queue.endpoints[0].hasPrefix("tcp://127.0.0.1:"))
                #expect(allowed.name(of: key.publicKey) == nil)
                _ = try keys.allow(paths.public)
                try await eventually("it is allowed") { allowed.name(of: key.publicKey) == "a" }
                #expect(text(try await queue.run(JobSpec("local", "echo", "works"))) == "works")
                try keys.revoke("a")
                try await eventually("it is revoked") { allowed.name(of: key.publicKey) == nil }
            }
        }
    }

    @Test func anAddressThatCannotBeUsedIsToldOf() throws {
        let pair = try #require(try KeyFile(name: "s", role: .server).pair)
        for endpoint in ["nonsense://x", "tcp://192.0.2.1:7700"] {
            var configuration = JobQueue.Configuration(
                workers: 1, workerPath: fixturePath, engine: "test", runtimeDirectory: "/tmp")
            configuration.listening = .init(
                endpoints: [endpoint], key: pair, allowed: AllowList([PublicKey: KeyHolder]()))
            let error = #expect(throws: QueueError.self) { _ = try JobQueue(configuration: configuration) }
            #expect(error?.code == .unavailable && error?.message.contains("cannot listen at ‘\(endpoint)’") == true)
        }
    }
}
