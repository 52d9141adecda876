import CFFmpeg
import Draft
import Values

/// Finds out what a file is. Nothing is decoded but a still image, and as much of a stream as libav
/// needs to name it.
public enum Probe {
    /// - Parameter pulse: called between packets; what it throws ends the probe with `cancelled`.
    /// - Throws: `notFound`, `isDirectory`, `notRegularFile`, `permissionDenied`, `empty`,
    ///   `notMedia`, `truncated`, `unsupported`, `decode`, `overBudget`, `cancelled`: each a
    ///   sentence of its own.
    public static func probe(path: String, pulse: @escaping Pulse = { _ in }) throws(MediaError) -> MediaInfo {
        try probe(path: path, ReadingBudget.Limits(), pulse: pulse)
    }

    static func probe(
        path: String, _ limits: ReadingBudget.Limits, pulse: @escaping Pulse = { _ in }
    ) throws(MediaError) -> MediaInfo {
        let budget = ReadingBudget(limits)
        var info = try content(path: path, budget, pulse: pulse)
        budget.found()
        let file = try InputFile(path: path, interrupter: Interrupter(pulse, budget: budget))
        if info.isTruncated == nil { info.isTruncated = try FileEnd.isMissing(file, format: info.format) ? true : nil }
        return info
    }

    private static func content(
        path: String, _ budget: ReadingBudget, pulse: @escaping Pulse
    ) throws(MediaError) -> MediaInfo {
        if let cube = try CubeFile.probe(path: path, pulse: pulse) { return cube }
        if let subtitles = try SubtitleReader.probe(path: path, pulse: pulse) { return subtitles }
        if let animation = try AnimatedWebP.probe(path: path, budget, pulse: pulse) { return animation }
        let demuxer = try Demuxer(path: path, budget: budget, pulse: pulse)
        let identity = try demuxer.file.identity()
        let format = demuxer.formatName
        if let still = try stillImage(demuxer) {
            return MediaInfo(kind: .image, format: format, identity: identity, video: still)
        }
        let survey = try StreamSurvey(demuxer)
        let usable = ([demuxer.video].compactMap { $0 } + demuxer.audioTracks).filter {
            !survey.refused.contains($0.index)
        }
        guard !usable.isEmpty else {
            throw Formats.unreadImage(demuxer.file) ?? nothingUsable(in: demuxer, survey)
        }
        let structure = try FileStructure(demuxer.file, format)
        let (extents, joints) = try extents(of: demuxer, structure)
        var tracks: [AudioStreamInfo] = []
        for stream in demuxer.audioTracks where !survey.refused.contains(stream.index) {
            guard let extent = extents.audio[stream.index] else { continue }
            tracks.append(try audioInfo(stream, extent, demuxer))
        }
        var info = MediaInfo(
            kind: .media, format: format, identity: identity,
            video: try demuxer.video.flatMap { stream throws(MediaError) in
                guard !survey.refused.contains(stream.index) else { return nil }
                return try extents.video.map { extent throws(MediaError) in
                    try videoInfo(stream, extent, extents.frameRate, demuxer)
                }
            },
            // Where the usual track cannot be decoded, the next one takes its place.
            audio: tracks.first { $0.stream == nil } ?? tracks.first, audioTracks: tracks)
        info.promisedDuration = extents.promised
        info.joints = joints
        info.breaks = structure.breaks ?? extents.breaks
        info.isTruncated = structure.isCutOff ? true : nil
        info.tail = structure.tail
        if let unended = structure.unended, structure.isCutOff { info.noteEnds(unended, demuxer) }
        info.unreadable = survey.unreadable.isEmpty ? nil : survey.unreadable
        guard info.video != nil || info.audio != nil else {
            throw MediaError(
                .truncated, "read", path: path,
                reason: "it describes picture or sound but holds none; the recording or the download was cut off")
        }
        return info
    }

    private static func extents(
        of demuxer: Demuxer, _ structure: FileStructure
    ) throws(MediaError) -> (Extents, FileJoints?) {
        let links = structure.links
        guard links.count > 1 else {
            let extents = try Extents(scanning: demuxer, isDamaged: structure.isDamaged)
            return (extents, extents.clock.map { .clock(jumps: $0) })
        }
        var all: Extents?
        var found: [FileLink] = []
        for link in links {
            let time = all?.end ?? .zero
            let extents = try extents(of: link, demuxer)
            found.append(
                FileLink(start: link.lowerBound, end: link.upperBound, time: time, isPlayed: extents != nil))
            if let extents { all = all?.joined(extents, at: time) ?? extents }
        }
        guard let all else { return (try Extents(scanning: demuxer), nil) }
        return (all, .links(parts: found))
    }

    /// The extents of one part of a chained file; nil where it cannot be read.
    private static func extents(of link: Range<Int64>, _ demuxer: Demuxer) throws(MediaError) -> Extents? {
        do throws(MediaError) {
            let part = try Demuxer(
                path: demuxer.path, part: FilePart(bytes: link), budget: demuxer.interrupter.budget,
                pulse: demuxer.interrupter.relay)
            guard part.video != nil || part.audio != nil else { return nil }
            let extents = try Extents(scanning: part)
            return extents.end > .zero ? extents : nil
        } catch {
            if error.isOfTheMachine || [.cancelled, .overBudget].contains(error.code) { throw error }
            return nil
        }
    }

    /// Which version of a file this is, whatever is in it.
    /// - Throws: `notFound`, `isDirectory`, `notRegularFile`, `permissionDenied`, `empty`, `read`.
    public static func identify(path: String) throws(MediaError) -> MediaInfo {
        MediaInfo(
            kind: .data, format: "", identity: try InputFile(path: path, interrupter: Interrupter { _ in }).identity())
    }

    private static func nothingUsable(in demuxer: Demuxer, _ survey: StreamSurvey) -> MediaError {
        guard let stream = survey.unreadable.first else {
            return MediaError(.notMedia, "read", path: demuxer.path, reason: "it has neither picture nor sound")
        }
        guard stream.reason == .unknownCodec else {
            return MediaError(.decode, "read", path: demuxer.path, reason: "its \(stream.forPeople)")
        }
        return MediaError(
            .unsupported, "read", path: demuxer.path,
            reason: "its codec ‘\(stream.codec)’ is not known here; convert it to H.264, HEVC, VP9 or AV1 with AAC")
    }

    /// A picture file, or an animation format with one frame only; nil for everything that moves.
    private static func stillImage(_ demuxer: Demuxer) throws(MediaError) -> VideoStreamInfo? {
        let name = demuxer.formatName
        guard let stream = demuxer.video else {
            if Formats.isStill(name) {
                throw MediaError(
                    .decode, "read", path: demuxer.path, reason: "its picture is damaged or of an unknown kind")
            }
            return nil
        }
        if !Formats.isStill(name), !Formats.isAVIF(demuxer.file) {
            guard name == "gif" || name == "apng" else { return nil }
            let packet = try Packet()
            var count = 0
            let probe = try demuxer.reopened()
            while count < 2, try probe.read(into: packet) { count += 1 }
            if count > 1 { return nil }
        }
        let still = try ImageFile.decodeFirst(demuxer, stream)
        let aspect = still.picture.frame.raw.pointee.sample_aspect_ratio
        let shown = still.orientation.shownSize(
            width: still.picture.width, height: still.picture.height, pixelAspect: aspect)
        var info = VideoStreamInfo(
            codec: codecName(stream), width: shown.width, height: shown.height, rotation: still.orientation.rotation,
            frameRate: Rational(25), start: .zero, duration: .zero, bitRate: nil,
            hasAlpha: SourcePixels(still.picture.frame).hasAlpha)
        info.matte = info.hasAlpha ? still.matte : nil
        info.hdr = ColorSystem(transfer: still.picture.frame.raw.pointee.color_trc)
        return info
    }

    private static func videoInfo(
        _ stream: Demuxer.Stream, _ extent: Extents.Extent, _ rate: Rational?, _ demuxer: Demuxer
    ) throws(MediaError) -> VideoStreamInfo {
        let parameters = stream.parameters.pointee
        guard parameters.width > 0, parameters.height > 0 else {
            throw MediaError(
                .decode, "read", path: demuxer.path, reason: "its picture cannot be decoded: the stream is damaged")
        }
        try Decoder.checkSize(Int(parameters.width), Int(parameters.height), path: demuxer.path)
        let orientation = Orientation(stream: stream)
        let shown = orientation.shownSize(
            width: Int(parameters.width), height: Int(parameters.height),
            pixelAspect: av_guess_sample_aspect_ratio(demuxer.context, stream.raw, nil))
        let frameRate = rate ?? stream.frameRate
        let extent = extent.onWholeFrames(at: frameRate, tick: stream.clock(1))
        var info = VideoStreamInfo(
            codec: codecName(stream), width: shown.width, height: shown.height, rotation: orientation.rotation,
            frameRate: frameRate, start: extent.start, duration: extent.end,
            bitRate: parameters.bit_rate > 0 ? Int(parameters.bit_rate) : nil,
            hasAlpha: hasAlpha(AVPixelFormat(parameters.format)) || Demuxer.hasSeparateAlpha(stream.raw),
            peak: try PeakLuminance.find(stream, in: demuxer))
        info.hdr = ColorSystem(transfer: parameters.color_trc)
        if info.hasAlpha { info.matte = try QuickTimeTrack(stream, in: demuxer)?.matte() }
        return info
    }

    private static func audioInfo(
        _ stream: Demuxer.Stream, _ extent: Extents.Extent, _ demuxer: Demuxer
    ) throws(MediaError) -> AudioStreamInfo {
        let parameters = stream.parameters.pointee
        try Resampler.checkForm(
            sampleRate: Int(parameters.sample_rate), channels: Int(parameters.ch_layout.nb_channels),
            path: demuxer.path)
        var info = AudioStreamInfo(
            codec: codecName(stream), sampleRate: Int(parameters.sample_rate),
            channels: Int(parameters.ch_layout.nb_channels), start: extent.start, duration: extent.end,
            bitRate: parameters.bit_rate > 0 ? Int(parameters.bit_rate) : nil)
        info.stream = stream.index == demuxer.audio?.index ? nil : stream.index
        info.hasNoLayout = Resampler.hasLayout(parameters.ch_layout) ? nil : true
        info.startsOver = demuxer.allowsSeeking(stream) ? nil : true
        info.level = try QuickTimeTrack(stream, in: demuxer)?.level()
        info.language = text("language", stream).flatMap { $0 == "und" ? nil : $0 }
        info.title = text("title", stream)
        return info
    }

    /// An entry of the stream's metadata, on one line of at most 60 characters; nil where there is
    /// none.
    private static func text(_ key: String, _ stream: Demuxer.Stream) -> String? {
        guard let entry = av_dict_get(stream.raw.pointee.metadata, key, nil, 0), let raw = entry.pointee.value else {
            return nil
        }
        let text = String(String(cString: raw).prefix(60).map { $0.isNewline || $0 == "\0" ? " " : $0 })
        return text.isEmpty ? nil : text
    }

    private static func codecName(_ stream: Demuxer.Stream) -> String {
        String(cString: avcodec_get_name(stream.parameters.pointee.codec_id))
    }

    private static func hasAlpha(_ format: AVPixelFormat) -> Bool {
        guard let description = av_pix_fmt_desc_get(format) else { return false }
        return description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0
    }
}

extension Demuxer.Stream {
    /// The average frame rate; what the container claims where there is no average; 25 where there
    /// is neither.
    var frameRate: Rational {
        for rate in [raw.pointee.avg_frame_rate, raw.pointee.r_frame_rate] where rate.num > 0 && rate.den > 0 {
            let value = Rational(Int64(rate.num), Int64(rate.den))
            if value <= Rational(1000) { return value }
        }
        return Rational(25)
    }
}

extension MediaInfo {
    /// Notes which tracks lack their end.
    /// - Parameter unended: numbers of streams.
    fileprivate mutating func noteEnds(_ unended: Set<Int>, _ demuxer: Demuxer) {
        video?.lacksEnd = demuxer.video.map { unended.contains($0.index) }
        func lacksEnd(_ track: AudioStreamInfo) -> Bool? {
            demuxer.sound(track).map { unended.contains($0.index) }
        }
        if let usual = audio { audio?.lacksEnd = lacksEnd(usual) }
        for index in audioTracks.indices { audioTracks[index].lacksEnd = lacksEnd(audioTracks[index]) }
    }
}
