import CGnuTLS
import Foundation

/// A self-signed certificate for servers, and its private key (ECDSA, P-256).
public struct TestCertificate {
    /// PEM.
    public let certificate: String
    /// PEM.
    public let key: String
    /// The key, which a passphrase protects.
    public let lockedKey: String
    /// The SHA-256 digest of its public key in Base64, by which a browser can be told to trust it.
    public let keyDigest: String

    /// - Parameters:
    ///   - names: DNS names and IPv4 addresses.
    ///   - days: when it becomes valid and when it ends, from now on.
    public init(for names: [String], days: ClosedRange<Int> = -1...30) throws {
        var (key, leaf): (gnutls_x509_privkey_t?, gnutls_x509_crt_t?) = (nil, nil)
        try Self.check(gnutls_x509_privkey_init(&key))
        defer { gnutls_x509_privkey_deinit(key) }
        try Self.check(gnutls_x509_crt_init(&leaf))
        defer { gnutls_x509_crt_deinit(leaf) }
        // GNUTLS_CURVE_TO_BITS is a macro of this.
        let curve = UInt32(1) << 31 | UInt32(GNUTLS_ECC_CURVE_SECP256R1.rawValue)
        try Self.check(gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA, curve, 0))
        try Self.check(gnutls_x509_crt_set_version(leaf, 3))
        let serial = (0..<8).map { _ in UInt8.random(in: 1...100) }
        try Self.check(gnutls_x509_crt_set_serial(leaf, serial, serial.count))
        let now = time(nil)
        try Self.check(gnutls_x509_crt_set_activation_time(leaf, now + days.lowerBound * 86_400))
        try Self.check(gnutls_x509_crt_set_expiration_time(leaf, now + days.upperBound * 86_400))
        try Self.check(gnutls_x509_crt_set_dn(leaf, "CN=Cutroom's tests", nil))
        try Self.check(gnutls_x509_crt_set_basic_constraints(leaf, 1, 0))
        for name in names {
            var address = in_addr()
            let isAddress = inet_pton(AF_INET, name, &address) == 1
            let bytes = isAddress ? withUnsafeBytes(of: &address) { Array($0) } : Array(name.utf8)
            try Self.check(
                gnutls_x509_crt_set_subject_alt_name(
                    leaf, isAddress ? GNUTLS_SAN_IPADDRESS : GNUTLS_SAN_DNSNAME, bytes, UInt32(bytes.count),
                    UInt32(GNUTLS_FSAN_APPEND)))
        }
        try Self.check(gnutls_x509_crt_set_key(leaf, key))
        try Self.check(gnutls_x509_crt_sign2(leaf, leaf, key, GNUTLS_DIG_SHA256, 0))

        certificate = try Self.text { gnutls_x509_crt_export2(leaf, GNUTLS_X509_FMT_PEM, $0) }
        self.key = try Self.text { gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, $0) }
        lockedKey = try Self.text {
            gnutls_x509_privkey_export2_pkcs8(
                key, GNUTLS_X509_FMT_PEM, "secret", UInt32(GNUTLS_PKCS_PBES2_AES_256.rawValue), $0)
        }
        var (digest, size) = ([UInt8](repeating: 0, count: 32), 32)
        try Self.check(gnutls_x509_crt_get_key_id(leaf, UInt32(GNUTLS_KEYID_USE_SHA256.rawValue), &digest, &size))
        keyDigest = Data(digest).base64EncodedString()
    }

    private static func text(_ export: (UnsafeMutablePointer<gnutls_datum_t>) -> Int32) throws -> String {
        var datum = gnutls_datum_t()
        try check(export(&datum))
        defer { cgnutls_free(datum.data) }
        return String(decoding: UnsafeBufferPointer(start: datum.data, count: Int(datum.size)), as: UTF8.self)
    }

    private static func check(_ code: Int32) throws {
        guard code < 0 else { return }
        throw Command.Failure(description: "GnuTLS: \(String(cString: gnutls_strerror(code)))")
    }
}
