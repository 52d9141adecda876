import CFFmpeg
import Draft

/// When the streams of a file begin and end, in source time, told by their packets.
///
/// Headers promise durations; a cut-off file does not keep them, and live recordings have none. So the last packets are
/// looked at, after a seek to the promised end; where there is no promise, or nothing is found there, all packets are.
struct Extents {
    struct Extent {
        /// Presentation time of the first frame or sample.
        var start: Time
        /// The end of the last one.
        var end: Time
    }

    private(set) var video: Extent?
    private(set) var audio: Extent?

    init(scanning demuxer: Demuxer) throws(MediaError) {
        let first = demuxer.video ?? demuxer.audio
        if let first, let end = Self.promisedEnd(of: first, demuxer),
            demuxer.seek(first, to: first.ticks(end - (demuxer.video == nil ? Time(flicks: 2 * Time.flicksPerSecond) : .zero)))
        {
            let tail = try Self.read(demuxer, fromStart: false)
            if tail.video != nil || (demuxer.video == nil && tail.audio != nil) {
                video = tail.video
                audio = tail.audio ?? demuxer.audio.flatMap { Self.promised($0, demuxer) }
                if demuxer.audio == nil || audio != nil { return }
            }
        }
        // The whole file, from a fresh start.
        let whole = try Demuxer(path: demuxer.path, pulse: demuxer.interrupter.relay)
        (video, audio) = try Self.read(whole, fromStart: true)
    }

    /// libav's clock at the end that the header promises; nil where it says nothing, or the value was only guessed from
    /// the bit rate.
    private static func promisedEnd(of stream: Demuxer.Stream, _ demuxer: Demuxer) -> Time? {
        let context = demuxer.context.pointee
        guard context.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE else { return nil }
        if let duration = stream.raw.pointee.duration.timestamp, duration > 0 {
            return (stream.start ?? .zero) + stream.clock(duration)
        }
        guard let duration = context.duration.timestamp, duration > 0 else { return nil }
        return Time(value: (context.start_time.timestamp ?? 0) + duration, timeBase: 1, Int64(AV_TIME_BASE))
    }

    private static func promised(_ stream: Demuxer.Stream, _ demuxer: Demuxer) -> Extent? {
        guard let duration = stream.raw.pointee.duration.timestamp, duration > 0 else { return nil }
        let start = (stream.start ?? .zero) - demuxer.origin
        return Extent(start: start, end: start + stream.clock(duration))
    }

    /// Reads to the end of the file. Packets without timestamps (raw streams) follow each other at the frame rate, which
    /// can only be counted from the start.
    private static func read(_ demuxer: Demuxer, fromStart: Bool) throws(MediaError) -> (video: Extent?, audio: Extent?) {
        let packet = try Packet()
        var ends: [Int: Time] = [:]
        var last: [Int: Int64] = [:]
        var discarded: [Int: Int64] = [:]
        while try demuxer.read(into: packet) {
            guard
                let stream = [demuxer.video, demuxer.audio].compactMap({ $0 }).first(where: { $0.index == packet.streamIndex }),
                !packet.isCorrupt
            else { continue }
            guard let timestamp = packet.pts ?? packet.dts else {
                if fromStart { ends[stream.index, default: .zero] += Time(frame: 1, rate: stream.frameRate) }
                continue
            }
            if packet.isDiscarded {
                discarded[stream.index] = max(discarded[stream.index] ?? timestamp, timestamp)
                continue
            }
            let end =
                packet.duration > 0
                ? demuxer.sourceTime(timestamp + packet.duration, of: stream)
                : demuxer.sourceTime(timestamp, of: stream) + Time(frame: 1, rate: stream.frameRate)
            // libavformat's Ogg demuxer has shortened the duration already.
            let isPadded = stream.index == demuxer.audio?.index && demuxer.formatName != "ogg"
            let trimmed = isPadded ? end - packet.trimmedEnd(of: stream) : end
            ends[stream.index] = max(ends[stream.index] ?? trimmed, trimmed)
            last[stream.index] = max(last[stream.index] ?? timestamp, timestamp)
        }
        func extent(_ stream: Demuxer.Stream?) -> Extent? {
            guard let stream, var end = ends[stream.index] else { return nil }
            let start = (stream.start ?? .zero) - demuxer.origin
            // An edit list may end within the last packet, or hold the last frame until one that is not shown any more.
            let next = discarded[stream.index].map { demuxer.sourceTime($0, of: stream) } ?? end
            if demuxer.formatName.contains("mp4"), let promised = promised(stream, demuxer), let last = last[stream.index],
                promised.end > demuxer.sourceTime(last, of: stream), promised.end <= max(end, next)
            {
                end = promised.end
            }
            return Extent(start: max(start, .zero), end: max(end, max(start, .zero) + Time(flicks: 1)))
        }
        return (extent(demuxer.video), extent(demuxer.audio))
    }
}

extension Packet {
    /// How much of the packet's end is not to be played: Opus and Vorbis pad their last packet.
    fileprivate func trimmedEnd(of stream: Demuxer.Stream) -> Time {
        var size = 0
        let rate = stream.parameters.pointee.sample_rate
        guard rate > 0, let bytes = av_packet_get_side_data(raw, AV_PKT_DATA_SKIP_SAMPLES, &size), size >= 8 else {
            return .zero
        }
        let samples = UInt32(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        return Time(frame: Int(samples), rate: Rational(Int64(rate)))
    }
}
