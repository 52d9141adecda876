import FoundationEssentials
import Glibc
import Testing

@testable import Messaging

/// The wrappers, over real `ipc://` sockets.
@Suite(.waits) struct ZeroMQTests {
    /// Runs a test with a bound ROUTER and the folder of its socket, which is removed afterwards.
    private func withRouter(_ body: (borrowing ZMQSocket, ZMQContext, String) throws -> Void) throws {
        var template = Array("/tmp/cutroom-zmq-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let context = try ZMQContext()
        let router = try ZMQSocket.router(context: context)
        try router.bind("ipc://\(folder)/socket")
        try body(router, context, "ipc://\(folder)/socket")
    }

    /// Waits for the next message, at most ten seconds.
    private func next(_ router: borrowing ZMQSocket) throws -> (WorkerID, [Result<Message, MessageProblem>])? {
        var poller = Poller()
        for _ in 0..<100 {
            if let received = try router.receiveFromWorker() { return received }
            _ = try poller.wait(for: router, timeout: .milliseconds(100))
        }
        return nil
    }

    private func send(_ frames: [Data], on socket: borrowing ZMQSocket) throws {
        var poller = Poller()
        for _ in 0..<100 {
            if try socket.send(frames) { return }
            _ = try poller.wait(for: socket, writable: true, timeout: .milliseconds(100))
        }
        Issue.record("could not send")
    }

    @Test func messagesGoBothWays() throws {
        try withRouter { router, context, endpoint in
            let dealer = try ZMQSocket.dealer(context: context, name: "w1")
            try dealer.connect(endpoint)
            let (header, body) = Message.ready.encoded()
            try send([header, body], on: dealer)
            let received = try #require(try next(router))
            #expect(received.0 == "w1")
            #expect(received.1 == [.success(.ready)])
            // Several are sent together.
            let said: [Message] = [.welcome(), .introduceYourself, .stop]
            #expect(try router.send(said, to: "w1"))
            var poller = Poller()
            let ready = try poller.wait(for: dealer, timeout: .seconds(10))
            #expect(ready.socketReadable)
            #expect(try dealer.receiveMessages() == said.map { .success($0) })
            #expect(try dealer.receiveMessages() == nil)
        }
    }

    @Test func garbageArrivesAsProblems() throws {
        try withRouter { router, context, endpoint in
            let dealer = try ZMQSocket.dealer(context: context, name: "raw")
            try dealer.connect(endpoint)
            let junk: [[Data]] = [
                [Data()], [Data(), Data()], [Data("GET / HTTP/1.1".utf8)], [Data(count: 31), Data()],
                Array(repeating: Data("x".utf8), count: 40), [Message.ready.encoded().header],
            ]
            for frames in junk { try send(frames, on: dealer) }
            for _ in junk {
                let received = try #require(try next(router))
                #expect(received.0 == "raw")
                #expect(received.1.count == 1 && (try? received.1[0].get()) == nil)
            }
            #expect(try router.receiveFromWorker() == nil, "one message each, however many frames")
        }
    }

    @Test func aMessageToNobodyIsAnError() throws {
        try withRouter { router, _, _ in
            let error = #expect(throws: ZMQError.self) { _ = try router.send(.stop, to: "nobody") }
            #expect(error?.code == .unreachable)
        }
    }

    @Test func nothingIsQueuedForAConnectionThatIsNotThere() throws {
        let context = try ZMQContext()
        let dealer = try ZMQSocket.dealer(context: context, name: "w1")
        try dealer.connect("ipc:///tmp/cutroom-nobody-listens-here")
        #expect(try dealer.send(.ready) == false)
    }

    @Test func aPeerThatDoesNotReadFillsUp() throws {
        try withRouter { router, context, endpoint in
            let dealer = try ZMQSocket.dealer(context: context, name: "slow")
            try dealer.connect(endpoint)
            let (header, body) = Message.ready.encoded()
            try send([header, body], on: dealer)
            _ = try #require(try next(router))
            let payload = Data(count: 1 << 16)
            var sent = 0
            while sent < 100_000,
                try router.send(.assign(Lease(job: "j", epoch: 1), Assignment(kind: "k", payload: payload)), to: "slow")
            {
                sent += 1
            }
            #expect(sent < 100_000, "a send must fail before memory does")
        }
    }

    @Test func aWorkerTakesItsNameOver() throws {
        try withRouter { router, context, endpoint in
            let (header, body) = Message.ready.encoded()
            let first = try ZMQSocket.dealer(context: context, name: "w1")
            try first.connect(endpoint)
            try send([header, body], on: first)
            _ = try #require(try next(router))
            let second = try ZMQSocket.dealer(context: context, name: "w1")
            try second.connect(endpoint)
            try send([header, body], on: second)
            _ = try #require(try next(router))
            // Several are sent together.
            let said: [Message] = [.welcome(), .introduceYourself, .stop]
            #expect(try router.send(said, to: "w1"))
            var poller = Poller()
            let ready = try poller.wait(for: second, timeout: .seconds(10))
            #expect(ready.socketReadable)
        }
    }

    @Test func anotherThreadEndsTheWait() throws {
        try withRouter { router, _, _ in
            let wakeUp = try WakeUp()
            #expect(SystemThread.start(name: "waker") { wakeUp.signal() })
            var poller = Poller()
            let ready = try poller.wait(for: router, descriptors: [wakeUp.descriptor], timeout: .seconds(30))
            #expect(ready.descriptors == [0] && !ready.socketReadable)
            wakeUp.clear()
            let again = try poller.wait(for: router, descriptors: [wakeUp.descriptor], timeout: .zero)
            #expect(again.descriptors.isEmpty)
        }
    }

    @Test func errorsSayWhatAndWhere() throws {
        let context = try ZMQContext()
        let router = try ZMQSocket.router(context: context)
        let error = #expect(throws: ZMQError.self) { try router.bind("nonsense://x") }
        #expect(error.map { "\($0)".contains("zmq_bind nonsense://x") } ?? false)
        let unnamed = #expect(throws: ZMQError.self) { _ = try ZMQSocket.dealer(context: context, name: "") }
        #expect(unnamed?.code == .invalid)
    }

    @Test func routingIdsThatAreNoTextBecomeHexadecimal() {
        #expect(WorkerID(routing: Array("w1".utf8)) == "w1")
        #expect(WorkerID(routing: [0, 0x6b, 0x8b, 0x45, 0x67]) == "0x006b8b4567")
        #expect(WorkerID(routing: [0xff]) == "0xff")
        #expect(WorkerID(routing: [UInt8]()) == "0x")
    }

    @Test(arguments: [
        (Duration.zero, 0), (.milliseconds(-5), 0), (.microseconds(1), 1), (.milliseconds(7), 7), (.seconds(3), 3000),
    ])
    func timeoutsAreRoundedUp(duration: Duration, milliseconds: Int) {
        #expect(duration.roundedUpMilliseconds == milliseconds)
    }
}
