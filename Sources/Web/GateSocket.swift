import CGnuTLS
import Glibc

/// One end of a connection at the gate, encrypted with TLS where there is a certificate. It never
/// blocks, and is closed with its owner.
final class GateSocket {
    /// What the bytes of the connection mean.
    private enum Layer {
        case plain
        /// TLS; the client has not sent its first byte.
        case expected
        case handshake
        case secure
        /// The client does not speak TLS, but must: it can only be told so.
        case refused
        /// There is no memory for TLS.
        case broken
    }

    enum Received {
        case bytes([UInt8])
        /// Nothing has come yet.
        case nothing
        case ended
    }

    let descriptor: Int32
    private let session: gnutls_session_t?
    /// Keeps what the session uses.
    private let certificate: Certificate?
    private var layer: Layer
    /// GnuTLS holds a record that was not all sent. The next call must pass no new bytes.
    private var isStuck = false
    /// The end was not all sent.
    private var isFinishing = false

    /// The first byte of a TLS record that begins a connection: a handshake (RFC 8446, 5.1).
    private static let handshake: UInt8 = 22
    /// Bytes that are received at once: all of the longest record (RFC 8446, 5.1), so that none
    /// remain where poll(2) does not see them.
    private static let longestRecord = 1 << 14

    init(_ descriptor: Int32, _ certificate: Certificate? = nil) {
        (self.descriptor, self.certificate) = (descriptor, certificate)
        session = certificate.flatMap { Self.session(descriptor, $0) }
        layer = certificate == nil ? .plain : session == nil ? .broken : .expected
    }

    private static func session(_ descriptor: Int32, _ certificate: Certificate) -> gnutls_session_t? {
        let flags = UInt32(GNUTLS_SERVER) | UInt32(GNUTLS_NONBLOCK) | UInt32(GNUTLS_NO_SIGNAL)
        var session: gnutls_session_t?
        var key = certificate.ticketKey
        guard gnutls_init(&session, flags) >= 0, let session else { return nil }
        guard gnutls_priority_set(session, certificate.priorities) >= 0,
            gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(certificate.credentials))
                >= 0,
            gnutls_session_ticket_enable_server(session, &key) >= 0
        else {
            gnutls_deinit(session)
            return nil
        }
        gnutls_transport_set_int2(session, descriptor, descriptor)
        return session
    }

    deinit {
        if let session { gnutls_deinit(session) }
        close(descriptor)
    }

    var isRefused: Bool { layer == .refused }

    /// The handshake or the end waits until the socket takes bytes.
    var wantsToSend: Bool {
        isFinishing || layer == .handshake && session.map { gnutls_record_get_direction($0) == 1 } == true
    }

    func receive() -> Received {
        switch layer {
        case .plain, .refused: return receivePlain()
        case .broken: return .ended
        case .expected:
            var first: UInt8 = 0
            let count = recv(descriptor, &first, 1, Int32(MSG_PEEK))
            guard count > 0 else { return Self.isWaiting(count) ? .nothing : .ended }
            layer = first == Self.handshake ? .handshake : .refused
            return receive()
        case .handshake:
            let code = gnutls_handshake(session)
            guard code == GNUTLS_E_SUCCESS else {
                if Self.isWaiting(code) { return .nothing }
                gnutls_alert_send_appropriate(session, code)
                return .ended
            }
            layer = .secure
            return receive()
        case .secure:
            var buffer = [UInt8](repeating: 0, count: Self.longestRecord)
            let count = gnutls_record_recv(session, &buffer, buffer.count)
            if count < 0 { return Self.isWaiting(Int32(clamping: count)) ? .nothing : .ended }
            return count > 0 ? .bytes(Array(buffer[..<count])) : .ended
        }
    }

    private func receivePlain() -> Received {
        var buffer = [UInt8](repeating: 0, count: 4 * Self.longestRecord)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return Self.isWaiting(count) ? .nothing : .ended }
        return .bytes(Array(buffer[..<count]))
    }

    /// Sends bytes, or some of them.
    /// - Returns: how many, 0 where the socket takes none now; nil where the other side is gone.
    func send(_ bytes: UnsafeRawBufferPointer) -> Int? {
        switch layer {
        case .plain, .refused:
            let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            return count >= 0 ? count : Self.isWaiting(count) ? 0 : nil
        case .expected, .handshake, .broken: return nil
        case .secure:
            let count =
                isStuck
                ? gnutls_record_send(session, nil, 0) : gnutls_record_send(session, bytes.baseAddress, bytes.count)
            isStuck = count < 0 && Self.isWaiting(Int32(clamping: count))
            return count >= 0 ? count : isStuck ? 0 : nil
        }
    }

    /// Tells the other side that nothing more will be sent.
    /// - Returns: false if this has to be called again.
    func finish() -> Bool {
        if layer == .secure {
            isFinishing = Self.isWaiting(gnutls_bye(session, GNUTLS_SHUT_WR))
            if isFinishing { return false }
        }
        shutdown(descriptor, Int32(SHUT_WR))
        return true
    }

    /// Whether a system call only has to be repeated later.
    private static func isWaiting(_ count: Int) -> Bool { count < 0 && (errno == EAGAIN || errno == EINTR) }

    /// The same for a call of GnuTLS, after which nothing is lost.
    private static func isWaiting(_ code: Int32) -> Bool {
        code == GNUTLS_E_AGAIN || code == GNUTLS_E_INTERRUPTED || code == GNUTLS_E_WARNING_ALERT_RECEIVED
    }
}
