import CZeroMQ
import FoundationEssentials

/// The public half of a CURVE key (curve25519), which authenticates a peer. It is no secret.
public struct PublicKey: Hashable, Sendable, CustomStringConvertible {
    /// The key in Z85, 40 characters: https://rfc.zeromq.org/spec/32/
    public let text: String

    /// Parses a key.
    /// - Returns: nil for an invalid key.
    public init?(_ text: String) {
        guard KeyText.isKey(text) else { return nil }
        self.text = text
    }

    /// Makes a key from its 32 bytes, which ZeroMQ's authentication passes on.
    init?(bytes: Data) {
        guard bytes.count == 32 else { return nil }
        var encoded = [CChar](repeating: 0, count: KeyText.length + 1)
        let made = bytes.withUnsafeBytes { zmq_z85_encode(&encoded, $0.bindMemory(to: UInt8.self).baseAddress, 32) }
        guard made != nil else { return nil }
        text = KeyText.string(encoded)
    }

    public var description: String { text }
}

/// A CURVE key with its secret half.
public struct KeyPair: Hashable, Sendable, CustomStringConvertible {
    public let publicKey: PublicKey
    /// The secret in Z85, 40 characters. It is all that authenticates the key's owner.
    let secret: String

    /// Makes a new key (`zmq_curve_keypair`).
    public init() throws(ZMQError) {
        var publicText = [CChar](repeating: 0, count: KeyText.length + 1)
        var secretText = publicText
        guard zmq_curve_keypair(&publicText, &secretText) == 0, let key = PublicKey(KeyText.string(publicText)) else {
            throw .last("zmq_curve_keypair")
        }
        publicKey = key
        secret = KeyText.string(secretText)
    }

    /// Parses a secret.
    /// - Returns: nil for an invalid one.
    init?(secret: String) {
        guard KeyText.isKey(secret) else { return nil }
        var publicText = [CChar](repeating: 0, count: KeyText.length + 1)
        guard zmq_curve_public(&publicText, secret) == 0, let key = PublicKey(KeyText.string(publicText)) else {
            return nil
        }
        publicKey = key
        self.secret = secret
    }

    /// The public half only: the secret must never be printed.
    public var description: String { publicKey.text }
}

private enum KeyText {
    static let length = 40

    static func string(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    static func isKey(_ text: String) -> Bool {
        guard text.utf8.count == length else { return false }
        var bytes = [UInt8](repeating: 0, count: 32)
        return zmq_z85_decode(&bytes, text) != nil
    }
}
