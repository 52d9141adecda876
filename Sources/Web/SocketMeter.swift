/// Limits the messages of a page on a WebSocket: their size and their number. It also rejects
/// frames that no client may send. The HTTP library collects the frames of a message without a
/// limit and accepts frames of any form, so a connection that violates a rule is closed before the
/// library receives the frame.
///
/// A value without a clock; times are passed in, in seconds.
struct SocketMeter {
    /// The codes of RFC 6455, section 7.4.1, with which a connection is closed.
    enum Violation: UInt16 {
        case protocolError = 1002
        /// Too many frames.
        case policy = 1008
        case tooLarge = 1009
    }

    /// The maximum size of a message in bytes. Messages contain the position of the playhead.
    static let largestMessage: UInt64 = 64 << 10
    /// The maximum payload of a control frame in bytes (section 5.5).
    private static let largestControl: UInt64 = 125
    /// Continuation, text and binary; close, ping and pong (section 5.2).
    private static let codes: Set<UInt8> = [0, 1, 2, 8, 9, 10]
    /// Frames per second, and at once after a pause.
    private static let (rate, most) = (200.0, 1000.0)

    private var cursor = FrameCursor()
    /// The size of the current message in bytes; nil between two messages.
    private var message: UInt64?
    private var level = SocketMeter.most
    private var last: Double
    /// The violation that ended the connection.
    private var found: Violation?

    init(at now: Double) { last = now }

    /// Checks bytes from the client.
    /// - Returns: nil if the bytes may pass; after a violation always that violation.
    mutating func take(_ bytes: ArraySlice<UInt8>, at now: Double) -> Violation? {
        if let found { return found }
        level = min(Self.most, level + max(0, now - last) * Self.rate)
        last = max(last, now)
        var bytes = bytes
        while let frame = cursor.next(&bytes) {
            found = violation(of: frame)
            if let found { return found }
        }
        return nil
    }

    private mutating func violation(of frame: FrameCursor.Header) -> Violation? {
        // No extension was negotiated, and a client masks each frame (section 5.1).
        guard frame.reserved == 0, frame.isMasked, Self.codes.contains(frame.code),
            !frame.isControl || (frame.isLast && frame.length <= Self.largestControl)
        else { return .protocolError }
        // Only control frames may be interleaved with the frames of a message (section 5.4).
        guard frame.isControl || (frame.code == 0) == (message != nil) else { return .protocolError }
        let (sum, isOver) = (frame.isControl ? 0 : message ?? 0).addingReportingOverflow(frame.length)
        guard !isOver, sum <= Self.largestMessage else { return .tooLarge }
        if !frame.isControl { message = frame.isLast ? nil : sum }
        level -= 1
        return level >= 0 ? nil : .policy
    }
}

/// Follows the response to a WebSocket request, to determine where another frame may be inserted.
struct SocketAnswer {
    private static let headEnd: [UInt8] = [13, 10, 13, 10]

    /// The number of matched bytes of the header's end.
    private var matched = 0
    private var cursor = FrameCursor()

    /// The header has ended, and no frame is incomplete.
    var isBetweenFrames: Bool { matched == Self.headEnd.count && cursor.isBetweenFrames }

    mutating func take(_ bytes: ArraySlice<UInt8>) {
        var bytes = bytes
        while matched < Self.headEnd.count, let byte = bytes.popFirst() {
            matched = byte == Self.headEnd[matched] ? matched + 1 : byte == Self.headEnd[0] ? 1 : 0
        }
        while cursor.next(&bytes) != nil {}
    }

    /// Returns a frame that closes the connection (section 5.5.1).
    static func close(_ violation: SocketMeter.Violation) -> [UInt8] {
        [0x88, 2, UInt8(violation.rawValue >> 8), UInt8(violation.rawValue & 0xFF)]
    }
}
