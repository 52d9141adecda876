import CFFmpeg
import Values

/// The intervals between the frames of a stream, and the rate that most of them have.
///
/// An average rate counts gaps: a file of 30 frames per second that lacks one in a thousand has
/// 29.97. The commonest interval is what the camera was set to.
struct FrameIntervals {
    private let tick: AVRational
    private var counts: [Int64: Int] = [:]
    private var previous: Int64?

    /// More different intervals than this are those of a variable rate.
    private static let limit = 10_000

    init(tick: AVRational) { self.tick = tick }

    /// The intervals in the index of an MP4 or QuickTime file; nil where it has none, or fragments
    /// of it.
    init?(indexOf stream: Demuxer.Stream, in demuxer: Demuxer) {
        guard demuxer.formatName.contains("mp4") else { return nil }
        self.init(tick: stream.timeBase)
        let count = avformat_index_get_entries_count(stream.raw)
        guard count > 1, Int64(count) == stream.raw.pointee.nb_frames else { return nil }
        for index in 0..<count {
            if let entry = avformat_index_get_entry(stream.raw, index) { add(entry.pointee.timestamp) }
        }
    }

    /// Takes over the decoding time of the next frame, in ticks.
    mutating func add(_ time: Int64) {
        defer { previous = time }
        guard let previous, counts.count < Self.limit else { return }
        let (interval, isOver) = time.subtractingReportingOverflow(previous)
        if !isOver, interval > 0, interval < 1 << 40 { counts[interval, default: 0] += 1 }
    }

    /// Frames per second; nil where no interval is that of half the frames.
    ///
    /// Intervals that differ by one tick are one that is no whole number of ticks. Their mean is
    /// taken for a usual rate where it is nearer to that than half the distance of 30 and
    /// 30000/1001.
    var rate: Rational? {
        let total = counts.values.reduce(0, +)
        guard total > 1, tick.num > 0, tick.den > 0,
            let commonest = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key
        else { return nil }
        let near = (commonest - 1...commonest + 1).map { ($0, counts[$0] ?? 0) }
        let frames = near.reduce(0) { $0 + $1.1 }
        guard 2 * frames > total, frames < 1 << 31 else { return nil }
        let ticks = near.reduce(Int64(0)) { $0 + $1.0 * Int64($1.1) }
        let mean = Double(frames) * Double(tick.den) / (Double(ticks) * Double(tick.num))
        let usual = Self.usual.min { abs($0.doubleValue - mean) < abs($1.doubleValue - mean) }
        if let usual, abs(usual.doubleValue / mean - 1) < 0.0004 { return usual }
        // One interval in ticks, which is what the file says, or their mean.
        let exact =
            frames == counts[commonest]
            ? Rational(Int64(tick.den), commonest * Int64(tick.num))
            : Rational(Int64((mean * 1000).rounded()), 1000)
        return (Rational(1, 1000)...Rational(1000)).contains(exact) ? exact : nil
    }

    private static let usual: [Rational] =
        (1...240).map { Rational(Int64($0)) }
        + [24, 30, 48, 60, 72, 90, 96, 120, 144, 240].map { Rational($0 * 1000, 1001) }
        + [Rational(15000, 1001), Rational(12000, 1001), Rational(25, 2)]
}
