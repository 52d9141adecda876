import CFFmpeg
import Values

/// The frames of one video stream in presentation order, from the start or from a key frame:
/// demuxer and decoder together. ``VideoReader`` decides where to seek.
final class FrameReader: PictureReading {
    let path: String
    private let part: FilePart
    private let pulse: Pulse
    private var demuxer: Demuxer
    private var stream: Demuxer.Stream
    private var decoder: Decoder
    private var start: DecoderStart
    private let packet: Packet
    private let orientation: Orientation
    private var frameDuration: Time { Time(frame: 1, rate: stream.frameRate) }

    /// The frames come from the first packet of the file on, not from a seek.
    private(set) var isFromStart = true
    /// Timestamp of the first packet decoded since the last seek, in the stream's ticks.
    private(set) var firstTimestamp: Int64?
    private var lastTimestamp: Int64?
    private var keyTimestamp: Int64?
    private var lastTime: Time?
    private var isDraining = false
    /// Frames presented before this need not be decoded unless others lean on them; nil: all are.
    private var hurriesUntil: Time?
    /// The latest presentation time, in the stream's ticks, of a packet that was fed in a hurry.
    private var lastHurried: Int64?
    private var damage = PictureDamage()
    private var hasMetFault = false
    /// The packet that was fed last: when its picture is presented, and whether another one may
    /// lean on it.
    private var fed: (time: Time, isDisposable: Bool)?
    /// When the key frames are presented that are being decoded, in the stream's ticks.
    private var keys: Set<Int64> = []
    /// Pictures on which no other leans that are being decoded, by their times.
    private var disposable: Set<Time> = []
    /// Holes in the clock since the last seek; nil for formats that have none.
    private var holes: ClockHoles?
    /// Every packet since the last seek has its decoding time as presentation time.
    private var hasOnlyDecodingTimes = true
    /// Presentation times have turned out to be decoding times, though pictures are reordered.
    private var prefersBestEffort = false

    init(path: String, part: FilePart = .whole, pulse: @escaping Pulse) throws(MediaError) {
        self.path = path
        self.part = part
        self.pulse = pulse
        packet = try Packet()
        demuxer = try Demuxer(path: path, part: part, pulse: pulse)
        guard let stream = demuxer.video else {
            throw MediaError(.noVideo, "read the picture of", path: path, reason: "it has no picture")
        }
        self.stream = stream
        demuxer.keepOnly(stream)
        decoder = try Decoder(stream, path: path)
        start = DecoderStart(demuxer, stream, pulse: pulse)
        orientation = Orientation(stream: stream)
        holes = demuxer.mayRestart ? ClockHoles() : nil
    }

    /// Half a tick of the stream's clock, at most half a millisecond: how much a timestamp may have
    /// been rounded up.
    var tolerance: Time { min(Time(flicks: stream.clock(1).flicks / 2), Time(flicks: Time.flicksPerSecond / 2000)) }

    /// The next frame; the caller shares it with the decoder. nil at the end. Frames without a
    /// timestamp follow the one before at the stream's rate. Frames that step back in time are
    /// dropped, except where ``ClockHoles`` corrects their times.
    func next() throws(MediaError) -> Picture? {
        while true {
            let frame = try Frame()
            let answer = try decoder.receive(into: frame)
            noteComplaint()
            switch answer {
            case .ended: return nil
            case .wantsPacket: try feed()
            case .frame:
                guard let stated = statedTime(of: frame) else { continue }
                let time = corrected(stated, of: frame)
                if let lastTime, min(stated, time) <= lastTime {
                    hasMetFault = true
                    if time < lastTime { continue }
                }
                lastTime = time
                checkKey(frame, at: time)
                damage.begin(at: time)
                if frame.isDamaged {
                    hasMetFault = true
                    damage.note(time, until: disposable.contains(stated) ? time + frameDuration : nil)
                }
                disposable.remove(stated)
                if disposable.count > ClockHoles.depth { disposable = disposable.filter { $0 > time } }
                return Picture(decoded: frame, time: time, isMirrored: orientation.isMirrored)
            }
        }
    }

    private func feed() throws(MediaError) {
        while true {
            guard !isDraining, try demuxer.read(into: packet) else {
                isDraining = true
                decoder.send(nil)
                return
            }
            guard packet.streamIndex == stream.index else { continue }
            try start.see(packet)
            if let timestamp = packet.dts ?? packet.pts { lastTimestamp = timestamp }
            // Before a key frame that says no time, it cannot be told which frames lean on what was
            // not decoded.
            let mayBegin = packet.isKey && (packet.dts ?? packet.pts) != nil
            if !isFromStart && firstTimestamp == nil && !mayBegin { continue }
            if firstTimestamp == nil {
                firstTimestamp = packet.dts ?? packet.pts
                if packet.isKey { keyTimestamp = packet.pts ?? packet.dts }
                if !isFromStart { try start.complete(packet) }
            }
            let time = presentation(of: packet)
            damage.feed(time, isKey: packet.isKey)
            // A stream that begins between two key frames shows nothing before the first one.
            if isFromStart, packet.isKey { damage.begin(at: time) }
            if demuxer.takeLoss() {
                if let fed {
                    damage.note(fed.time + frameDuration, until: nil)
                } else if isFromStart, demuxer.formatName == "ogg" {
                    // The stream's first page is missing.
                    damage.note(time, until: nil)
                }
            }
            let isDisposable = stream.isDisposable(packet)
            fed = (time, isDisposable)
            if isDisposable { disposable.insert(time) }
            if packet.isKey, let pts = packet.pts { keys.insert(pts) }
            let duration = packet.duration > 0 ? packet.duration : stream.ticks(frameDuration)
            holes?.feed(presentation: packet.pts, decoding: packet.dts, duration: duration)
            if let pts = packet.pts, pts != packet.dts { hasOnlyDecodingTimes = false }
            decoder.send(packet, onlyReferences: isHurried(packet))
            noteComplaint()
            packet.clear()
            return
        }
    }

    /// Notes a frame that the container marks as a key frame and the stream does not: decoding that
    /// begins there lacks its references.
    private func checkKey(_ frame: Frame, at time: Time) {
        guard let pts = frame.raw.pointee.pts.timestamp, keys.remove(pts) != nil,
            ![AV_PICTURE_TYPE_I, AV_PICTURE_TYPE_NONE].contains(frame.raw.pointee.pict_type)
        else { return }
        hasMetFault = true
        // Those of others may be points from which pictures recover, or be packed with other
        // frames.
        let codec = stream.parameters.pointee.codec_id
        if [AV_CODEC_ID_VP8, AV_CODEC_ID_VP9].contains(codec) { damage.note(time, until: nil) }
    }

    private func presentation(of packet: Packet) -> Time {
        guard let timestamp = packet.pts ?? packet.dts else {
            return (fed?.time ?? lastTime).map { $0 + frameDuration } ?? .zero
        }
        return demuxer.sourceTime(timestamp, of: stream) - reordering
    }

    /// Damage is that of the packet fed last: with one thread libav decodes it before it answers.
    private func noteComplaint() {
        guard decoder.takeComplaint() else { return }
        hasMetFault = true
        guard let fed else { return }
        damage.note(fed.time, until: fed.isDisposable ? fed.time + frameDuration : nil)
    }

    func damage(shown: Time, at time: Time) -> Range<Time>? {
        let seen = min(shown, time)...max(time, shown)
        guard damage.overlap(with: seen) != nil else { return nil }
        // It is seen as long as its frame is.
        let end = shown + frameDuration - Time(flicks: 1)
        return damage.overlap(with: seen.lowerBound...max(seen.upperBound, end))
    }

    private func isHurried(_ packet: Packet) -> Bool {
        guard let hurriesUntil, let pts = packet.pts, demuxer.sourceTime(pts, of: stream) < hurriesUntil else {
            return false
        }
        lastHurried = max(pts, lastHurried ?? pts)
        return true
    }

    func mayLack(after shown: Time) -> Bool {
        lastHurried.map { demuxer.sourceTime($0, of: stream) - reordering > shown } ?? false
    }

    /// libavcodec's best effort prefers decoding times once more presentation times have stepped
    /// back, counted since the decoder began. It depends on where reading began, and decoding times
    /// are those of a later packet. In a transport or program stream, a clock may step back at a
    /// single place, and presentation times are right before and after it.
    private func timestamp(of frame: Frame) -> Int64? {
        let stated = demuxer.mayRestart && !prefersBestEffort ? frame.raw.pointee.pts.timestamp : nil
        return stated ?? frame.raw.pointee.best_effort_timestamp.timestamp
    }

    /// Returns the time of a frame. Some programs write decoding times as presentation times. Where
    /// pictures are reordered, such a time steps back, and the best effort is used from there on.
    private func statedTime(of frame: Frame) -> Time? {
        let time = sourceTime(of: frame)
        guard let time, let lastTime, time <= lastTime, holes != nil, hasOnlyDecodingTimes, !prefersBestEffort else {
            return time
        }
        prefersBestEffort = true
        return sourceTime(of: frame)
    }

    private func corrected(_ time: Time, of frame: Frame) -> Time {
        guard !prefersBestEffort, let pts = frame.raw.pointee.pts.timestamp else { return time }
        let stepsBack = lastTime.map { time <= $0 } ?? false
        guard let ticks = holes?.correction(of: pts, stepsBack: stepsBack), ticks != 0 else { return time }
        return time + stream.clock(ticks)
    }

    private func sourceTime(of frame: Frame) -> Time? {
        guard let timestamp = timestamp(of: frame) else {
            return lastTime.map { $0 + frameDuration } ?? (isFromStart ? part.time : nil)
        }
        // In an open group of pictures the frames shown before its key frame need the group before:
        // without it, they are garbage.
        if let keyTimestamp, timestamp < keyTimestamp { return nil }
        return demuxer.sourceTime(timestamp, of: stream) - reordering
    }

    /// AVI counts frames as they are decoded: where frames are reordered each is stamped late by
    /// the decoder's delay.
    private var reordering: Time {
        guard demuxer.formatName == "avi" else { return .zero }
        return Time(frame: Int(stream.parameters.pointee.video_delay), rate: stream.frameRate)
    }

    var startsOver: Bool { !demuxer.allowsSeeking(stream) || hasDecodingStamps == true }

    /// Known after the first seek.
    private var hasDecodingStamps: Bool?

    /// Goes to the last key frame whose index timestamp is at or before `time`, and at or before
    /// `limit` in the stream's ticks. False where the file cannot be searched; only ``restart()``
    /// helps then.
    ///
    /// In a hurry, frames presented before `end` on which no other leans are left out. Only H.264
    /// says of each frame for sure whether it is such a one (`nal_ref_idc`).
    func seek(to time: Time, before limit: Int64?, hurryUntil end: Time?) throws(MediaError) -> Bool {
        if hasDecodingStamps == nil { hasDecodingStamps = try DecodingStamps.are(in: stream, of: demuxer) }
        guard !startsOver else { return false }
        let wanted = stream.ticks(time + demuxer.origin)
        let target = limit.map { min($0, wanted) } ?? wanted
        if isSpoiled { try restart() }
        try start.learn()
        guard demuxer.seek(stream, to: target) else { return false }
        hasMetFault = isSpoiled
        decoder = try start.decoder()
        reset(isFromStart: false)
        // Only one field of a pair may be damaged.
        let parameters = stream.parameters.pointee
        if parameters.codec_id == AV_CODEC_ID_H264, parameters.field_order.rawValue <= AV_FIELD_PROGRESSIVE.rawValue {
            hurriesUntil = end
        }
        return true
    }

    var isSpoiled: Bool { hasMetFault || demuxer.isSpoiled || decoder.isSpoiled || noticesNothing }

    /// VP8's decoder takes any bits for a picture, and damage of a key frame's header reaches
    /// beyond the next one.
    private var noticesNothing: Bool { stream.parameters.pointee.codec_id == AV_CODEC_ID_VP8 }

    /// Opens the file again, at its first packet.
    func restart() throws(MediaError) {
        hasMetFault = isSpoiled
        demuxer = try Demuxer(path: path, part: part, pulse: pulse)
        guard let stream = demuxer.video else {
            throw MediaError(.noVideo, "read the picture of", path: path, reason: "it has no picture any more")
        }
        self.stream = stream
        demuxer.keepOnly(stream)
        decoder = try Decoder(stream, path: path)
        start = DecoderStart(demuxer, stream, pulse: pulse)
        reset(isFromStart: true)
    }

    private func reset(isFromStart: Bool) {
        self.isFromStart = isFromStart
        isDraining = false
        (firstTimestamp, lastTimestamp, keyTimestamp, lastTime) = (nil, nil, nil, nil)
        (hurriesUntil, lastHurried, fed, disposable, keys) = (nil, nil, nil, [], [])
        holes = demuxer.mayRestart ? ClockHoles() : nil
        (hasOnlyDecodingTimes, prefersBestEffort) = (true, false)
        damage.seek()
    }

    /// Whether a seek to `time` would save decoding: a key frame lies between what was read last
    /// and `time`. Where the index does not say, a jump of more than five seconds is taken for one.
    func seekPays(to time: Time, from position: Time) -> Bool {
        guard !startsOver, time - position > Time(flicks: Time.flicksPerSecond / 2) else { return false }
        let wanted = stream.ticks(time + demuxer.origin)
        let key = avformat_index_get_entry_from_timestamp(stream.raw, wanted, AVSEEK_FLAG_BACKWARD)
        // An index knows only the file's own clock.
        if !demuxer.hasJumps, let key,
            key.pointee.timestamp > lastTimestamp ?? stream.raw.pointee.start_time.timestamp ?? 0
        {
            return true
        }
        let knowsAll = demuxer.formatName.contains("mp4")
        return !knowsAll && time - position > Time(flicks: 5 * Time.flicksPerSecond)
    }
}
