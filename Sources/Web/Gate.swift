import Foundation
import Glibc
import HostCore
import Messaging
import Synchronization

/// Accepts connections in front of the HTTP library, on its own thread. It limits their number, the
/// size and age of what they send, and the requests that may pass. It forwards admitted requests to
/// the library's socket, one for each connection.
///
/// The library (FlyingFox) has no limits: it reads header lines of any length, waits for them
/// indefinitely, and ends if the process has no descriptor for another connection. Behind the gate
/// it receives only complete, validated headers of a limited number of connections.
package final class Gate: Sendable {
    package struct Limits: Sendable {
        package var connections = 256
        /// The maximum number of these that have not sent a complete header.
        package var waiting = 128
        /// The time limit for the header, in seconds.
        var headSeconds = 10.0
        /// The time in seconds after which a client that does not read the response is
        /// disconnected.
        var stallSeconds = 30.0
        /// The time limit of a connection, in seconds.
        var wholeSeconds = Double.infinity
        /// Whether a new connection may replace the oldest one whose request was admitted, if no
        /// other is waiting.
        var evictsPassed = false

        package init(
            connections: Int = 256, waiting: Int = 128, headSeconds: Double = 10.0, stallSeconds: Double = 30.0,
            wholeSeconds: Double = Double.infinity, evictsPassed: Bool = false
        ) {
            self.connections = connections
            self.waiting = waiting
            self.headSeconds = headSeconds
            self.stallSeconds = stallSeconds
            self.wholeSeconds = wholeSeconds
            self.evictsPassed = evictsPassed
        }

        /// Descriptors of a connection: its own, the one to the library, and the library's.
        package static let descriptorsEach = 3
        /// With fewer connections, a browser cannot load the page.
        private static let fewest = 8

        /// Returns limits that need at most this number of descriptors.
        package func within(descriptors: Int) -> Limits {
            var limits = self
            limits.connections = max(Self.fewest, min(connections, descriptors / Self.descriptorsEach))
            limits.waiting = max(Self.fewest / 2, min(waiting, waiting * limits.connections / connections))
            return limits
        }
    }

    /// The name in messages, such as “the page's server”.
    private let name: String
    private let admission: any GateAdmission
    private let listener: Int32
    /// With which HTTPS is served; nil: HTTP is.
    private let certificate: Certificate?
    /// The path of the library's socket.
    private let inner: String
    private let limits: Limits
    private let wakeUp: WakeUp
    private let isStopping = Mutex(false)
    /// Receives the numbers of connections that have ended, on the gate's thread.
    private let ended: @Sendable (UInt64) -> Void

    /// The pause in seconds after the system had no resources for a connection.
    private static let pause = 0.1

    /// Prepares the gate, which accepts nothing before ``start()``.
    /// - Parameters:
    ///   - listener: a listening socket, which the gate closes.
    ///   - certificate: with which HTTPS is served; nil: HTTP is.
    package init(
        _ name: String, _ listener: ListeningSocket, _ admission: any GateAdmission, inner: String,
        certificate: Certificate? = nil, limits: Limits = Limits(),
        ended: @escaping @Sendable (UInt64) -> Void = { _ in }
    ) throws(HostError) {
        (self.name, self.listener, self.admission) = (name, listener.descriptor, admission)
        (self.inner, self.certificate, self.limits, self.ended) = (inner, certificate, limits, ended)
        do {
            wakeUp = try WakeUp()
        } catch {
            close(self.listener)
            throw HostError(.unavailable, "\(capitalized(name)) could not be started: \(error).")
        }
    }

    package func start() throws(HostError) {
        guard SystemThread.start(name: "gate", { [self] in run() }) else {
            throw HostError(
                .unavailable, "\(capitalized(name)) could not be started: the system cannot start another thread.")
        }
    }

    package func stop() {
        isStopping.withLock { $0 = true }
        wakeUp.signal()
    }

    private func run() {
        var connections: [UInt64: GateConnection] = [:]
        var lastNumber: UInt64 = 0
        var failures = ServiceFailures(name, log: Console.complain)
        // When the gate accepts again after the system had no resources for a connection.
        var (opensAt, shortages) = (0.0, Shortages(name))
        while !isStopping.withLock({ $0 }) {
            var polls = [
                pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
                // Not polled while nothing can be accepted: it would always be ready.
                pollfd(fd: Self.now < opensAt ? -1 : listener, events: Int16(POLLIN), revents: 0),
            ]
            let numbers = Array(connections.keys)
            for number in numbers { polls += connections[number]?.polls ?? [] }
            let wait = Self.now < opensAt ? Int32(Self.pause * 1000) : 1000
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
                    connections[number] = nil
                    ended(number)
                }
            }
            while now >= opensAt {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else {
                    // Without a descriptor, the connection waits in the kernel's queue, which is
                    // short.
                    if Shortages.isShortage(errno) {
                        opensAt = now + Self.pause
                        if let text = shortages.text(errno) { Console.complain(text) }
                        if let number = oldest(in: connections) { drop(number, &connections) }
                    }
                    break
                }
                guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
                    close(descriptor)
                    continue
                }
                if let number = excess(in: connections) {
                    // The requests of all others were admitted.
                    guard number > 0 else {
                        close(descriptor)
                        continue
                    }
                    drop(number, &connections)
                }
                var yes: Int32 = 1
                setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
                lastNumber += 1
                connections[lastNumber] = GateConnection(lastNumber, GateSocket(descriptor, certificate), now)
            }
        }
        close(listener)
        for number in connections.keys { ended(number) }
    }

    private func drop(_ number: UInt64, _ connections: inout [UInt64: GateConnection]) {
        connections[number] = nil
        ended(number)
    }

    /// Returns the connection to close for a new one: the oldest one whose request was not
    /// admitted. Idle connections thus cannot lock others out.
    /// - Returns: nil if there is room; 0 if no connection may be closed.
    private func excess(in connections: [UInt64: GateConnection]) -> UInt64? {
        let waiting = connections.count { !$0.value.hasPassed }
        guard connections.count >= limits.connections || waiting >= limits.waiting else { return nil }
        return oldest(in: connections) ?? 0
    }

    private func oldest(in connections: [UInt64: GateConnection]) -> UInt64? {
        connections.filter { !$0.value.hasPassed }.keys.min() ?? (limits.evictsPassed ? connections.keys.min() : nil)
    }

    package static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

private func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
