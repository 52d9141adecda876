/// Follows the frames of one direction of a WebSocket (RFC 6455, section 5.2) without storing their
/// payload.
struct FrameCursor {
    struct Header: Hashable {
        var isLast: Bool
        /// The reserved bits RSV1 to RSV3.
        var reserved: UInt8
        var code: UInt8
        var isMasked: Bool
        /// The size of the payload in bytes.
        var length: UInt64

        var isControl: Bool { code >= 8 }

        init(_ bytes: [UInt8]) {
            (isLast, reserved, code) = (bytes[0] & 0x80 != 0, bytes[0] & 0x70, bytes[0] & 0x0F)
            isMasked = bytes[1] & 0x80 != 0
            let short = UInt64(bytes[1] & 0x7F)
            length = bytes.count == 2 ? short : bytes[2...].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    private var header: [UInt8] = []
    /// The remaining bytes of the payload and its mask.
    private var rest: UInt64 = 0

    var isBetweenFrames: Bool { header.isEmpty && rest == 0 }

    /// Consumes bytes up to the end of the next header.
    /// - Returns: nil if the bytes end before it.
    mutating func next(_ bytes: inout ArraySlice<UInt8>) -> Header? {
        while !bytes.isEmpty {
            if rest > 0 {
                let count = Int(min(rest, UInt64(bytes.count)))
                bytes = bytes.dropFirst(count)
                rest -= UInt64(count)
                continue
            }
            header.append(bytes.removeFirst())
            guard header.count == headerLength else { continue }
            let found = Header(header)
            header = []
            rest = found.length.addingReportingOverflow(found.isMasked ? 4 : 0).partialValue
            return found
        }
        return nil
    }

    private var headerLength: Int {
        guard header.count >= 2 else { return 2 }
        switch header[1] & 0x7F {
        case 126: return 4
        case 127: return 10
        default: return 2
        }
    }
}
