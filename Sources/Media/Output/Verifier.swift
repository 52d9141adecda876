import CFFmpeg
import Delivery
import Values

/// Looks at a finished file the way a player's demuxer does, without decoding it.
public enum Verifier {
    /// - Parameters:
    ///   - frames: how many frames the file must have, each exactly once on the grid of
    ///     `frameRate`, the first at zero; nil: it must have no picture.
    ///   - samples: how long the sound must be; nil: it must have none.
    ///   - color: what the picture's tags must say; a GIF and a picture sequence have none of their
    ///     own.
    ///   - width: the picture's size; not looked at where `frames` is nil.
    ///   - subtitleTracks: how many it must have.
    ///   - container: of a picture sequence `path` is the folder.
    ///   - progress: called for every packet with the share that is done, 0…1; what it throws ends
    ///     the work.
    /// - Throws: `wrongContent` with the first difference, and what opening throws.
    public static func verify(
        path: String, container: ExportSettings.Container = .mp4, color: ColorSystem = .sdr,
        frames: Int?, frameRate: Rational, samples: Int?, sampleRate: Int, width: Int, height: Int,
        subtitleTracks: Int = 0,
        progress: @escaping (Double) throws -> Void = { _ in }
    ) throws(MediaError) {
        var share = 0.0
        let pulse: Pulse = { _ in try progress(share) }
        if container.isPictureSequence {
            return try verifyPictures(path, container, count: frames ?? 0, width: width, height: height, progress)
        }
        let demuxer = try Demuxer(path: path, pulse: pulse)
        func wrong(_ reason: String) -> MediaError { MediaError(.wrongContent, "verify", path: path, reason: reason) }
        guard (demuxer.video != nil) == (frames != nil) else {
            throw wrong(frames == nil ? "it has a picture that was not asked for" : "it has no picture")
        }
        guard (demuxer.audio != nil) == (samples != nil) else {
            throw wrong(samples == nil ? "it has sound that was not asked for" : "it has no sound")
        }
        guard demuxer.subtitleTrackCount == subtitleTracks else {
            throw wrong("it has \(demuxer.subtitleTrackCount) tracks of subtitles instead of \(subtitleTracks)")
        }
        var grid = frames.map { Array(repeating: false, count: $0) } ?? []
        var (count, soundEnd) = (0, Int64(0))
        // Where no edit list tells how long the sound is, its decoder does.
        let heard = try demuxer.audio.flatMap { audio throws(MediaError) in
            container.hasEditList ? nil : try SoundCounter(audio, path: path)
        }
        let packet = try Packet()
        while try demuxer.read(into: packet) {
            guard let pts = packet.pts, !packet.isCorrupt else { throw wrong("a packet is damaged") }
            if let video = demuxer.video, packet.streamIndex == video.index {
                let index = video.clock(pts).rounded(rate: frameRate)
                guard video.shows(pts, frame: index, rate: frameRate) else {
                    throw wrong("frame \(count) lies between two frame times")
                }
                guard grid.indices.contains(index), !grid[index] else {
                    throw wrong("it has a frame at \(index) that is not one of \(grid.count), or is there twice")
                }
                grid[index] = true
                count += 1
                share = Double(count) / Double(grid.count)
            } else if packet.streamIndex == demuxer.audio?.index {
                soundEnd = max(soundEnd, pts + packet.duration)
                try heard?.count(packet)
                if frames == nil, let samples, let audio = demuxer.audio {
                    share = min(
                        1,
                        Double(audio.clock(soundEnd).rounded(rate: Rational(Int64(sampleRate))))
                            / Double(max(1, samples)))
                }
            }
        }
        if let frames, let video = demuxer.video {
            guard count == frames else { throw wrong("it has \(count) frames instead of \(frames)") }
            let parameters = video.parameters.pointee
            guard parameters.width == width, parameters.height == height else {
                throw wrong("its picture is \(parameters.width)×\(parameters.height) instead of \(width)×\(height)")
            }
            guard container == .gif || ColorTags.canvas(color).agree(with: parameters) else {
                throw wrong("it does not say that its colours are \(color.isHDR ? color.name : "BT.709")")
            }
            guard video.lasts(frames, rate: frameRate, in: demuxer) else {
                throw wrong(
                    "its length of \(video.promise(in: demuxer)) is not that of \(frames) frames at \(frameRate) per second"
                )
            }
        }
        if let start = heard?.start, let audio = demuxer.audio, frames != nil {
            guard max(start, -start) <= audio.clock(1) else {
                throw wrong("its sound begins at \(start.forPeople) s instead of 0")
            }
        }
        if let samples, let audio = demuxer.audio {
            guard audio.parameters.pointee.sample_rate == Int32(clamping: sampleRate) else {
                throw wrong(
                    "its sound has \(audio.parameters.pointee.sample_rate) samples per second instead of \(sampleRate)")
            }
            let end = try heard?.finish() ?? audio.clock(soundEnd).rounded(rate: Rational(Int64(sampleRate)))
            guard end == samples else { throw wrong("its sound has \(end) samples instead of \(samples)") }
        }
    }

    /// Each picture must be there, of the right size.
    private static func verifyPictures(
        _ folder: String, _ container: ExportSettings.Container, count: Int, width: Int, height: Int,
        _ progress: @escaping (Double) throws -> Void
    ) throws(MediaError) {
        for number in 1...max(1, count) {
            let path = "\(folder)/\(number).\(container.rawValue)"
            let demuxer = try Demuxer(path: path) { _ in try progress(Double(number) / Double(max(1, count))) }
            let picture = withExtendedLifetime(demuxer) { demuxer.video?.parameters.pointee }
            guard picture?.width == Int32(clamping: width), picture?.height == Int32(clamping: height) else {
                throw MediaError(
                    .wrongContent, "verify", path: path, reason: "it is not a picture of \(width)×\(height)")
            }
        }
    }
}

extension Demuxer.Stream {
    /// True where the stream's clock cannot come nearer to the frame's time than `timestamp`:
    /// exactly there, where the clock can count frames.
    fileprivate func shows(_ timestamp: Int64, frame: Int, rate: Rational) -> Bool {
        let time = Time(frame: frame, rate: rate)
        let ticks = rate.reciprocal * Rational(Int64(timeBase.den), Int64(max(1, timeBase.num)))
        if ticks.denominator == 1 { return clock(timestamp) == time }
        let distance = clock(timestamp) - time
        return max(distance, -distance) + max(distance, -distance) <= clock(1) + Time(flicks: 1)
    }

    /// What the file says of its length, for people.
    fileprivate func promise(in demuxer: Demuxer) -> String {
        if let own = ownDuration(in: demuxer) { return "\(clock(own).forPeople) s" }
        return demuxer.context.pointee.duration.timestamp.map {
            "\(Time(value: $0, timeBase: 1, Int64(AV_TIME_BASE)).forPeople) s"
        }
            ?? "no known end"
    }

    /// Matroska's tracks have none; for a file of a few frames libavformat makes one up from the
    /// file's.
    private func ownDuration(in demuxer: Demuxer) -> Int64? {
        demuxer.formatName.hasPrefix("matroska") ? nil : raw.pointee.duration.timestamp
    }

    /// True where the file says that the picture is as long as its frames. Matroska has one length
    /// for all its tracks, which are equally long, but may count the sound's delay in; a tick is
    /// lost at each end.
    fileprivate func lasts(_ frames: Int, rate: Rational, in demuxer: Demuxer) -> Bool {
        if let own = ownDuration(in: demuxer) { return shows(own, frame: frames, rate: rate) }
        guard let all = demuxer.context.pointee.duration.timestamp else { return false }
        var delay = Time.zero
        if let sound = demuxer.audio?.parameters.pointee, sound.initial_padding > 0 {
            delay = Time(frame: Int(sound.initial_padding), rate: Rational(Int64(max(1, sound.sample_rate))))
        }
        let error = Time(value: all, timeBase: 1, Int64(AV_TIME_BASE)) - Time(frame: frames, rate: rate)
        return error >= -clock(2) && error <= delay + clock(2)
    }
}

/// Counts the samples that a player hears: a codec's delay and padding are not among them.
private final class SoundCounter {
    private let stream: Demuxer.Stream
    private let decoder: Decoder
    private let frame: Frame
    private var samples = 0
    /// When the first sample is heard, on libav's clock.
    private(set) var start: Time?

    init(_ stream: Demuxer.Stream, path: String) throws(MediaError) {
        self.stream = stream
        decoder = try Decoder(stream, path: path)
        frame = try Frame()
    }

    func count(_ packet: Packet?) throws(MediaError) {
        decoder.send(packet)
        while try decoder.receive(into: frame) == .frame {
            if start == nil { start = frame.raw.pointee.pts.timestamp.map { stream.clock($0) } }
            samples += Int(frame.raw.pointee.nb_samples)
        }
    }

    func finish() throws(MediaError) -> Int {
        try count(nil)
        return samples
    }
}
