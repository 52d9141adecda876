import CFFmpeg

/// Gives the frames of an AVI the times that its index has for them.
///
/// AVI's packets have no times: libav counts them, so behind a frame that is lost all are too
/// early. The index knows each by its place in the file.
struct CountedFrames {
    private let stream: UnsafeMutablePointer<AVStream>
    /// From the place of an index entry to that of its packet.
    private var offset: Int64?
    /// By how much libav has miscounted so far.
    private var miscount: Int64 = 0

    init(_ stream: UnsafeMutablePointer<AVStream>) { self.stream = stream }

    /// To be called after a seek, which finds by the index.
    mutating func seek() { miscount = 0 }

    /// - Returns: whether frames were lost before this one.
    mutating func correct(_ packet: Packet) -> Bool {
        guard let time = packet.dts, let place = packet.position else { return false }
        let counted = avformat_index_get_entry_from_timestamp(stream, time, AVSEEK_FLAG_BACKWARD | AVSEEK_FLAG_ANY)
        if let counted, counted.pointee.timestamp == time {
            let distance = place - counted.pointee.pos
            // A packet begins behind its chunk's header.
            if offset == nil, (0...8).contains(distance) { offset = distance }
            if distance == offset {
                defer { miscount = 0 }
                return miscount != 0
            }
        }
        guard let offset, let entry = entry(at: place - offset), entry.timestamp != time else { return false }
        packet.raw.pointee.dts = entry.timestamp
        if packet.pts != nil { packet.raw.pointee.pts = entry.timestamp }
        defer { miscount = entry.timestamp - time }
        return miscount != entry.timestamp - time
    }

    /// The index entry of the chunk at a byte; the index is in the file's order.
    private func entry(at position: Int64) -> AVIndexEntry? {
        var (low, high) = (Int32(0), avformat_index_get_entries_count(stream))
        while low < high {
            let middle = low + (high - low) / 2
            guard let entry = avformat_index_get_entry(stream, middle)?.pointee else { return nil }
            if entry.pos == position { return entry }
            if entry.pos < position { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}
