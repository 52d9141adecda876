import CGnuTLS
import Foundation
import HostCore

/// A certificate with its private key, with which a gate serves HTTPS.
package final class Certificate: @unchecked Sendable {
    // Nothing changes after `init`, and GnuTLS allows sessions in several threads then.
    let credentials: gnutls_certificate_credentials_t
    /// The versions of TLS and the ciphers.
    let priorities: gnutls_priority_t
    /// The key of session tickets, with which clients resume a session in another connection.
    let ticketKey: gnutls_datum_t
    /// The server's certificate, without those of its issuers.
    private let leaf: gnutls_x509_crt_t
    /// The DNS names and addresses that it is valid for, in its own order.
    package let names: [String]
    private let path: String

    /// Reads both from files in PEM form.
    /// - Parameters:
    ///   - path: the certificate, followed by those of its issuers.
    ///   - keyPath: the private key; nil: it is in the certificate's file.
    package init(_ path: String, key keyPath: String?) throws(HostError) {
        self.path = path
        let keyPath = keyPath ?? path
        let text = try Self.read(path, "certificate")
        let keyText = try Self.read(keyPath, "private key")
        let leaf = try Self.leaf(text, path)
        var (credentials, ticketKey) = (gnutls_certificate_credentials_t?.none, gnutls_datum_t())
        var priorities: gnutls_priority_t?
        do throws(HostError) {
            try Self.check(keyText, keyPath, isNamed: keyPath != path)
            guard gnutls_certificate_allocate_credentials(&credentials) >= 0, let credentials,
                gnutls_session_ticket_key_generate(&ticketKey) >= 0,
                gnutls_priority_init(&priorities, Self.versions, nil) >= 0, let priorities
            else { throw HostError(.unavailable, "There is no memory for the certificate ‘\(path)’.") }
            let code = Self.withDatum(text) { text in
                Self.withDatum(keyText) { key in
                    gnutls_certificate_set_x509_key_mem2(credentials, text, key, GNUTLS_X509_FMT_PEM, nil, 0)
                }
            }
            if code == GNUTLS_E_CERTIFICATE_KEY_MISMATCH {
                throw HostError(.noInput, "The private key ‘\(keyPath)’ does not belong to the certificate ‘\(path)’.")
            }
            guard code >= 0 else {
                throw HostError(.noInput, "The certificate ‘\(path)’ cannot be used: \(Self.text(code))")
            }
            (self.credentials, self.priorities) = (credentials, priorities)
        } catch {
            gnutls_x509_crt_deinit(leaf)
            if let credentials { gnutls_certificate_free_credentials(credentials) }
            if let priorities { gnutls_priority_deinit(priorities) }
            cgnutls_free(ticketKey.data)
            throw error
        }
        (self.leaf, self.ticketKey, names) = (leaf, ticketKey, Self.names(of: leaf))
    }

    deinit {
        gnutls_x509_crt_deinit(leaf)
        gnutls_certificate_free_credentials(credentials)
        gnutls_priority_deinit(priorities)
        cgnutls_free(ticketKey.data)
    }

    private static let versions = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

    /// Whether it names a DNS name or an IPv4 address. Like browsers, this ignores the common name
    /// of its subject.
    package func isValid(for name: String) -> Bool {
        !names.isEmpty && gnutls_x509_crt_check_hostname(leaf, name) != 0
    }

    /// Sentences about what browsers will not accept.
    /// - Parameter name: the name or the address under which the page is opened.
    package func warnings(for name: String, at now: Date = Date()) -> [String] {
        let begin = Date(timeIntervalSince1970: Double(gnutls_x509_crt_get_activation_time(leaf)))
        let end = Date(timeIntervalSince1970: Double(gnutls_x509_crt_get_expiration_time(leaf)))
        var warnings: [String] = []
        if now > end { warnings.append("The certificate ‘\(path)’ expired on \(Self.day(end)). Renew it.") }
        if now < begin {
            warnings.append("The certificate ‘\(path)’ is valid only from \(Self.day(begin)) on. Check the clock.")
        }
        if !isValid(for: name) {
            let others =
                names.isEmpty
                ? "contains no DNS name or IPv4 address" : "names " + names.map { "‘\($0)’" }.joined(separator: ", ")
            warnings.append(
                "The certificate ‘\(path)’ is not valid for ‘\(name)’, so browsers will warn of it. It \(others).")
        }
        return warnings
    }

    private static func day(_ date: Date) -> String {
        date.formatted(.iso8601.year().month().day())
    }

    private static func read(_ path: String, _ what: String) throws(HostError) -> [UInt8] {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw HostError(.noInput, "The \(what) ‘\(path)’ cannot be read: \(systemText(errno)).")
        }
        guard let data = try? file.read(upToCount: longest + 1), !data.isEmpty else {
            throw HostError(.noInput, "The \(what) ‘\(path)’ is empty, or cannot be read.")
        }
        guard data.count <= longest else {
            throw HostError(.noInput, "‘\(path)’ is larger than 1 MiB, so it is not a \(what).")
        }
        return Array(data)
    }

    /// Bytes; certificates with all their issuers have a few kilobytes.
    private static let longest = 1 << 20

    private static func leaf(_ text: [UInt8], _ path: String) throws(HostError) -> gnutls_x509_crt_t {
        var leaf: gnutls_x509_crt_t?
        guard gnutls_x509_crt_init(&leaf) >= 0, let leaf else {
            throw HostError(.unavailable, "There is no memory for the certificate ‘\(path)’.")
        }
        let code = withDatum(text) { gnutls_x509_crt_import(leaf, $0, GNUTLS_X509_FMT_PEM) }
        if code >= 0 { return leaf }
        gnutls_x509_crt_deinit(leaf)
        throw HostError(
            .noInput,
            isNotPEM(code)
                ? "‘\(path)’ contains no certificate in PEM form, which begins with ‘-----BEGIN CERTIFICATE’."
                : "The certificate ‘\(path)’ cannot be used: \(Self.text(code))")
    }

    private static func isNotPEM(_ code: Int32) -> Bool {
        [
            GNUTLS_E_BASE64_UNEXPECTED_HEADER_ERROR, GNUTLS_E_BASE64_DECODING_ERROR,
            GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE,
        ].contains(code)
    }

    /// Checks that a private key can be used.
    /// - Parameter isNamed: its file was given.
    private static func check(_ text: [UInt8], _ path: String, isNamed: Bool) throws(HostError) {
        var key: gnutls_x509_privkey_t?
        guard gnutls_x509_privkey_init(&key) >= 0, let key else {
            throw HostError(.unavailable, "There is no memory for the private key ‘\(path)’.")
        }
        defer { gnutls_x509_privkey_deinit(key) }
        let code = withDatum(text) { gnutls_x509_privkey_import2(key, $0, GNUTLS_X509_FMT_PEM, nil, 0) }
        if code >= 0 { return }
        if code == GNUTLS_E_DECRYPTION_FAILED {
            throw HostError(
                .noInput,
                "The private key ‘\(path)’ has a passphrase. Save it without one: openssl pkey -in KEY -out NEW-KEY")
        }
        let reason = isNotPEM(code) ? "." : ": " + Self.text(code)
        let advice = isNamed ? "" : " Name the key's file with ‘--certificate-key’."
        throw HostError(.noInput, "‘\(path)’ contains no private key in PEM form\(reason)\(advice)")
    }

    private static func names(of leaf: gnutls_x509_crt_t) -> [String] {
        var (names, index) = ([String](), UInt32(0))
        while true {
            var (bytes, size) = ([UInt8](repeating: 0, count: 256), 256)
            let kind = gnutls_x509_crt_get_subject_alt_name(leaf, index, &bytes, &size, nil)
            if kind == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE { return names }
            index += 1
            switch kind {
            case Int32(GNUTLS_SAN_DNSNAME.rawValue): names.append(String(decoding: bytes[..<size], as: UTF8.self))
            case Int32(GNUTLS_SAN_IPADDRESS.rawValue) where size == 4:
                names.append(bytes[..<4].map(String.init).joined(separator: "."))
            default: break
            }
        }
    }

    private static func withDatum<Result>(_ bytes: [UInt8], _ body: (UnsafePointer<gnutls_datum_t>) -> Result) -> Result
    {
        bytes.withUnsafeBufferPointer { bytes in
            var datum = gnutls_datum_t(
                data: UnsafeMutablePointer(mutating: bytes.baseAddress), size: UInt32(bytes.count))
            return body(&datum)
        }
    }

    /// GnuTLS's own sentence.
    private static func text(_ code: Int32) -> String { String(cString: gnutls_strerror(code)) }
}
