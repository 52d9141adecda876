import CFFmpeg
import Values

/// The places of a stream's blocks, all of one length, as reading from the start finds them.
struct SoundGrid {
    /// Index of the first sample of the second block; the first one may be cut short by the codec's
    /// delay.
    private let anchor: Int
    /// The second block's timestamp, in the stream's ticks.
    private let timestamp: Int64?
    private let size: Int
    private let rate: Int

    /// A timestamp further than this from the running index is a real gap or overlap: 10 ms.
    static func tolerance(_ rate: Int) -> Int { rate / 100 }

    init(anchor: Int, timestamp: Int64?, size: Int, rate: Int) {
        (self.anchor, self.timestamp, self.size, self.rate) = (anchor, timestamp, size, rate)
    }

    /// Where the first block after a seek begins.
    /// - Parameter stamped: its timestamp as an index.
    func start(of timestamp: Int64?, at stamped: Int, in demuxer: Demuxer, _ stream: Demuxer.Stream) -> Int {
        guard size > 0 else { return stamped }
        if demuxer.formatName.contains("mp4"), let timestamp {
            return counted(to: timestamp, in: demuxer, stream) ?? stamped
        }
        // A container that rounds: Matroska and FLV count milliseconds.
        let tick = stream.clock(1).rounded(rate: Rational(Int64(rate)))
        guard tick > 1 else { return stamped }
        let steps = (Double(stamped - anchor) / Double(size)).rounded()
        let snapped = anchor + Int(steps) * size
        return abs(snapped - stamped) <= tick + 1 ? snapped : stamped
    }

    /// Follows all blocks of MP4's index, as reading from the start does. Files that were copied
    /// from Matroska have its rounded milliseconds in them.
    private func counted(to end: Int64, in demuxer: Demuxer, _ stream: Demuxer.Stream) -> Int? {
        guard let timestamp else { return nil }
        let (raw, clock) = (stream.raw, Rational(Int64(rate)))
        var number = av_index_search_timestamp(raw, timestamp, AVSEEK_FLAG_ANY)
        guard number >= 0, avformat_index_get_entry(raw, number)?.pointee.timestamp == timestamp else { return nil }
        var (before, position) = (timestamp, anchor)
        let ticks = stream.ticks(Time(frame: size, rate: clock))
        while let entry = avformat_index_get_entry(raw, number + 1)?.pointee, entry.timestamp <= end {
            number += 1
            position += size
            // Equal steps need no look at the clock.
            if entry.timestamp - before != ticks {
                let stamped = demuxer.sourceTime(entry.timestamp, of: stream).rounded(rate: clock)
                if abs(stamped - position) > Self.tolerance(rate) { position = stamped }
            }
            before = entry.timestamp
        }
        return before == end ? position : nil
    }
}
