import CFFmpeg

/// Owns one `AVPacket` and, while it is filled, a reference to its bytes. Filled and emptied many times.
final class Packet {
    let raw: UnsafeMutablePointer<AVPacket>

    init() throws(MediaError) {
        guard let packet = av_packet_alloc() else { throw .outOfMemory("read a packet") }
        raw = packet
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = raw
        av_packet_free(&packet)
    }

    var streamIndex: Int { Int(raw.pointee.stream_index) }
    var isKey: Bool { raw.pointee.flags & AV_PKT_FLAG_KEY != 0 }
    /// Decoded, but not shown: before the start of an edit list.
    var isDiscarded: Bool { raw.pointee.flags & AV_PKT_FLAG_DISCARD != 0 }
    /// The file ends or is damaged within it.
    var isCorrupt: Bool { raw.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 }
    var pts: Int64? { raw.pointee.pts.timestamp }
    var dts: Int64? { raw.pointee.dts.timestamp }
    var duration: Int64 { raw.pointee.duration }

    func clear() { av_packet_unref(raw) }
}

extension Int64 {
    /// nil for `AV_NOPTS_VALUE`.
    var timestamp: Int64? { self == cutroom_AV_NOPTS_VALUE ? nil : self }
}
