import CGnuTLS
import Glibc

/// One end of a connection at the gate, encrypted with TLS where there is a certificate. It never
/// blocks, and is closed with its owner.
final class GateSocket {
    enum Received {
        case bytes([UInt8])
        /// Nothing has come yet.
        case nothing
        case ended
    }

    let descriptor: Int32
    private var session: gnutls_session_t?
    /// Keeps what the session uses.
    private let certificate: Certificate?
    /// The client has sent its first byte; the handshake is complete.
    private var (hasBegun, isGreeted) = (false, false)
    /// Bytes that GnuTLS has taken were not sent: it wants to be called again without others.
    private var isStuck = false
    /// The client does not speak TLS, but must: it can only be told so.
    private(set) var isPlainByMistake = false

    /// The first byte of a TLS record that begins a connection: a handshake (RFC 8446, 5.1).
    private static let handshake: UInt8 = 22
    /// Bytes that are received at once: all of the longest record (RFC 8446, 5.1), so that
    /// none remain where poll(2) does not see them.
    private static let longestRecord = 1 << 14

    init(_ descriptor: Int32, _ certificate: Certificate? = nil) {
        (self.descriptor, self.certificate) = (descriptor, certificate)
        guard let certificate else { return }
        let flags = UInt32(GNUTLS_SERVER) | UInt32(GNUTLS_NONBLOCK) | UInt32(GNUTLS_NO_SIGNAL)
        var session: gnutls_session_t?
        var key = certificate.ticketKey
        guard gnutls_init(&session, flags) >= 0, let session else { return }
        self.session = session
        guard gnutls_set_default_priority(session) >= 0,
            gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(certificate.credentials))
                >= 0,
            gnutls_session_ticket_enable_server(session, &key) >= 0
        else {
            gnutls_deinit(session)
            self.session = nil
            return
        }
        gnutls_transport_set_int2(session, descriptor, descriptor)
    }

    deinit {
        if let session { gnutls_deinit(session) }
        close(descriptor)
    }

    /// The handshake waits until the socket takes bytes.
    var wantsToSend: Bool {
        guard let session, !isGreeted else { return false }
        return gnutls_record_get_direction(session) == 1
    }

    func receive() -> Received {
        if certificate != nil, !isPlainByMistake {
            guard let session else { return .ended }
            return receive(session)
        }
        var buffer = [UInt8](repeating: 0, count: 4 * Self.longestRecord)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0 { return errno == EAGAIN || errno == EINTR ? .nothing : .ended }
        return count > 0 ? .bytes(Array(buffer[..<count])) : .ended
    }

    private func receive(_ session: gnutls_session_t) -> Received {
        if !isGreeted {
            if !hasBegun {
                var first: UInt8 = 0
                let count = recv(descriptor, &first, 1, Int32(MSG_PEEK))
                isPlainByMistake = count == 1 && first != Self.handshake
                if isPlainByMistake { return receive() }
                hasBegun = count == 1
            }
            let code = gnutls_handshake(session)
            guard code == GNUTLS_E_SUCCESS else {
                if gnutls_error_is_fatal(code) == 0 { return .nothing }
                gnutls_alert_send_appropriate(session, code)
                return .ended
            }
            isGreeted = true
        }
        var buffer = [UInt8](repeating: 0, count: Self.longestRecord)
        let count = gnutls_record_recv(session, &buffer, buffer.count)
        if count < 0 { return gnutls_error_is_fatal(Int32(count)) == 0 ? .nothing : .ended }
        return count > 0 ? .bytes(Array(buffer[..<count])) : .ended
    }

    /// Sends bytes, or some of them.
    /// - Returns: how many, 0 where the socket takes none now; nil where the other side is gone.
    func send(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let session, !isPlainByMistake else {
            let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            return count >= 0 ? count : errno == EAGAIN || errno == EINTR ? 0 : nil
        }
        let count =
            isStuck ? gnutls_record_send(session, nil, 0) : gnutls_record_send(session, bytes.baseAddress, bytes.count)
        isStuck = count == Int(GNUTLS_E_AGAIN) || count == Int(GNUTLS_E_INTERRUPTED)
        return count >= 0 ? count : isStuck ? 0 : nil
    }

    /// Tells the other side that nothing more will be sent.
    func finish() {
        if let session, isGreeted { _ = gnutls_bye(session, GNUTLS_SHUT_WR) }
        shutdown(descriptor, Int32(SHUT_WR))
    }
}
