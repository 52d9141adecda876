import CFFmpeg
import Draft

/// The packets of a rendered sound file in order, with their places in samples; the first ones are
/// the encoder's delay and lie before zero.
final class SoundPackets {
    private let demuxer: Demuxer
    let stream: Demuxer.Stream
    let sampleRate: Int
    private let sampleCount: Int
    private var expected: Int?

    init(_ sound: Assembler.Sound, pulse: @escaping Pulse) throws(MediaError) {
        demuxer = try Demuxer(path: sound.path, pulse: pulse)
        guard let stream = demuxer.audio else {
            throw MediaError(.wrongContent, "join", path: sound.path, reason: "the sound file has no sound")
        }
        self.stream = stream
        sampleRate = Int(stream.parameters.pointee.sample_rate)
        sampleCount = sound.sampleCount
        guard stream.timeBase.num == 1, Int(stream.timeBase.den) == sampleRate else {
            throw MediaError(.wrongContent, "join", path: sound.path, reason: "its clock does not count samples")
        }
    }

    /// Fills `packet`; returns its first sample and its length in samples, nil after the last.
    func next(_ packet: Packet) throws(MediaError) -> (start: Int, count: Int)? {
        repeat {
            guard try demuxer.read(into: packet) else { return try finished() }
        } while packet.streamIndex != stream.index
        guard let pts = packet.pts, !packet.isCorrupt, packet.duration > 0 else { throw wrong("a packet is damaged") }
        if let expected, Int(pts) != expected {
            throw wrong("its packets do not follow each other at sample \(expected)")
        }
        if expected == nil, pts > 0 { throw wrong("it begins at sample \(pts)") }
        expected = Int(pts) + Int(packet.duration)
        return (Int(pts), Int(packet.duration))
    }

    private func finished() throws(MediaError) -> (start: Int, count: Int)? {
        guard expected == sampleCount else { throw wrong("it has \(expected ?? 0) samples instead of \(sampleCount)") }
        return nil
    }

    private func wrong(_ reason: String) -> MediaError {
        MediaError(.wrongContent, "join", path: demuxer.path, reason: "\(reason); render it again")
    }
}
