import CPosix
import Media

/// What this process may have of memory, where the system limits it.
enum MemoryLimit {
    /// For people: `488 MiB (ulimit -v 500000)`; nil where nothing is limited.
    static let text: String? = [(CPOSIX_ADDRESS_SPACE, "v"), (CPOSIX_DATA, "d")].lazy.compactMap { resource, letter in
        var (soft, hard) = (UInt64.max, UInt64.max)
        guard cposix_limit(resource, &soft, &hard) == 0, soft != .max else { return nil }
        return "\(soft >> 20) MiB (ulimit -\(letter) \(soft >> 10))"
    }.first
}

extension MediaError {
    /// libav's `AVERROR_EXTERNAL`, the tag `EXT ` negated: a codec's library failed and does not
    /// say why.
    private static let external = -Int32(bitPattern: 0x2054_5845)

    /// The sentence for a library that failed without a reason where memory is limited; nil for
    /// others.
    var lackOfMemory: String? {
        guard libavCode == Self.external, let limit = MemoryLimit.text else { return nil }
        return "\(description); it has probably run out of memory, of which a process may have \(limit)"
    }
}
