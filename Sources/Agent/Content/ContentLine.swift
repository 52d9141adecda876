import Content
import Farm
import Foundation
import Messaging

/// A node's connection to a server's content service, with a thread of its own, so that large files
/// never delay the messages of the slots. Requests are sent while few are unanswered
/// (``Allowance``). A request whose answer does not come counts as lost, and its sender has to
/// repeat it.
final class ContentLine: Sendable {
    enum Reply: Sendable {
        case said(ContentAnswer.Say, Data?)
        /// No answer came.
        case lost
    }

    private struct Question {
        var frames: [Data]
        var then: @Sendable (Reply) -> Void
        /// The time at which the request was made, or sent.
        var since: ContinuousClock.Instant
    }

    private struct State {
        var endpoint: String?
        var number: UInt64 = 0
        var waiting: [(UInt64, Question)] = []
        var isOver = false
    }

    private let wakeUp: WakeUp
    private let state = Locked(State())

    /// The time without any message after which a request counts as lost. Answers arrive nearly in
    /// the order of their requests, so a missing one may be queued behind those that still arrive.
    private static let patience = Duration.seconds(10)
    /// The time after which an unanswered request counts as lost even while other answers arrive.
    private static let longPatience = Duration.seconds(60)
    /// The time without an answer after which the connection is made anew, as in ``SlotLine``.
    private static let renewal = Duration.seconds(8)
    private static let interval = Duration.milliseconds(200)

    init(_ configuration: AgentConfiguration) throws(ZMQError) {
        wakeUp = try WakeUp()
        let context = try ZMQContext()
        let isRunning = SystemThread.start(name: "agent-content") { [wakeUp, state] in
            Self.serve(configuration, context, wakeUp, state)
        }
        guard isRunning else { throw ZMQError(.again, operation: "pthread_create") }
    }

    deinit {
        state.withLock { $0.isOver = true }
        wakeUp.signal()
    }

    /// Sets the address at which the server is asked from now on.
    func connect(to endpoint: String?) {
        state.withLock { $0.endpoint = endpoint }
        wakeUp.signal()
    }

    /// Sends a request.
    /// - Parameter then: called once, on the connection's thread; it must not block.
    func ask(
        _ lease: Lease, _ ask: ContentQuestion.Ask, _ bytes: Data? = nil, then: @escaping @Sendable (Reply) -> Void
    ) {
        state.withLock { state in
            state.number += 1
            let question = ContentQuestion(number: state.number, lease: lease, ask: ask)
            state.waiting.append(
                (
                    state.number,
                    Question(frames: ContentWire.encode(question, bytes), then: then, since: .now)
                ))
        }
        wakeUp.signal()
    }

    // MARK: Thread

    /// The socket and its endpoint.
    private final class Link {
        let socket: ZMQSocket
        let monitor: ConnectionMonitor
        let endpoint: String
        var lastWord = ContinuousClock.now

        /// Connects.
        /// - Parameter number: unique among the links of the context.
        init(
            _ endpoint: String, _ configuration: AgentConfiguration, _ context: ZMQContext, _ number: Int
        ) throws(ZMQError) {
            self.endpoint = endpoint
            socket = try ZMQSocket.remoteDealer(
                context: context, name: WorkerID("\(configuration.name)/content"), key: configuration.key,
                server: configuration.server)
            monitor = try ConnectionMonitor(socket, context: context, name: "content-\(number)")
            try socket.connect(endpoint)
        }

        /// Whether a disconnect has lost answers that were in flight.
        var hasLostSome: Bool { monitor.take().contains(.disconnected) }
    }

    private static func serve(
        _ configuration: AgentConfiguration, _ context: ZMQContext, _ wakeUp: WakeUp, _ state: Locked<State>
    ) {
        let complain: @Sendable (String) -> Void = { [log = configuration.logger] in log.error("\($0)") }
        var failures = ServiceFailures("the line to the server's content", log: complain)
        var linkFailures = 0
        var link: Link?
        var links = 0
        var poller = Poller()
        var underWay: [UInt64: Question] = [:]
        var queue: [(UInt64, Question)] = []
        var allowance = Allowance()
        var lastAnswer = ContinuousClock.now
        func isLost(_ question: Question, _ now: ContinuousClock.Instant) -> Bool {
            now - max(question.since, lastAnswer) > patience || now - question.since > longPatience
        }
        while true {
            var hasFailed = false
            do throws(ZMQError) {
                try poller.wait(
                    for: link.map { [$0.socket.name] } ?? [], descriptors: [wakeUp.descriptor], timeout: interval)
            } catch {
                failures.failed("\(error)")
                hasFailed = true
            }
            wakeUp.clear()
            let (endpoint, isOver) = state.withLock { state in
                queue += state.waiting
                state.waiting = []
                return (state.endpoint, state.isOver)
            }
            if isOver {
                for question in Array(underWay.values) + queue.map(\.1) { question.then(.lost) }
                return
            }
            let now = ContinuousClock.now
            let isSilent = link.map { !underWay.isEmpty && now - $0.lastWord > renewal } ?? false
            if link?.endpoint != endpoint || isSilent {
                link = nil
                links += 1
                do throws(ZMQError) {
                    link = try endpoint.map { place throws(ZMQError) in
                        try Link(place, configuration, context, links)
                    }
                    linkFailures = 0
                } catch {
                    // Retried in the next iteration; the 1st, 2nd, 4th, 8th failure is logged.
                    linkFailures += 1
                    if linkFailures & (linkFailures - 1) == 0 {
                        complain("the server's content cannot be asked for at ‘\(endpoint ?? "")’: \(error)")
                    }
                }
            }
            while let link {
                let arrived: [Data]?
                do throws(ZMQError) {
                    arrived = try link.socket.receive()
                } catch {
                    failures.failed("\(error)")
                    hasFailed = true
                    break
                }
                guard let frames = arrived else { break }
                guard let (answer, bytes) = ContentWire.decode(ContentAnswer.self, frames) else { continue }
                (link.lastWord, lastAnswer) = (now, now)
                guard let question = underWay.removeValue(forKey: answer.number) else { continue }
                allowance.answered(after: now - question.since)
                question.then(.said(answer.say, bytes))
            }
            if link?.hasLostSome ?? false {
                let lost = underWay
                underWay = [:]
                for question in lost.values { question.then(.lost) }
            }
            if underWay.isEmpty { link?.lastWord = now }
            send(&queue, &underWay, link, allowance.count, now)
            for (number, question) in underWay where isLost(question, now) {
                underWay[number] = nil
                allowance.lost()
                question.then(.lost)
            }
            for (_, question) in queue where isLost(question, now) { question.then(.lost) }
            queue.removeAll { isLost($0.1, now) }
            if !hasFailed { failures.worked() }
        }
    }

    private static func send(
        _ queue: inout [(UInt64, Question)], _ underWay: inout [UInt64: Question], _ link: Link?, _ most: Int,
        _ now: ContinuousClock.Instant
    ) {
        guard let link else { return }
        var sent = 0
        for (number, question) in queue {
            guard underWay.count < most, (try? link.socket.send(question.frames)) == true else { break }
            underWay[number] = Question(frames: [], then: question.then, since: now)
            sent += 1
        }
        queue.removeFirst(sent)
    }
}
