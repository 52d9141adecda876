import CFFmpeg
import Delivery
import Draft
import Values

/// Joins rendered segments and the sound to the file that was asked for, without encoding anything
/// again.
///
/// Two passes: the first reads every packet and refuses what is not exactly the plan's (frame
/// count, timestamp grid, parameter sets, sample count); the second copies. A segment counts from
/// its own first frame. It is put after those before it, and decoding and presentation times come
/// from that place and the frame's index alone.
public enum Assembler {
    /// One file of ``SegmentEncoder``.
    public struct Segment: Hashable, Sendable {
        public var path: String
        public var frameCount: Int

        public init(path: String, frameCount: Int) {
            self.path = path
            self.frameCount = frameCount
        }
    }

    /// One file of ``SoundEncoder``.
    public struct Sound: Hashable, Sendable {
        public var path: String
        public var sampleCount: Int

        public init(path: String, sampleCount: Int) {
            self.path = path
            self.sampleCount = sampleCount
        }
    }

    /// - Parameters:
    ///   - segments: in order; one file may come more than once; empty for sound only.
    ///   - output: is replaced where it exists. It is complete and on the disk when this returns,
    ///     and removed where it throws.
    ///   - color: what the segments' pictures mean.
    ///   - indexFirst: the index is written before the media (`faststart`).
    ///   - subtitles: tracks after picture and sound, in this order.
    ///   - progress: called for every packet with the share that is done, 0…1; what it throws ends
    ///     the work.
    /// - Throws: `wrongContent` naming the file that is not as planned, `mux`, `diskFull`,
    ///   `cancelled` and others.
    public static func assemble(
        segments: [Segment], sound: Sound?, output: String, container: ExportSettings.Container,
        color: ColorSystem = .sdr,
        indexFirst: Bool, frameRate: Rational, subtitles: [SubtitleTrack] = [],
        progress: @escaping (Double) throws -> Void = { _ in }
    ) throws(MediaError) {
        guard !segments.isEmpty || sound != nil else {
            throw MediaError(.mux, "write", path: output, reason: "there is neither picture nor sound to write")
        }
        guard !container.isSoundOnly || segments.isEmpty else {
            throw MediaError(
                .mux, "write", path: output, reason: "an \(container.rawValue) file holds sound only; use mp4 or mov")
        }
        guard let rate = AVRational(exactly: frameRate) else {
            throw MediaError(.mux, "write", path: output, reason: "\(frameRate) frames per second is not a usable rate")
        }
        var share = 0.0
        let pulse: Pulse = { _ in try progress(share) }
        let plan = try check(segments, frameRate: frameRate) { try progress(0.4 * $0) }
        share = 0.4

        let packets = try sound.map { sound throws(MediaError) in try SoundPackets(sound, pulse: pulse) }
        let setup = MuxerSetup(
            container, indexFirst: indexFirst, clock: movieClock(segments.isEmpty ? nil : rate, packets?.sampleRate))
        let muxer = try Muxer(path: output, format: setup.format)
        let video = try segments.first.map { first throws(MediaError) in
            try videoTrack(
                muxer, like: SegmentReader(first, frameRate: frameRate, pulse: pulse), rate, plan, setup, color)
        }
        let audio = try packets.map { packets throws(MediaError) in
            try SoundTrack(packets, to: muxer, setup)
        }
        let texts = try subtitles.map { track throws(MediaError) in
            try SubtitleStream(track, to: muxer, container)
        }
        try muxer.begin(options: setup.options)

        let packet = try Packet()
        let timeBase = AVRational(num: rate.den, den: rate.num)
        var written = 0
        for segment in segments {
            let place = written
            let reader = try SegmentReader(segment, frameRate: frameRate, analyses: false, pulse: pulse)
            while let frame = try reader.next(packet), let video {
                let decodingIndex = written - plan.delay
                let time = Time(frame: decodingIndex, rate: frameRate)
                for text in texts { try text.write(to: muxer, before: time) }
                try audio?.write(to: muxer, before: time)
                packet.raw.pointee.dts = Int64(decodingIndex)
                packet.raw.pointee.pts = Int64(place + frame)
                packet.raw.pointee.duration = 1
                try muxer.write(packet, to: video, timeBase: timeBase)
                written += 1
                share = 0.4 + 0.5 * Double(written) / Double(max(1, plan.frameCount))
            }
        }
        for text in texts { try text.write(to: muxer, before: nil) }
        try audio?.write(to: muxer, before: nil)
        share = 0.9
        try muxer.finish()
    }

    /// Ticks per second in which both tracks' lengths are whole, so that their edit lists are
    /// exact: the least common multiple of frame rate and sample rate.
    private static func movieClock(_ rate: AVRational?, _ sampleRate: Int?) -> Int32 {
        let (a, b) = (Int64(rate?.num ?? 1), Int64(sampleRate ?? 1))
        return Int32(exactly: a / av_gcd(a, b) * b) ?? Int32(clamping: b)
    }

    private struct Plan {
        /// By how many frames decoding must run ahead of display, so that no frame is shown before
        /// it is decoded.
        var delay = 0
        var frameCount = 0
    }

    private static func check(
        _ segments: [Segment], frameRate: Rational, progress: @escaping (Double) throws -> Void
    ) throws(MediaError) -> Plan {
        var plan = Plan()
        var parameterSets: [UInt8]?
        let packet = try Packet()
        for (index, segment) in segments.enumerated() {
            guard segment.frameCount > 0 else {
                throw MediaError(.wrongContent, "join", path: segment.path, reason: "it is planned without a frame")
            }
            let place = plan.frameCount
            let share = Double(index) / Double(segments.count)
            let reader = try SegmentReader(segment, frameRate: frameRate, analyses: false) { _ in try progress(share) }
            let sets = reader.parameterSets
            if let parameterSets, parameterSets != sets {
                throw MediaError(
                    .wrongContent, "join", path: segment.path,
                    reason: "it was encoded with other parameters than the segment before; render it again")
            }
            parameterSets = sets
            while let frame = try reader.next(packet) {
                plan.delay = max(plan.delay, plan.frameCount - place - frame)
                plan.frameCount += 1
            }
        }
        return plan
    }

    private static func videoTrack(
        _ muxer: Muxer, like reader: SegmentReader, _ rate: AVRational, _ plan: Plan, _ setup: MuxerSetup,
        _ color: ColorSystem
    ) throws(MediaError) -> UnsafeMutablePointer<AVStream> {
        let track = try muxer.addStream()
        try Media.check(
            avcodec_parameters_copy(track.pointee.codecpar, reader.stream.parameters), "write", path: muxer.path, .mux)
        let parameters = track.pointee.codecpar!
        parameters.pointee.codec_tag = setup.tag(parameters.pointee)
        parameters.pointee.video_delay = Int32(plan.delay)
        ColorTags.canvas(color).apply(to: parameters)
        // The muxer multiplies this to its track's clock, so frames stay whole numbers of ticks.
        track.pointee.time_base = AVRational(num: rate.den, den: rate.num)
        track.pointee.avg_frame_rate = rate
        track.pointee.r_frame_rate = rate
        return track
    }
}
