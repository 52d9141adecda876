import CFFmpeg
import Glibc

/// Owns one `AVPacket` and, while it is filled, a reference to its bytes. Filled and emptied many
/// times.
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
    /// The byte of the file at which the packet begins; nil where the container does not say.
    var position: Int64? { raw.pointee.pos >= 0 ? raw.pointee.pos : nil }
    var content: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: raw.pointee.data, count: Int(max(0, raw.pointee.size)))
    }

    func clear() { av_packet_unref(raw) }

    /// Takes the content of another packet, which is empty then.
    func take(_ other: Packet) {
        clear()
        av_packet_move_ref(raw, other.raw)
    }

    /// Leaves open when the packet is decoded and presented, and where it begins.
    func forgetTimes() {
        (raw.pointee.pts, raw.pointee.dts, raw.pointee.pos) = (cutroom_AV_NOPTS_VALUE, cutroom_AV_NOPTS_VALUE, -1)
    }

    /// A packet of its own with the same content.
    func copy() throws(MediaError) -> Packet {
        let copy = try Packet()
        try check(av_packet_ref(copy.raw, raw), "read a packet", path: nil, .read)
        return copy
    }

    /// The content of a piece of side data; nil where there is none.
    func sideData(_ kind: AVPacketSideDataType) -> [UInt8]? {
        var size = 0
        guard let bytes = av_packet_get_side_data(raw, kind, &size) else { return nil }
        return Array(UnsafeBufferPointer(start: bytes, count: size))
    }

    func addSideData(_ kind: AVPacketSideDataType, _ content: [UInt8]) throws(MediaError) {
        guard let bytes = av_packet_new_side_data(raw, kind, content.count) else { throw .outOfMemory("read a packet") }
        bytes.update(from: content, count: content.count)
    }

    /// Puts bytes before the content.
    func prepend(_ bytes: [UInt8]) throws(MediaError) { try insert(bytes, at: 0) }

    /// Puts bytes before the byte `offset` of the content, which is there.
    func insert(_ bytes: [UInt8], at offset: Int) throws(MediaError) {
        let count = Int(raw.pointee.size)
        try check(av_packet_make_writable(raw), "read a packet", path: nil, .outOfMemory)
        try check(av_grow_packet(raw, Int32(clamping: bytes.count)), "read a packet", path: nil, .outOfMemory)
        memmove(raw.pointee.data + offset + bytes.count, raw.pointee.data + offset, count - offset)
        (raw.pointee.data + offset).update(from: bytes, count: bytes.count)
    }

    /// Leaves no samples out at its beginning or end.
    func keepAllSamples() {
        var size = 0
        guard let bytes = av_packet_get_side_data(raw, AV_PKT_DATA_SKIP_SAMPLES, &size) else { return }
        bytes.update(repeating: 0, count: size)
    }
}

extension Int64 {
    /// nil for `AV_NOPTS_VALUE`.
    var timestamp: Int64? { self == cutroom_AV_NOPTS_VALUE ? nil : self }
}
