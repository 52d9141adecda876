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
    /// The extent of each sound track with sound in it, by its stream's number.
    private(set) var audio: [Int: Extent] = [:]
    /// How long the file says it is, in source time, where its content ends clearly earlier.
    private(set) var promised: Time?

    init(scanning demuxer: Demuxer) throws(MediaError) {
        let first = demuxer.video ?? demuxer.audio
        if let first, let end = Self.promisedEnd(of: first, demuxer),
            demuxer.seek(
                first, to: first.ticks(end - (demuxer.video == nil ? Time(flicks: 2 * Time.flicksPerSecond) : .zero)))
        {
            (video, audio) = try Self.read(demuxer, fromStart: false)
            if video != nil || (demuxer.video == nil && !audio.isEmpty) {
                for track in demuxer.audioTracks where audio[track.index] == nil {
                    audio[track.index] = Self.promised(track, demuxer)
                }
                if demuxer.audio.map({ audio[$0.index] != nil }) ?? true {
                    findShortfall(demuxer)
                    return
                }
            }
        }
        // The whole file, from a fresh start.
        let whole = try demuxer.reopened()
        (video, audio) = try Self.read(whole, fromStart: true)
        findShortfall(whole)
    }

    /// Less than this is rounding, a codec's delay, or a stream that ends a little before another.
    private static let tolerance = Time(flicks: Time.flicksPerSecond / 2)

    /// Compares the ends found with those promised, for containers that write what they know: the lengths of tracks in MP4,
    /// the length of the whole elsewhere.
    private mutating func findShortfall(_ demuxer: Demuxer) {
        let used = [demuxer.video, demuxer.audio].compactMap { $0 }
        let found = used.map { stream in
            (stream.index == demuxer.video?.index ? video?.end : audio[stream.index]?.end) ?? .zero
        }
        let isIndexed = demuxer.formatName.contains("mp4")
        if isIndexed || demuxer.formatName == "avi" {
            let missing = zip(used, found).compactMap { stream, end in
                (isIndexed ? Self.promised(stream, demuxer)?.end : Self.countedEnd(stream)).flatMap {
                    $0 - end > Self.tolerance ? $0 : nil
                }
            }
            promised = missing.max()
        } else if ["matroska", "wav", "flv"].contains(where: demuxer.formatName.hasPrefix),
            demuxer.context.pointee.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE,
            let duration = demuxer.context.pointee.duration.timestamp, duration > 0
        {
            let end = Time(value: duration, timeBase: 1, Int64(AV_TIME_BASE))
            // The longest track decides, and it may be one that is not used.
            let longest = (found + audio.values.map(\.end)).max() ?? .zero
            promised = end - longest > Self.tolerance + Self.tolerance ? end : nil
        }
    }

    /// AVI's header counts frames; the length that libav gives is guessed from the size of the file.
    private static func countedEnd(_ stream: Demuxer.Stream) -> Time? {
        guard stream.parameters.pointee.codec_type == AVMEDIA_TYPE_VIDEO, stream.raw.pointee.nb_frames > 0 else {
            return nil
        }
        return Time(frame: Int(stream.raw.pointee.nb_frames), rate: stream.frameRate)
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
    private static func read(_ demuxer: Demuxer, fromStart: Bool) throws(MediaError) -> (
        video: Extent?, audio: [Int: Extent]
    ) {
        let packet = try Packet()
        let streams = Dictionary(
            ([demuxer.video].compactMap { $0 } + demuxer.audioTracks).map { ($0.index, $0) },
            uniquingKeysWith: { first, _ in first })
        var ends: [Int: Time] = [:]
        var last: [Int: Int64] = [:]
        var discarded: [Int: Int64] = [:]
        while try demuxer.read(into: packet) {
            guard
                let stream = streams[packet.streamIndex], !packet.isCorrupt
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
            let isPadded = stream.index != demuxer.video?.index && demuxer.formatName != "ogg"
            let trimmed = isPadded ? end - packet.trimmedEnd(of: stream) : end
            ends[stream.index] = max(ends[stream.index] ?? trimmed, trimmed)
            last[stream.index] = max(last[stream.index] ?? timestamp, timestamp)
        }
        func extent(_ stream: Demuxer.Stream?) -> Extent? {
            guard let stream, var end = ends[stream.index] else { return nil }
            let start = (stream.start ?? .zero) - demuxer.origin
            // An edit list may end within the last packet, or hold the last frame until one that is not shown any more.
            let next = discarded[stream.index].map { demuxer.sourceTime($0, of: stream) } ?? end
            if demuxer.formatName.contains("mp4"), let promised = promised(stream, demuxer),
                let last = last[stream.index],
                promised.end > demuxer.sourceTime(last, of: stream), promised.end <= max(end, next)
            {
                end = promised.end
            }
            return Extent(start: max(start, .zero), end: max(end, max(start, .zero) + Time(flicks: 1)))
        }
        let tracks = demuxer.audioTracks.compactMap { track in extent(track).map { (track.index, $0) } }
        return (extent(demuxer.video), Dictionary(tracks, uniquingKeysWith: { first, _ in first }))
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
