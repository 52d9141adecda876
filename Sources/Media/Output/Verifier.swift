import CFFmpeg
import Draft

/// Looks at a finished file the way a player's demuxer does, without decoding it.
public enum Verifier {
    /// - Parameters:
    ///   - frames: how many frames the file must have, each exactly once on the grid of `frameRate`, the first at zero; nil:
    ///     it must have no picture.
    ///   - samples: how long the sound must be; nil: it must have none.
    ///   - width: the picture's size; not looked at where `frames` is nil.
    /// - Throws: `wrongContent` with the first difference, and what opening throws.
    public static func verify(
        path: String, frames: Int?, frameRate: Rational, samples: Int?, sampleRate: Int, width: Int, height: Int,
        pulse: @escaping Pulse = {}
    ) throws(MediaError) {
        let demuxer = try Demuxer(path: path, pulse: pulse)
        func wrong(_ reason: String) -> MediaError { MediaError(.wrongContent, "verify", path: path, reason: reason) }
        guard (demuxer.video != nil) == (frames != nil) else {
            throw wrong(frames == nil ? "it has a picture that was not asked for" : "it has no picture")
        }
        guard (demuxer.audio != nil) == (samples != nil) else {
            throw wrong(samples == nil ? "it has sound that was not asked for" : "it has no sound")
        }
        var grid = frames.map { Array(repeating: false, count: $0) } ?? []
        var (count, soundEnd) = (0, Int64(0))
        let packet = try Packet()
        while try demuxer.read(into: packet) {
            guard let pts = packet.pts, !packet.isCorrupt else { throw wrong("a packet is damaged") }
            if let video = demuxer.video, packet.streamIndex == video.index {
                let position = Rational(pts * Int64(video.timeBase.num), Int64(video.timeBase.den)) * frameRate
                guard position.denominator == 1 else { throw wrong("frame \(count) lies between two frame times") }
                guard let index = Int(exactly: position.numerator), grid.indices.contains(index), !grid[index] else {
                    throw wrong("it has a frame at \(position) that is not one of \(grid.count), or is there twice")
                }
                grid[index] = true
                count += 1
            } else if packet.streamIndex == demuxer.audio?.index {
                soundEnd = max(soundEnd, pts + packet.duration)
            }
        }
        if let frames, let video = demuxer.video {
            guard count == frames else { throw wrong("it has \(count) frames instead of \(frames)") }
            let parameters = video.parameters.pointee
            guard parameters.width == width, parameters.height == height else {
                throw wrong("its picture is \(parameters.width)×\(parameters.height) instead of \(width)×\(height)")
            }
            guard video.clock(video.raw.pointee.duration) == Time(frame: frames, rate: frameRate) else {
                throw wrong("its picture's duration is not \(frames) frames at \(frameRate) per second")
            }
        }
        if let samples, let audio = demuxer.audio {
            guard audio.parameters.pointee.sample_rate == Int32(clamping: sampleRate) else {
                throw wrong("its sound has \(audio.parameters.pointee.sample_rate) samples per second instead of \(sampleRate)")
            }
            let end = audio.clock(soundEnd).rounded(rate: Rational(Int64(sampleRate)))
            guard end == samples else { throw wrong("its sound has \(end) samples instead of \(samples)") }
        }
    }
}
