import CFFmpeg
import Values

/// The length of packets of Opus, which a file need not state.
enum OpusPacket {
    static func isOpus(_ stream: Demuxer.Stream) -> Bool { stream.parameters.pointee.codec_id == AV_CODEC_ID_OPUS }

    /// The length of a packet as its first bytes say (RFC 6716, 3.1 and 3.2). It is 2.5 ms for one
    /// that is empty.
    static func length(_ packet: Packet) -> Time {
        guard let data = packet.raw.pointee.data, packet.raw.pointee.size > 0 else { return units(1) }
        return length(data[0], packet.raw.pointee.size > 1 ? data[1] : 0)
    }

    /// - Parameters:
    ///   - kind: the first byte, which says the frames' length and, for up to two frames, their
    ///     number.
    ///   - count: the second one, which says the number of more.
    static func length(_ kind: UInt8, _ count: UInt8) -> Time {
        let configuration = Int(kind >> 3)
        let frame =
            switch configuration {
            case 0..<12: [4, 8, 16, 24][configuration % 4]
            case 12..<16: [4, 8][configuration % 2]
            default: [1, 2, 4, 8][configuration % 4]
            }
        let frames =
            switch kind & 3 {
            case 0: 1
            case 3: Int(count & 0x3F)
            default: 2
            }
        // A packet has 120 ms at most.
        return units(min(48, max(1, frame * frames)))
    }

    /// 2.5 ms each.
    private static func units(_ count: Int) -> Time { Time(flicks: Time.flicksPerSecond / 400 * Int64(count)) }
}
