import Messaging
import Logging
import FoundationEssentials

/// The settings of the content service for nodes without this machine's storage.
package struct ContentSettings: Sendable {
    /// The port, on the addresses for nodes; nil for any free one.
    package var port: UInt16?
    /// The folder that keeps the digests of files; nil to keep them as long as the queue lives.
    package var memory: String?
    /// Returns the files that a job may reach, from its kind and payload; nil for none. It may
    /// block.
    package var reach: @Sendable (_ kind: String, _ payload: Data) -> JobReach?

    package init(
        port: UInt16? = nil, memory: String? = nil,
        reach: @escaping @Sendable (_ kind: String, _ payload: Data) -> JobReach?
    ) {
        (self.port, self.memory, self.reach) = (port, memory, reach)
    }
}

/// The queue's socket for content. It has a context of its own, so that large files never delay
/// messages about jobs. A separate thread reads requests, passes them on, and sends answers; it
/// blocks on nothing else. It ends with the value.
final class ContentSocket: Sendable {
    private struct State {
        var answers: [(Data, [Data], String)] = []
        var isClosed = false
    }

    private final class Line: Sendable {
        let wakeUp: WakeUp
        let state = Locked(State())

        init() throws(ZMQError) { wakeUp = try WakeUp() }
    }

    private final class Ends: @unchecked Sendable {
        // Passed to the thread once everything is set up.
        let socket: ZMQSocket
        let authenticator: Authenticator

        init(_ listening: JobQueue.Configuration.Listening) throws(ZMQError) {
            let context = try ZMQContext()
            authenticator = try Authenticator(context: context, allowed: listening.allowed)
            socket = try ZMQSocket.contentRouter(
                context: context, key: listening.key, overIPv6: listening.endpoints.contains { $0.contains("[") })
        }
    }

    /// The port at which nodes send requests.
    let port: UInt16
    private let line: Line

    /// The most unanswered requests of one node; more are dropped, and the node repeats them.
    private static let mostOpen = 128
    private static let mostAtOnce = 200

    init(
        _ listening: JobQueue.Configuration.Listening, _ settings: ContentSettings, _ ledger: ContentLedger,
        _ log: Logger
    ) throws(QueueError) {
        let ends: Ends
        do throws(ZMQError) {
            line = try Line()
            ends = try Ends(listening)
        } catch {
            throw QueueError(.unavailable, "No socket for content can be made: \(error).")
        }
        var port = settings.port
        // One port for all addresses, because nodes are told the port and know the address.
        for endpoint in listening.endpoints {
            let host = endpoint[..<(endpoint.lastIndex(of: ":") ?? endpoint.endIndex)]
            let place = "\(host):\(port.map { "\($0)" } ?? "*")"
            do throws(ZMQError) {
                try ends.socket.bind(place)
                let bound = try ends.socket.lastEndpoint()
                port = port ?? bound.split(separator: ":").last.flatMap { UInt16($0) }
            } catch {
                throw QueueError(
                    .unavailable,
                    "Content cannot be served at ‘\(place)’: \(error.reason); choose another port (--content-port).")
            }
        }
        self.port = port ?? 0
        let service = ContentService(ledger, settings)
        let isRunning = SystemThread.start(name: "content") { [line, allowed = listening.allowed] in
            Self.serve(ends, line, allowed, service, log)
        }
        guard isRunning else { throw QueueError(.unavailable, "The system gives no more threads.") }
    }

    deinit {
        line.state.withLock { $0.isClosed = true }
        line.wakeUp.signal()
    }

    private static func serve(
        _ ends: consuming Ends, _ line: Line, _ allowed: AllowList, _ service: ContentService, _ log: Logger
    ) {
        var poller = Poller()
        var open: [String: Int] = [:]
        var dropped = 0
        var failures = ServiceFailures("the socket for content") { log.error("\($0)") }
        while true {
            var hasFailed = false
            do throws(ZMQError) {
                _ = try poller.wait(for: ends.socket, descriptors: [line.wakeUp.descriptor], timeout: .seconds(10))
            } catch {
                failures.failed("\(error)")
                hasFailed = true
            }
            line.wakeUp.clear()
            let (answers, isClosed) = line.state.withLock { state in
                defer { state.answers = [] }
                return (state.answers, state.isClosed)
            }
            if isClosed { return }
            for (routing, frames, node) in answers {
                open[node] = open[node].flatMap { $0 > 1 ? $0 - 1 : nil }
                // A peer that is gone, or does not read, repeats its request.
                _ = try? ends.socket.send([routing] + frames)
            }
            for _ in 0..<mostAtOnce {
                let arrived: (frames: [Data], key: PublicKey?)?
                do throws(ZMQError) {
                    arrived = try ends.socket.receiveSigned()
                } catch {
                    failures.failed("\(error)")
                    hasFailed = true
                    break
                }
                guard let (frames, key) = arrived else { break }
                // The key may have been removed from the list since the connection began, and no
                // node may ask in another's name.
                guard let routing = frames.first, let node = key.flatMap(allowed.name),
                    WorkerID(routing: routing).node == node,
                    let (question, bytes) = ContentWire.decode(ContentQuestion.self, frames.dropFirst()),
                    open[node] ?? 0 < mostOpen
                else {
                    dropped += 1
                    // The 1st, 2nd, 4th, 8th …
                    if dropped & (dropped - 1) == 0 {
                        log.warning("\(dropped) content requests were dropped so far")
                    }
                    continue
                }
                open[node, default: 0] += 1
                service.answer(question, of: node, bytes) { [line] answer, bytes in
                    line.state.withLock { $0.answers.append((routing, ContentWire.encode(answer, bytes), node)) }
                    line.wakeUp.signal()
                }
            }
            if !hasFailed { failures.worked() }
        }
    }
}
