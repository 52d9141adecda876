import CFFmpeg
import Draft
import Values

/// When the streams of a file begin and end, in source time, told by their packets.
///
/// Headers promise durations; a cut-off file does not keep them, and live recordings have none. So
/// the last packets are looked at, after a seek to the promised end; where there is no promise, or
/// nothing is found there, all packets are.
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
    /// Where the file's clock jumps; nil where it runs through.
    private(set) var clock: ClockJumps?
    /// The commonest interval of the picture's frames as a rate; nil where it is not known.
    private(set) var frameRate: Rational?
    /// Where packets of a transport or program stream are missing or damaged.
    private(set) var breaks: DataBreaks?

    /// - Parameter isDamaged: the file's structure is damaged or cut off, so that its promises are
    ///   taken at their word.
    init(scanning demuxer: Demuxer, isDamaged: Bool = false) throws(MediaError) {
        // Whether a clock jumps is known when all packets have been seen.
        if demuxer.mayRestart {
            demuxer.interrupter.budget?.allowReading(demuxer.file.size)
            self = try Self(wholeOf: demuxer, isDamaged)
            return
        }
        // After a seek libavformat's Ogg demuxer computes the times of a second stream from pages
        // that it has not seen.
        if demuxer.formatName == "ogg", demuxer.video != nil {
            self = try Self(wholeOf: demuxer, isDamaged)
            return
        }
        let first = demuxer.video ?? demuxer.audio
        if let first, let end = Self.promisedEnd(of: first, demuxer),
            demuxer.seek(
                first, to: first.ticks(end - (demuxer.video == nil ? Time(flicks: 2 * Time.flicksPerSecond) : .zero)))
        {
            frameRate = demuxer.video.flatMap { FrameIntervals(indexOf: $0, in: demuxer)?.rate }
            (video, audio) = try PacketScan.read(demuxer, fromStart: false).extents()
            if isDamaged, demuxer.formatName == "ogg" { takePromises(demuxer) }
            if video != nil || (demuxer.video == nil && !audio.isEmpty) {
                for track in demuxer.audioTracks where audio[track.index] == nil {
                    audio[track.index] = Self.promised(track, demuxer)
                }
                if demuxer.audio.map({ audio[$0.index] != nil }) ?? true {
                    findShortfall(demuxer, isDamaged)
                    return
                }
            }
        }
        self = try Self(wholeOf: demuxer, isDamaged)
    }

    /// Reads the whole file, from a fresh start.
    private init(wholeOf demuxer: Demuxer, _ isDamaged: Bool) throws(MediaError) {
        let whole = try demuxer.reopened()
        let chain = try PacketChain(whole.file, format: whole.formatName)
        if let chain { try whole.file.watch(chain.take) }
        let scan = try PacketScan.read(whole, fromStart: true)
        (video, audio) = scan.extents()
        clock = scan.clock?.result
        frameRate = scan.intervals.rate
        breaks = chain?.breaks
        if isDamaged, whole.formatName == "ogg" { takePromises(whole) }
        if !whole.mayRestart { findShortfall(whole, isDamaged) }
    }

    /// Extends sound to the granule position of its last page: packets behind a missing page of Ogg
    /// have earlier times.
    private mutating func takePromises(_ demuxer: Demuxer) {
        for track in demuxer.audioTracks {
            guard let found = audio[track.index], let promised = Self.promised(track, demuxer) else { continue }
            audio[track.index]?.end = max(found.end, promised.end)
        }
    }

    /// The end of all streams.
    var end: Time { max(video?.end ?? .zero, audio.values.map(\.end).max() ?? .zero) }

    /// These extents, and those of a part of the file that follows at `time`.
    func joined(_ next: Extents, at time: Time) -> Extents {
        func joined(_ first: Extent?, _ second: Extent?) -> Extent? {
            guard let second else { return first }
            return Extent(start: first?.start ?? second.start + time, end: second.end + time)
        }
        var all = self
        all.video = joined(video, next.video)
        for track in next.audio.keys { all.audio[track] = joined(audio[track], next.audio[track]) }
        all.promised = nil
        return all
    }

    /// Less than this is rounding, a codec's delay, or a stream that ends a little before another.
    private static let tolerance = Time(flicks: Time.flicksPerSecond / 2)

    /// Less than this is not reported of a file that is known to be damaged: a few frames.
    private static let leastShortfall = Time(flicks: Time.flicksPerSecond / 10)

    /// Compares the ends found with those promised, for containers that write what they know: the
    /// lengths of tracks in MP4, the length of the whole elsewhere.
    private mutating func findShortfall(_ demuxer: Demuxer, _ isDamaged: Bool) {
        let used = [demuxer.video, demuxer.audio].compactMap { $0 }
        let found = used.map { stream in
            (stream.index == demuxer.video?.index ? video?.end : audio[stream.index]?.end) ?? .zero
        }
        let isIndexed = demuxer.formatName.contains("mp4")
        if isIndexed || demuxer.formatName == "avi" {
            let missing = zip(used, found).compactMap { stream, end in
                (isIndexed ? Self.indexedEnd(stream, demuxer) : Self.countedEnd(stream)).flatMap {
                    $0 - end > Self.tolerance ? $0 : nil
                }
            }
            promised = missing.max()
        } else if ["matroska", "wav", "flv"].contains(where: demuxer.formatName.hasPrefix),
            demuxer.context.pointee.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE,
            let duration = demuxer.context.pointee.duration.timestamp, duration > 0
        {
            let end = Time(value: duration, timeBase: 1, Int64(AV_TIME_BASE))
            // The longest track decides, and it may be one that is not used. These headers count
            // from zero of the file's clock, which may be before the first packet; some programs
            // count from there.
            let longest = ((found + audio.values.map(\.end)).max() ?? .zero) + max(.zero, demuxer.origin)
            let isSuspect = isDamaged || demuxer.isSpoiled && demuxer.formatName.hasPrefix("matroska")
            promised = end - longest > (isSuspect ? Self.leastShortfall : Self.tolerance + Self.tolerance) ? end : nil
        }
    }

    /// The end that an MP4 or QuickTime file promises. The length in the header of a fragmented
    /// file is that of the whole presentation, from zero of its clock on, whichever of its
    /// fragments the file begins with.
    private static func indexedEnd(_ stream: Demuxer.Stream, _ demuxer: Demuxer) -> Time? {
        let isFragmented = stream.raw.pointee.nb_frames == 0
        return promised(stream, demuxer).map { isFragmented ? $0.end - max(.zero, stream.start ?? .zero) : $0.end }
    }

    /// AVI's header counts frames; the length that libav gives is guessed from the size of the
    /// file.
    private static func countedEnd(_ stream: Demuxer.Stream) -> Time? {
        guard stream.parameters.pointee.codec_type == AVMEDIA_TYPE_VIDEO, stream.raw.pointee.nb_frames > 0 else {
            return nil
        }
        return Time(frame: Int(stream.raw.pointee.nb_frames), rate: stream.frameRate)
    }

    /// libav's clock at the end that the header promises; nil where it says nothing, or the value
    /// was only guessed from the bit rate.
    private static func promisedEnd(of stream: Demuxer.Stream, _ demuxer: Demuxer) -> Time? {
        let context = demuxer.context.pointee
        guard context.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE else { return nil }
        if let duration = stream.raw.pointee.duration.timestamp, duration > 0 {
            return (stream.start ?? .zero) + stream.clock(duration)
        }
        guard let duration = context.duration.timestamp, duration > 0 else { return nil }
        return Time(value: (context.start_time.timestamp ?? 0) + duration, timeBase: 1, Int64(AV_TIME_BASE))
    }

    static func promised(_ stream: Demuxer.Stream, _ demuxer: Demuxer) -> Extent? {
        guard let duration = stream.raw.pointee.duration.timestamp, duration > 0 else { return nil }
        let start = (stream.start ?? .zero) - demuxer.origin
        return Extent(start: start, end: start + stream.clock(duration))
    }
}

extension Packet {
    /// How much of the packet's end is not to be played: Opus and Vorbis pad their last packet.
    func trimmedEnd(of stream: Demuxer.Stream) -> Time {
        var size = 0
        let rate = stream.parameters.pointee.sample_rate
        guard rate > 0, let bytes = av_packet_get_side_data(raw, AV_PKT_DATA_SKIP_SAMPLES, &size), size >= 8 else {
            return .zero
        }
        let samples = UInt32(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        return Time(frame: Int(samples), rate: Rational(Int64(rate)))
    }
}
