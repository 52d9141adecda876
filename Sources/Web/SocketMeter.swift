/// Bounds what a page says over a WebSocket: the size of each message, and how many come. It also
/// refuses frames that no client may send. The HTTP library gathers the frames of a message without
/// a bound and accepts frames of any form, so a connection that breaks a rule is closed before the
/// library sees the frame.
///
/// A value; times in seconds are given to it.
struct SocketMeter {
    /// The codes of RFC 6455, section 7.4.1, with which a connection is closed.
    enum Violation: UInt16 {
        case protocolError = 1002
        /// Too many frames.
        case policy = 1008
        case tooLarge = 1009
    }

    /// Bytes of a message: where the playhead is.
    static let largestMessage: UInt64 = 64 << 10
    /// Bytes of a control frame's payload (section 5.5).
    private static let largestControl: UInt64 = 125
    /// Continuation, text and binary; close, ping and pong (section 5.2).
    private static let codes: Set<UInt8> = [0, 1, 2, 8, 9, 10]
    /// Frames a second, and how many at once after a pause.
    private static let (rate, most) = (200.0, 1000.0)

    private var cursor = FrameCursor()
    /// Bytes of the message so far; nil between two messages.
    private var message: UInt64?
    private var level = SocketMeter.most
    private var last: Double
    /// What has ended the connection.
    private var found: Violation?

    init(at now: Double) { last = now }

    /// - Returns: nil where the bytes may pass; after a violation always that one.
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
        // No extension was agreed on, and a client masks each frame (section 5.1).
        guard frame.reserved == 0, frame.isMasked, Self.codes.contains(frame.code),
            !frame.isControl || (frame.isLast && frame.length <= Self.largestControl)
        else { return .protocolError }
        // Control frames stand between the frames of a message, which others may not (section 5.4).
        guard frame.isControl || (frame.code == 0) == (message != nil) else { return .protocolError }
        let (sum, isOver) = (frame.isControl ? 0 : message ?? 0).addingReportingOverflow(frame.length)
        guard !isOver, sum <= Self.largestMessage else { return .tooLarge }
        if !frame.isControl { message = frame.isLast ? nil : sum }
        level -= 1
        return level >= 0 ? nil : .policy
    }
}

/// Follows the answer to a request for a WebSocket, to tell where another frame may follow.
struct SocketAnswer {
    private static let headEnd: [UInt8] = [13, 10, 13, 10]

    /// How many bytes of the head's end have come.
    private var matched = 0
    private var cursor = FrameCursor()

    /// The head has ended, and no frame has begun that has not ended.
    var isBetweenFrames: Bool { matched == Self.headEnd.count && cursor.isBetweenFrames }

    mutating func take(_ bytes: ArraySlice<UInt8>) {
        var bytes = bytes
        while matched < Self.headEnd.count, let byte = bytes.popFirst() {
            matched = byte == Self.headEnd[matched] ? matched + 1 : byte == Self.headEnd[0] ? 1 : 0
        }
        while cursor.next(&bytes) != nil {}
    }

    /// A frame that closes the connection (section 5.5.1).
    static func close(_ violation: SocketMeter.Violation) -> [UInt8] {
        [0x88, 2, UInt8(violation.rawValue >> 8), UInt8(violation.rawValue & 0xFF)]
    }
}
