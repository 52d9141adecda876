import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import Messaging

/// Keys, the allow list, and encrypted sockets over real TCP.
@Suite(.waits) struct CurveTests {
    private func send(_ message: Message, on socket: borrowing ZMQSocket) throws -> Bool {
        var poller = Poller()
        for _ in 0..<20 {
            if try socket.send(message) { return true }
            _ = try poller.wait(for: socket, writable: true, timeout: .milliseconds(50))
        }
        return false
    }

    @Test func onlyListedKeysGetThroughAndAreKnown() throws {
        let (server, listed, other) = (try KeyPair(), try KeyPair(), try KeyPair())
        let allowed = AllowList([listed.publicKey: "studio"])
        let context = try ZMQContext()
        let authenticator = try Authenticator(context: context, allowed: allowed)
        let router = try ZMQSocket.remoteRouter(context: context, key: server)
        try router.bind("tcp://127.0.0.1:*")
        let endpoint = try router.lastEndpoint()
        let peers = try ZMQContext()
        let good = try ZMQSocket.remoteDealer(
            context: peers, name: "studio/1", key: listed, server: server.publicKey)
        try good.connect(endpoint)
        #expect(try send(.ready, on: good))
        var poller = Poller()
        _ = try poller.wait(for: router, timeout: .seconds(10))
        let received = try #require(try router.receiveFromRemote())
        #expect(
            received.worker == "studio/1" && received.key == listed.publicKey && received.messages == [.success(.ready)]
        )
        #expect(received.key.flatMap(allowed.name) == "studio")
        #expect(authenticator.refused == 0)
        // Another key, and a peer that expects another server.
        let bad = try ZMQSocket.remoteDealer(context: peers, name: "bad/1", key: other, server: server.publicKey)
        let monitor = try ConnectionMonitor(bad, context: peers, name: "bad")
        try bad.connect(endpoint)
        #expect(try !send(.ready, on: bad))
        #expect(authenticator.refused >= 1 && monitor.take().contains(.refused))
        let astray = try ZMQSocket.remoteDealer(
            context: peers, name: "studio/2", key: listed, server: other.publicKey)
        try astray.connect(endpoint)
        #expect(try !send(.ready, on: astray))
        // The list changes while everything runs.
        #expect(allowed.replace(with: [other.publicKey: "late"]) == ["studio"])
        let late = try ZMQSocket.remoteDealer(context: peers, name: "late/1", key: other, server: server.publicKey)
        try late.connect(endpoint)
        #expect(try send(.ready, on: late))
        #expect(received.key.flatMap(allowed.name) == nil)
    }

    /// The server's process was aborted by its next ping: libzmq had stopped reading the first
    /// connection, and then it was closed.
    @Test func `a connection whose name another one has taken over may go on, and end`() throws {
        let (server, node) = (try KeyPair(), try KeyPair())
        let context = try ZMQContext()
        let authenticator = try Authenticator(context: context, allowed: AllowList([node.publicKey: "studio"]))
        let router = try ZMQSocket.remoteRouter(context: context, key: server)
        try router.bind("tcp://127.0.0.1:*")
        let endpoint = try router.lastEndpoint()
        var poller = Poller()
        func arrives() throws -> Bool {
            _ = try poller.wait(for: router, timeout: .seconds(10))
            return try router.receiveFromRemote()?.worker == "studio/1"
        }
        func serve(_ time: Duration) throws {
            let end = ContinuousClock.now + time
            while ContinuousClock.now < end {
                _ = try poller.wait(for: router, timeout: .milliseconds(50))
                while try router.receiveFromRemote() != nil {}
            }
        }
        let peers = try ZMQContext()
        let second = try ZMQSocket.remoteDealer(context: peers, name: "studio/1", key: node, server: server.publicKey)
        do {
            let others = try ZMQContext()
            let first = try ZMQSocket.remoteDealer(
                context: others, name: "studio/1", key: node, server: server.publicKey)
            try first.connect(endpoint)
            #expect(try send(.ready, on: first) && arrives())
            try second.connect(endpoint)
            #expect(try send(.ready, on: second) && arrives())
            try serve(.milliseconds(500))
            #expect(try first.send(.ready))
            try serve(.milliseconds(500))
        }
        try serve(.seconds(6))
        #expect(try send(.ready, on: second) && arrives())
        #expect(authenticator.refused == 0)
    }

    @Test func addressesAreLookedAtBeforeZeroMQSeesThem() {
        for text in ["tcp://farm:7700", "tcp://10.0.0.1:1", "tcp://[::1]:65535"] { #expect(TCPAddress.isValid(text)) }
        for text in ["tcp://*:7700", "tcp://127.0.0.1:*", "tcp://0.0.0.0:7700"] {
            #expect(TCPAddress.isValid(text, forListening: true))
        }
        for text in [
            "", "tcp://", "tcp://farm", "tcp://:7", "tcp://farm:", "tcp://farm:0", "tcp://farm:65536", "tcp://farm:+7",
            "tcp://farm:7x", "ipc:///tmp/x:7", "farm:7700", "tcp://*:7700", "tcp://farm:*",
        ] { #expect(!TCPAddress.isValid(text), "\(text)") }
    }

    @Test func questionsThatAreNoneAreRefused() throws {
        let pair = try KeyPair()
        let allowed = AllowList([pair.publicKey: "a"])
        for request in [
            [], [Data("1.0".utf8)], (0..<6).map { _ in Data() }, (0..<7).map { _ in Data() },
            ["1.0", "1", "d", "a", "i", "NULL", ""].map { Data($0.utf8) },
            ["1.0", "1", "d", "a", "i", "CURVE", "short"].map { Data($0.utf8) },
            ["1.0", "1", "d", "a", "i", "PLAIN", "a"].map { Data($0.utf8) },
        ] {
            let (frames, isAllowed) = Authenticator.answer(request, allowed)
            #expect(!isAllowed && frames.count == 6 && frames[2] == Data("400".utf8))
        }
    }

    // MARK: Files

    @Test func keysGoIntoFilesAndBack() throws {
        try TemporaryFolder.with { folder in
            let key = try KeyFile(name: "studio-3", role: .node)
            try key.write(to: folder.file("a.key"))
            try key.withoutSecret.write(to: folder.file("a.pub"))
            #expect(try KeyFile(path: folder.file("a.key")) == key)
            let open = try KeyFile(path: folder.file("a.pub"))
            #expect(
                open.pair == nil && open.publicKey == key.publicKey && open.name == "studio-3" && open.role == .node)
            var info = stat()
            #expect(stat(folder.file("a.key"), &info) == 0 && info.st_mode & 0o777 == 0o600)
            let secret = try #require(key.pair?.secret)
            #expect(!"\(try #require(key.pair))".contains(secret) && !key.withoutSecret.text.contains(secret))
            // No key is replaced by accident.
            #expect(throws: KeyFile.Problem.self) { try key.write(to: folder.file("a.key")) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        }
    }

    @Test func aSecretThatOthersCanReadIsRefused() throws {
        try TemporaryFolder.with { folder in
            let path = folder.file("a.key")
            try KeyFile(name: "a", role: .node).write(to: path)
            for mode in [0o640, 0o604, 0o644] as [mode_t] {
                chmod(path, mode)
                let problem = #expect(throws: KeyFile.Problem.self) { try KeyFile(path: path) }
                #expect(problem?.description.contains("chmod 600 \(path)") == true)
            }
        }
    }

    @Test func filesThatAreNoKeysAreToldOf() throws {
        let (a, b) = (try KeyFile(name: "a", role: .node), try KeyFile(name: "b", role: .node))
        let text = a.text
        for (broken, words) in [
            ("", "first line"), ("hello\n", "first line"),
            (text.replacing("name: a", with: "name: ../a"), "is not a valid key name"),
            (text.replacing("name: a", with: "nam: a"), "no line ‘name:’"),
            (text.replacing("role: node", with: "role: king"), "node, submitter, admin, server"),
            (text.replacing("public: ", with: "public: x"), "no public key"),
            (text.replacing(a.publicKey.text, with: b.publicKey.text), "does not belong"),
            (text + "nonsense\n", "no colon"),
        ] {
            let problem = #expect(throws: KeyFile.Problem.self) { try KeyFile(text: broken, from: "x.key") }
            #expect(problem?.description.contains(words) == true, "\(problem?.description ?? "")")
        }
        let missing = #expect(throws: KeyFile.Problem.self) { try KeyFile(path: "/nowhere/a.key") }
        #expect(missing?.isMissing == true && missing?.description.contains("/nowhere/a.key") == true)
        #expect(throws: KeyFile.Problem.self) { try KeyFile(path: "/dev/zero") }
        for name in ["", ".a", "-a", "a/b", "ü", "a b", String(repeating: "a", count: 65)] {
            #expect(KeyFile.problem(withName: name) != nil, "\(name)")
        }
        for name in ["a", "studio-3", "A_1.example"] { #expect(KeyFile.problem(withName: name) == nil, "\(name)") }
    }
}
