import FoundationEssentials

/// The encoding of a message: two ZeroMQ frames, a header and a body. Up to three messages are sent
/// together, one after the other: most of the cost of a small job is waking the peer for each
/// message.
///
/// ```
/// header, little-endian
///   0  u32  magic "CTRM"
///   4  u16  protocol version
///   6  u8   kind
///   7  u8   0
///   8  u64  epoch                  (0 where the kind has no lease)
///  16  u64  done                   (heartbeat), fence (assign)
///  24  u64  total                  (heartbeat), threads (assign, share)
///  32  u64  steps                  (heartbeat)
///  40  u16  length of the job's name, then its UTF-8
///   …  u16  length of the job's kind, then its UTF-8   (assign)
///   …  u16  number of libraries, then each as the texts before   (assign only)
/// body: opaque bytes (assign, completed), JSON (hello, welcome, failed), UTF-8 (refused, warning);
///       heartbeat: u64 processor time in ms, then the activity in UTF-8; else empty
/// ```
/// The first eight bytes keep their meaning in every version, so that a peer of another version can
/// be recognised and refused.
public enum Wire {
    /// The protocol version, incremented whenever a message changes its encoding or its meaning.
    public static let version: UInt16 = 8
    static let magic: UInt32 = 0x4D52_5443
    static let fixedLength = 40

    /// The most messages that are sent together.
    public static let mostAtOnce = 3

    /// The largest body of `assign` and `completed`, in bytes. Larger results belong in files.
    public static let largestPayload = 64 << 20
    /// The largest body of all other messages, in bytes.
    public static let largestText = 1 << 20
    /// The most bytes that are read of a warning.
    static let longestWarning = 16 << 10
    /// The frame size above which ZeroMQ drops the peer (`ZMQ_MAXMSGSIZE`).
    static let largestFrame = Int64(largestPayload)
    /// The same limit for a server's public socket.
    public static let largestQuestion: Int64 = 16 << 20
    /// The largest size of a job's libraries, in bytes.
    public static let longestLibraries = 1 << 20
    /// The longest header: the fixed part, two texts of 16-bit length, and the libraries.
    static let longestHeader = fixedLength + 2 * (2 + 0xFFFF) + 2 + longestLibraries

    enum Kind: UInt8 {
        case hello = 1, ready, heartbeat, completed, failed, goodbye, warning
        case welcome = 65, refused, introduceYourself, assign, acknowledge, cancel, stop, share
    }
}

/// A problem with bytes that should be a message. A value, not an error: nothing that arrives may
/// stop its receiver.
public enum MessageProblem: Sendable, Equatable, CustomStringConvertible {
    case frames(count: Int)
    case notOurs
    case version(UInt16)
    case unknownKind(UInt8)
    case tooLarge(bytes: Int, limit: Int)
    case malformed(String)

    public var description: String {
        switch self {
        case .frames(let count):
            "\(count) frames; a message has 2, and at most \(Wire.mostAtOnce) messages come together"
        case .notOurs: "the bytes are not a Cutroom message"
        case .version(let found): "protocol version \(found); this build speaks version \(Wire.version)"
        case .unknownKind(let kind): "unknown message kind \(kind)"
        case .tooLarge(let bytes, let limit): "a body of \(bytes) bytes; at most \(limit) are allowed"
        case .malformed(let what): what
        }
    }
}
