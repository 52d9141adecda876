import Foundation
import Glibc

/// A connection at the gate: its header is read first, then bytes are forwarded in both directions.
/// Use it only on the gate's thread.
final class GateConnection {
    private let number: UInt64
    private let client: GateSocket
    /// The connection to the library, after the header was admitted.
    private var inner: GateSocket?
    private let begun: Double
    /// When a slow peer last accepted bytes.
    private var moved: Double
    private var head: [UInt8] = []
    private var toInner = Carrier()
    private var toClient = Carrier()
    /// The number of bytes that the client may still send: the rest of the body; unlimited after an
    /// upgrade.
    private var due = 0
    /// The frames from and to the client after an upgrade; nil for other connections.
    private var frames: SocketMeter?
    private var answered = SocketAnswer()
    /// The WebSocket rule that the client has violated: the connection is closed with its code
    /// after the frame that is being sent to the client.
    private var violation: (rule: SocketMeter.Violation, seen: Double)?
    /// The header was admitted.
    var hasPassed: Bool { inner != nil }
    /// The response is complete, and only has to be sent.
    private var isAnswered = false
    /// The response was sent. Further data from the client is read for a moment: otherwise the
    /// system would reset the connection, perhaps before the client has read the response.
    private var closing: Double?
    private static let closingSeconds = 1.0

    init(_ number: UInt64, _ client: GateSocket, _ now: Double) {
        (self.number, self.client, begun, moved) = (number, client, now, now)
    }

    /// The events to wait for, in the order in which ``advance(_:_:_:_:_:)`` receives them.
    var polls: [pollfd] {
        var events = Int32(0)
        if isReading { events |= POLLIN }
        if !toClient.isEmpty || client.wantsToSend { events |= POLLOUT }
        var polls = [pollfd(fd: client.descriptor, events: Int16(events), revents: 0)]
        if let inner {
            var events = Int32(0)
            if !isAnswered, toClient.hasRoom { events |= POLLIN }
            if !toInner.isEmpty { events |= POLLOUT }
            polls.append(pollfd(fd: inner.descriptor, events: Int16(events), revents: 0))
        }
        return polls
    }

    private var isReading: Bool { closing != nil || inner == nil || toInner.hasRoom }

    /// Processes events.
    /// - Returns: false if the connection has ended.
    func advance(
        _ events: [pollfd], _ now: Double, _ limits: Gate.Limits, _ admission: any GateAdmission, _ path: String
    ) -> Bool {
        guard let mine = events.first else { return false }
        let failed = Int16(POLLERR | POLLNVAL)
        if mine.revents & failed != 0 { return false }
        let canRead = mine.revents & Int16(POLLIN | POLLHUP) != 0
        if canRead || client.wantsToSend && mine.revents & Int16(POLLOUT) != 0, !read(admission, path, now) {
            return false
        }
        if events.count > 1 {
            if events[1].revents & failed != 0 { return false }
            if events[1].revents & Int16(POLLIN | POLLHUP) != 0, toClient.hasRoom, !isAnswered {
                isAnswered = !fillToClient()
            }
        }
        if let violation, !isAnswered {
            guard now - violation.seen < Self.closingSeconds else { return false }
            if answered.isBetweenFrames {
                toClient.add(SocketAnswer.close(violation.rule)[...])
                isAnswered = true
            }
        }
        if let inner, !toInner.empty(into: inner) { return false }
        if now - begun > limits.wholeSeconds { return false }
        let waiting = toClient.count
        guard toClient.empty(into: client) else { return false }
        if toClient.isEmpty || toClient.count < waiting { moved = now }
        if isAnswered, toClient.isEmpty, closing == nil {
            if client.finish() { closing = now }
        }
        if let closing { return now - closing < Self.closingSeconds }
        if inner == nil, !isAnswered, now - begun > limits.headSeconds { return false }
        return now - moved < limits.stallSeconds
    }

    /// Reads from the client.
    /// - Returns: false if the client has disconnected.
    private func read(_ admission: any GateAdmission, _ path: String, _ now: Double) -> Bool {
        let new: [UInt8]
        switch client.receive() {
        case .bytes(let bytes): new = bytes
        case .nothing: return true
        case .ended: return false
        }
        if isAnswered { return true }
        if client.isRefused {
            answer(.refuse(400, "The page is served over HTTPS only: its address begins with https://."))
            return true
        }
        guard inner == nil else {
            // Our page sends few and short messages.
            if violation != nil { return true }
            violation = frames?.take(new[...], at: now).map { ($0, now) }
            if violation != nil { return true }
            // Data after the body is ignored.
            toInner.add(new.prefix(due))
            if due < .max { due -= min(due, new.count) }
            return true
        }
        head += new
        guard let end = Self.end(of: head) else {
            if head.count > RequestHead.longest { answer(.refuse(431, "The request header is too large.")) }
            return true
        }
        do throws(RequestHead.Refusal) {
            guard end <= RequestHead.longest else { throw RequestHead.Refusal(431, "The request header is too large.") }
            let request = try RequestHead(head[..<end])
            switch admission.judge(request) {
            case .pass:
                let rest = Array(head[(end + 4)...])
                if request.isUpgrade { frames = SocketMeter(at: now) }
                violation = frames?.take(rest[...], at: now).map { ($0, now) }
                pass(request, violation == nil ? rest : [], path)
            case let verdict: answer(verdict)
            }
        } catch {
            answer(.refuse(error.status, error.message))
        }
        head = []
        return true
    }

    /// Reads from the library.
    /// - Returns: false if there is no more data.
    private func fillToClient() -> Bool {
        switch inner?.receive() {
        case .bytes(let bytes):
            toClient.add(bytes[...])
            if frames != nil { answered.take(bytes[...]) }
            return true
        case .nothing: return true
        case .ended, nil: return false
        }
    }

    private static func end(of head: [UInt8]) -> Int? {
        guard head.count >= 4 else { return nil }
        return (0...head.count - 4).first {
            head[$0] == 13 && head[$0 + 1] == 10 && head[$0 + 2] == 13 && head[$0 + 3] == 10
        }
    }

    private func pass(_ request: RequestHead, _ rest: [UInt8], _ path: String) {
        let descriptor = Self.connect(to: path)
        guard descriptor >= 0 else {
            let isShort = [EMFILE, ENFILE, ENOBUFS, ENOMEM, EAGAIN].contains(errno)
            return answer(
                .refuse(
                    503,
                    isShort ? "The server is handling too many requests; try again." : "The server is not available."))
        }
        inner = GateSocket(descriptor)
        due = request.isUpgrade ? .max : request.bodyLength
        toInner.add(request.forwarded(number, isLocal: Self.isLoopback(client.descriptor))[...])
        toInner.add(rest.prefix(due))
        if due < .max { due -= min(due, rest.count) }
    }

    private static func connect(to path: String) -> Int32 {
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return -1 }
        // The library ends if it cannot accept the connection, so one descriptor must be free for
        // it, and a few for the rest of the process.
        guard hasRoom(beside: descriptor) else {
            close(descriptor)
            errno = EMFILE
            return -1
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else {
            let reason = errno
            close(descriptor)
            errno = reason
            return -1
        }
        return descriptor
    }

    /// Whether the other end of a connection has an address of the loopback network, 127.0.0.0/8.
    private static func isLoopback(_ socket: Int32) -> Bool {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &size) }
        }
        return code == 0 && address.sin_family == sa_family_t(AF_INET)
            && UInt32(bigEndian: address.sin_addr.s_addr) >> 24 == 127
    }

    /// Descriptors that must be free before a request is forwarded.
    private static let reserve = 4

    private static func hasRoom(beside descriptor: Int32) -> Bool {
        let copies = (0..<reserve).map { _ in fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
        for copy in copies where copy >= 0 { close(copy) }
        return !copies.contains { $0 < 0 }
    }

    private func answer(_ verdict: GateVerdict) {
        guard case .answer(let status, let fields, let message) = verdict else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let body = (try? encoder.encode(["message": message])) ?? Data()
        var text = "HTTP/1.1 \(status) \(status == 303 ? "See Other" : "Refused")\r\n"
        for field in fields { text += field + "\r\n" }
        for field in WebHeaders.all { text += "\(field.name): \(field.value)\r\n" }
        text += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        toClient.add((Array(text.utf8) + Array(body))[...])
        isAnswered = true
    }
}

/// Bytes on their way from one socket to another; their number is limited.
private struct Carrier {
    private var bytes: [UInt8] = []
    private var sent = 0

    private static let room = 256 << 10

    var count: Int { bytes.count - sent }
    var isEmpty: Bool { count == 0 }
    var hasRoom: Bool { count < Self.room }

    mutating func add(_ new: ArraySlice<UInt8>) { bytes += new }

    /// Sends bytes.
    /// - Returns: false if the other side has disconnected.
    mutating func empty(into socket: GateSocket) -> Bool {
        while !isEmpty {
            guard let count = bytes.withUnsafeBytes({ socket.send(UnsafeRawBufferPointer(rebasing: $0[sent...])) })
            else { return false }
            if count == 0 { return true }
            sent += count
            if sent > Self.room {
                bytes.removeFirst(sent)
                sent = 0
            }
        }
        bytes.removeAll(keepingCapacity: bytes.count <= Self.room)
        sent = 0
        return true
    }
}
