import CFFmpeg
import Draft

/// The decoded blocks of one sound stream, each with the index of its first sample in source time.
///
/// Indices run on from block to block: a container's timestamps are often rounded (to milliseconds in WebM), and
/// following them sample by sample would click. A timestamp further than 10 ms from the running index is a real gap or
/// overlap and sets it anew. After a seek the index comes from the timestamp, put back on the grid of equal blocks where
/// the container rounds.
final class SoundReader {
    struct Block {
        /// The reader's own frame: valid until the next call of ``SoundReader/next()``.
        var frame: Frame
        /// Index of the first sample at the block's own rate; may be negative.
        var start: Int
        var count: Int
        var sampleRate: Int
    }

    let path: String
    private let pulse: Pulse
    private let info: AudioStreamInfo
    private var demuxer: Demuxer
    private var stream: Demuxer.Stream
    private var decoder: Decoder
    private let packet: Packet
    private let frame: Frame
    private var isDraining = false
    private var expected: Int?
    private var rate = 0
    /// The form of the block before.
    private var form: Resampler.Input?
    /// The end of the stream's first block, and the length of its blocks: the grid that rounded timestamps are put on.
    private var grid: (anchor: Int, size: Int)?
    private var firstEnd: Int?
    /// The blocks come from the first packet of the file on, not from a seek.
    private(set) var isFromStart = true

    /// - Parameter info: names the track.
    init(path: String, info: AudioStreamInfo, pulse: @escaping Pulse) throws(MediaError) {
        self.path = path
        self.pulse = pulse
        self.info = info
        (packet, frame) = (try Packet(), try Frame())
        (demuxer, stream, decoder) = try Self.open(path, info, pulse)
    }

    private static func open(
        _ path: String, _ info: AudioStreamInfo, _ pulse: @escaping Pulse
    ) throws(MediaError) -> (Demuxer, Demuxer.Stream, Decoder) {
        let demuxer = try Demuxer(path: path, pulse: pulse)
        guard let stream = demuxer.sound(info) else {
            throw MediaError(.noAudio, "read the sound of", path: path, reason: "it has no sound")
        }
        demuxer.keepOnly(stream)
        return (demuxer, stream, try Decoder(stream, path: path))
    }

    /// How much is decoded before a sample for it to be what it is when reading from the start. Overlapping windows (AAC)
    /// and the bit reservoir (MP3) reach back less than 250 ms; Opus, whose energies are predicted from frame to frame,
    /// was still off by 0.005 then and exact after a second.
    static let preroll = Time(flicks: Time.flicksPerSecond)

    /// The next block, nil at the end. Damaged packets leave a gap.
    func next() throws(MediaError) -> Block? {
        while true {
            switch try decoder.receive(into: frame) {
            case .ended: return nil
            case .wantsPacket: try feed()
            case .frame:
                let raw = frame.raw.pointee
                guard raw.nb_samples > 0, raw.sample_rate > 0, raw.ch_layout.nb_channels > 0 else { continue }
                guard isMeant(frame) else {
                    // What damage has made of its channels holds for all that follows (AAC).
                    if !isDraining { decoder = try Decoder(stream, path: path) }
                    continue
                }
                return block(Int(raw.nb_samples), Int(raw.sample_rate))
            }
        }
    }

    /// Damaged packets may be decoded to channels that nothing can be made of: what is another form than the stream's, and cannot be converted, is
    /// a gap, too.
    private func isMeant(_ frame: Frame) -> Bool {
        let new = Resampler.Input(frame)
        guard new == form || new.channels == info.channels && new.sampleRate == info.sampleRate || new.isConvertible
        else { return false }
        form = new
        return true
    }

    private func feed() throws(MediaError) {
        while !isDraining {
            guard try demuxer.read(into: packet) else { break }
            guard packet.streamIndex == stream.index else { continue }
            decoder.send(packet)
            return
        }
        isDraining = true
        decoder.send(nil)
    }

    private func block(_ count: Int, _ sampleRate: Int) -> Block {
        if sampleRate != rate { (rate, expected, grid, firstEnd) = (sampleRate, nil, nil, nil) }
        let timestamp = (frame.raw.pointee.pts.timestamp ?? frame.raw.pointee.best_effort_timestamp.timestamp)
        let stamped = timestamp.map { demuxer.sourceTime($0, of: stream).rounded(rate: Rational(Int64(rate))) }
        let start: Int
        if let stamped {
            if let expected, abs(stamped - expected) <= rate / 100 {
                start = expected
            } else {
                start = expected == nil && !isFromStart ? onGrid(stamped) : stamped
            }
        } else {
            start = expected ?? 0
        }
        expected = start + count
        if isFromStart && grid == nil {
            // The first block may be cut short by the codec's delay; the second one tells the length.
            if let firstEnd { grid = (firstEnd, count) } else { firstEnd = start + count }
        }
        return Block(frame: frame, start: start, count: count, sampleRate: rate)
    }

    private func onGrid(_ stamped: Int) -> Int {
        let tick = stream.clock(1).rounded(rate: Rational(Int64(rate)))
        guard tick > 1, let grid, grid.size > 0 else { return stamped }
        let steps = (Double(stamped - grid.anchor) / Double(grid.size)).rounded()
        let snapped = grid.anchor + Int(steps) * grid.size
        return abs(snapped - stamped) <= tick + 1 ? snapped : stamped
    }

    /// Goes to a packet at or before `time`; false where the file cannot be searched.
    func seek(to time: Time) throws(MediaError) -> Bool {
        // The grid is learnt from the first two blocks.
        if isFromStart && grid == nil { while grid == nil, try next() != nil {} }
        guard demuxer.context.pointee.iformat.pointee.flags & AVFMT_NOTIMESTAMPS == 0,
            demuxer.seek(stream, to: stream.ticks(time + demuxer.origin))
        else { return false }
        decoder.flush()
        (isFromStart, isDraining, expected) = (false, false, nil)
        return true
    }

    /// Opens the file again, at its first packet.
    func restart() throws(MediaError) {
        (demuxer, stream, decoder) = try Self.open(path, info, pulse)
        (isFromStart, isDraining, expected, grid, firstEnd) = (true, false, nil, nil, nil)
    }
}
