import Foundation
import Glibc
import Messaging
import Synchronization

/// What stands before the HTTP library, on a thread of its own: connections, their number, the size and the age of what they send, and who
/// may send it. What passes is carried to the library's own socket, one request for each connection.
///
/// The library (FlyingFox) has no bounds: it reads header lines of any length, waits for them without end, and ends when the process has
/// no descriptor for a connection more. Behind the gate it meets only whole, checked heads of a bounded number of connections.
final class Gate: Sendable {
    struct Limits: Sendable {
        var connections = 256
        /// Of them, those that have not shown a head yet.
        var waiting = 128
        /// Seconds in which a head must be there.
        var headSeconds = 10.0
        /// Seconds without progress after which who does not take an answer is cut off.
        var stallSeconds = 30.0
    }

    let address: WebAddress
    private let admission: Admission
    private let listener: Int32
    /// The library's socket.
    private let inner: String
    private let limits: Limits
    private let wakeUp: WakeUp
    private let isStopping = Mutex(false)
    /// Told of connections that have ended, by their numbers. On the gate's thread.
    private let ended: @Sendable (UInt64) -> Void

    /// Listens; nothing is taken in before ``start()``.
    init(
        _ wished: WebAddress, token: String, inner: String, limits: Limits = Limits(),
        ended: @escaping @Sendable (UInt64) -> Void
    ) throws(HostError) {
        var address = wished
        (listener, address.port) = try wished.listen()
        self.address = address
        admission = Admission(token: token, address: address)
        (self.inner, self.limits, self.ended) = (inner, limits, ended)
        do {
            wakeUp = try WakeUp()
        } catch {
            close(listener)
            throw HostError(.unavailable, "The page cannot be served: \(error).")
        }
    }

    func start() throws(HostError) {
        guard SystemThread.start(name: "editor-gate", { [self] in run() }) else {
            throw HostError(.unavailable, "The page cannot be served: the system gives no more threads.")
        }
    }

    func stop() {
        isStopping.withLock { $0 = true }
        wakeUp.signal()
    }

    private func run() {
        var connections: [UInt64: GateConnection] = [:]
        var lastNumber: UInt64 = 0
        var failures = ServiceFailures("the page's server", log: Console.complain)
        // When connections are taken again, where the system had no room for one.
        var (opensAt, shortages) = (0.0, Shortages())
        while !isStopping.withLock({ $0 }) {
            var polls = [
                pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
                // Not asked while nothing can be taken: it would be ready without end.
                pollfd(fd: Self.now < opensAt ? -1 : listener, events: Int16(POLLIN), revents: 0),
            ]
            let numbers = Array(connections.keys)
            for number in numbers { polls += connections[number]?.polls ?? [] }
            let wait = Self.now < opensAt ? Int32(Shortages.pause * 1000) : 1000
            guard poll(&polls, nfds_t(polls.count), wait) >= 0 || errno == EINTR else {
                failures.failed(systemText(errno))
                continue
            }
            failures.worked()
            wakeUp.clear()
            let now = Self.now
            var place = 2
            for number in numbers {
                guard let connection = connections[number] else { continue }
                let events = polls[place..<place + connection.polls.count]
                place += events.count
                if !connection.advance(Array(events), now, limits, admission, inner) {
                    connection.end()
                    connections[number] = nil
                    ended(number)
                }
            }
            while now >= opensAt {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else {
                    // Without a descriptor for it the connection waits in the kernel, whose queue is short.
                    if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) {
                        opensAt = now + Shortages.pause
                        if let text = shortages.text(errno) { Console.complain(text) }
                    }
                    break
                }
                shortages = Shortages()
                guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
                    close(descriptor)
                    continue
                }
                if let number = excess(in: connections) {
                    // The others are those that have shown the token.
                    guard number > 0 else {
                        close(descriptor)
                        continue
                    }
                    connections.removeValue(forKey: number)?.end()
                    ended(number)
                }
                var yes: Int32 = 1
                setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
                lastNumber += 1
                connections[lastNumber] = GateConnection(lastNumber, descriptor, now)
            }
        }
        close(listener)
        for (number, connection) in connections {
            connection.end()
            ended(number)
        }
    }

    /// The connection that makes room for another: the oldest one without a token. So idle connections
    /// cannot lock the page out.
    /// - Returns: nil where there is room; 0 where all have shown their token.
    private func excess(in connections: [UInt64: GateConnection]) -> UInt64? {
        let waiting = connections.filter { !$0.value.hasPassed }
        guard connections.count >= limits.connections || waiting.count >= limits.waiting else { return nil }
        return waiting.keys.min() ?? 0
    }

    /// What is said of connections that cannot be taken.
    private struct Shortages {
        private var count = 0

        /// Seconds until one is tried again.
        static let pause = 0.1

        /// - Returns: a sentence, the 1st, 2nd, 4th, 8th … time.
        mutating func text(_ code: Int32) -> String? {
            count += 1
            guard count & (count - 1) == 0 else { return nil }
            return "the page's server cannot take a connection: \(systemText(code)); it tries again"
        }
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
