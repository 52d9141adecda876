import CFFmpeg
import Values

/// The packets of one rendered segment in decoding order, each with the number of the frame it
/// shows in the segment. Everything that the assembler relies on is checked on the way.
final class SegmentReader {
    let segment: Assembler.Segment
    private let demuxer: Demuxer
    let stream: Demuxer.Stream
    private let frameTicks: Int64
    private var shift: Int64?
    private var seen: [Bool]
    private var count = 0

    /// - Parameter analyses: also learns what only its frames tell: needed for its stream's
    ///   parameters, not for packets.
    init(
        _ segment: Assembler.Segment, frameRate: Rational, analyses: Bool = true, pulse: @escaping Pulse
    ) throws(MediaError) {
        self.segment = segment
        demuxer = try Demuxer(path: segment.path, analyses: analyses, pulse: pulse)
        guard let stream = demuxer.video else {
            throw MediaError(.wrongContent, "join", path: segment.path, reason: "the segment has no picture")
        }
        self.stream = stream
        seen = Array(repeating: false, count: segment.frameCount)
        let ticks = frameRate.reciprocal * Rational(Int64(stream.timeBase.den), Int64(max(1, stream.timeBase.num)))
        guard ticks.denominator == 1, ticks.numerator > 0 else {
            throw MediaError(
                .wrongContent, "join", path: segment.path,
                reason: "its clock of \(stream.timeBase.den) Hz cannot count frames at \(frameRate) per second")
        }
        frameTicks = ticks.numerator
    }

    /// SPS and PPS as the container holds them.
    var parameterSets: [UInt8] {
        let parameters = stream.parameters.pointee
        return Array(UnsafeBufferPointer(start: parameters.extradata, count: Int(parameters.extradata_size)))
    }

    /// Fills `packet`; returns its frame's number in the segment, nil after the last.
    func next(_ packet: Packet) throws(MediaError) -> Int? {
        repeat {
            guard try demuxer.read(into: packet) else { return try finished() }
        } while packet.streamIndex != stream.index
        guard let pts = packet.pts, let dts = packet.dts, !packet.isCorrupt else {
            throw wrong("a packet after its frame \(count) is damaged")
        }
        if shift == nil {
            guard packet.isKey else { throw wrong("it does not begin with a key frame") }
            guard dts == 0 else { throw wrong("it does not begin with its frame 0") }
            // Where offsets are negative the demuxer adds a constant to all presentation times; the
            // first frame in decoding order is also the first one shown.
            shift = pts - dts
        }
        let (frame, rest) = (pts - (shift ?? 0)).quotientAndRemainder(dividingBy: frameTicks)
        guard rest == 0, seen.indices.contains(Int(frame)), !seen[Int(frame)] else {
            throw wrong("its timestamps are not one for each of its \(segment.frameCount) frames")
        }
        seen[Int(frame)] = true
        count += 1
        return Int(frame)
    }

    private func finished() throws(MediaError) -> Int? {
        guard count == segment.frameCount else {
            throw wrong("it has \(count) frames instead of \(segment.frameCount)")
        }
        return nil
    }

    private func wrong(_ reason: String) -> MediaError {
        MediaError(.wrongContent, "join", path: segment.path, reason: "\(reason); render it again")
    }
}
