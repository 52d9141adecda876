import CNettle

/// An incremental SHA-256 (FIPS 180-4) by Nettle. It uses the processor's own instructions, because
/// whole files are hashed: outputs, and what the nodes of a farm fetch.
public struct SHA256: ~Copyable {
    private var state = sha256_ctx()

    public init() { nettle_sha256_init(&state) }

    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        nettle_sha256_update(&state, bytes.count, base.assumingMemoryBound(to: UInt8.self))
    }

    public mutating func update(_ bytes: some Sequence<UInt8>) {
        let array = Array(bytes)
        array.withUnsafeBytes { update($0) }
    }

    /// Returns the digest in lower-case hexadecimal, 64 characters.
    public consuming func finish() -> String { Self.hexadecimal(finishBytes()) }

    /// Returns the 32 bytes of the digest.
    public consuming func finishBytes() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_SIZE))
        nettle_sha256_digest(&state, digest.count, &digest)
        return digest
    }

    public static func hash(_ bytes: some Sequence<UInt8>) -> String {
        var hasher = SHA256()
        hasher.update(bytes)
        return hasher.finish()
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
