/// Bounds what a page says over a WebSocket: the size of each message, and how many come. The HTTP
/// library gathers frames of a message without a bound, so a connection that is over one is cut
/// before the library sees it.
///
/// Frames are read as RFC 6455, section 5.2, has them. A value; times in seconds are given to it.
struct SocketMeter {
    /// Bytes of a message: where the playhead is.
    static let largestMessage: UInt64 = 64 << 10
    /// Frames a second, and how many at once after a pause.
    private static let (rate, most) = (200.0, 1000.0)

    private var header: [UInt8] = []
    /// Bytes of the payload, and of its mask, that are still to come.
    private var rest: UInt64 = 0
    /// Bytes of the message so far.
    private var message: UInt64 = 0
    private var level = SocketMeter.most
    private var last: Double

    init(at now: Double) { last = now }

    /// - Returns: false where the connection is to be cut.
    mutating func take(_ bytes: ArraySlice<UInt8>, at now: Double) -> Bool {
        level = min(Self.most, level + max(0, now - last) * Self.rate)
        last = max(last, now)
        var bytes = bytes
        while !bytes.isEmpty {
            if rest > 0 {
                let count = Int(min(rest, UInt64(bytes.count)))
                bytes = bytes.dropFirst(count)
                rest -= UInt64(count)
                continue
            }
            header.append(bytes.removeFirst())
            guard header.count == headerLength else { continue }
            guard begin() else { return false }
        }
        return true
    }

    private var headerLength: Int {
        guard header.count >= 2 else { return 2 }
        switch header[1] & 0x7F {
        case 126: return 4
        case 127: return 10
        default: return 2
        }
    }

    /// Takes in a whole header.
    private mutating func begin() -> Bool {
        defer { header = [] }
        let (isLast, code, isMasked) = (header[0] & 0x80 != 0, header[0] & 0x0F, header[1] & 0x80 != 0)
        let short = UInt64(header[1] & 0x7F)
        let length = header.count == 2 ? short : header[2...].reduce(0) { $0 << 8 | UInt64($1) }
        // Control frames stand between the frames of a message.
        let isControl = code >= 8
        let (sum, isOver) = (isControl ? 0 : message).addingReportingOverflow(length)
        guard !isOver, sum <= Self.largestMessage else { return false }
        if !isControl { message = isLast ? 0 : sum }
        rest = length + (isMasked ? 4 : 0)
        level -= 1
        return level >= 0
    }
}
