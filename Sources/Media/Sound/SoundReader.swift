import CFFmpeg
import Draft
import Values

/// The decoded blocks of one sound stream, each with the index of its first sample in source time.
///
/// Indices run on from block to block: a container's timestamps are often rounded (to milliseconds
/// in WebM), and following them sample by sample would click. A timestamp further than 10 ms from
/// the running index is a real gap or overlap and sets it anew. After a seek the index comes from
/// the timestamp, put back where reading from the start finds it (``SoundGrid``).
final class SoundReader: SoundReading {
    typealias Block = SoundBlock

    let path: String
    private let part: FilePart
    private let pulse: Pulse
    private let info: AudioStreamInfo
    private var demuxer: Demuxer
    private var stream: Demuxer.Stream
    private var decoder: Decoder
    private var start: DecoderStart
    /// The next packet is the first one of its decoder, which does not come from the start.
    private var begins = false
    private let packet: Packet
    private let frame: Frame
    private var isDraining = false
    /// The byte of the page (of Ogg, or a PES packet) whose packets are left out; negative: it is
    /// that of the next packet. nil: none are.
    private var mistimedPage: Int64?
    private var expected: Int?
    /// The demuxer's, of the packet that was fed last.
    private var stretch: Int?
    private var rate = 0
    /// The form of the block before.
    private var form: Resampler.Input?
    /// What timestamps after a seek are put on; known after the stream's second block.
    private var grid: SoundGrid?
    /// The end of the stream's first block.
    private var firstEnd: Int?
    /// The blocks come from the first packet of the file on, not from a seek.
    private(set) var isFromStart = true

    /// - Parameter info: names the track.
    /// - Parameter part: what is read of the file.
    init(
        path: String, info: AudioStreamInfo, part: FilePart = .whole, pulse: @escaping Pulse
    ) throws(MediaError) {
        self.path = path
        self.part = part
        self.pulse = pulse
        self.info = info
        (packet, frame) = (try Packet(), try Frame())
        (demuxer, stream, decoder) = try Self.open(path, info, part, pulse)
        start = DecoderStart(demuxer, stream, pulse: pulse)
    }

    private static func open(
        _ path: String, _ info: AudioStreamInfo, _ part: FilePart, _ pulse: @escaping Pulse
    ) throws(MediaError) -> (Demuxer, Demuxer.Stream, Decoder) {
        let demuxer = try Demuxer(path: path, part: part, pulse: pulse)
        guard let stream = demuxer.sound(info) else {
            throw MediaError(.noAudio, "read the sound of", path: path, reason: "it has no sound")
        }
        demuxer.keepOnly(stream)
        return (demuxer, stream, try Decoder(stream, path: path))
    }

    /// How much is decoded before a sample for it to be what it is when reading from the start.
    /// Overlapping windows (AAC) and the bit reservoir (MP3) reach back less than 250 ms; Opus,
    /// whose energies are predicted from frame to frame, was still off by 0.005 then and exact
    /// after a second.
    static let preroll = Time(flicks: Time.flicksPerSecond)
    /// How much of it must be there where sound precedes.
    static let leastPreroll = Time(flicks: Time.flicksPerSecond / 2)

    /// The next block, nil at the end. Damaged packets leave a gap.
    func next() throws(MediaError) -> Block? {
        while true {
            let answer = try decoder.receive(into: frame)
            noteDamage(frame.isDamaged && answer == .frame)
            switch answer {
            case .ended: return nil
            case .wantsPacket: try feed()
            case .frame:
                let raw = frame.raw.pointee
                guard raw.nb_samples > 0, raw.sample_rate > 0, raw.ch_layout.nb_channels > 0 else { continue }
                guard isMeant(frame) else {
                    noteDamage(true)
                    // What damage has made of its channels holds for all that follows (AAC).
                    if !isDraining { try begin() }
                    continue
                }
                return block(Int(raw.nb_samples), Int(raw.sample_rate))
            }
        }
    }

    /// Damaged packets may be decoded to channels that nothing can be made of: what is another form
    /// than the stream's, and cannot be converted, is a gap, too.
    private func isMeant(_ frame: Frame) -> Bool {
        let new = Resampler.Input(frame)
        guard new == form || new.channels == info.channels && new.sampleRate == info.sampleRate || new.isConvertible
        else { return false }
        form = new
        return true
    }

    private func feed() throws(MediaError) {
        while !isDraining {
            guard try demuxer.read(into: packet) else { break }
            guard packet.streamIndex == stream.index else { continue }
            takeLoss()
            guard !isMistimed(packet) else { continue }
            try start.see(packet)
            if begins {
                begins = false
                try start.complete(packet)
            }
            let range = sourceRange(of: packet)
            noteLoss(before: range)
            fed = range
            // At a jump the stamps decide, so that it makes no difference whether reading began
            // before or after it.
            if demuxer.stretch != stretch { (stretch, expected) = (demuxer.stretch, nil) }
            decoder.send(packet)
            noteDamage(false)
            return
        }
        // Only the page behind the loss is left: it is played at the time that it is given.
        if fed == nil, isFromStart, hasLost, !keepsMistimed {
            keepsMistimed = true
            return try restart()
        }
        noteLossAtEnd()
        isDraining = true
        decoder.send(nil)
    }

    /// libavformat stamps the packets of the first page after a seek too late where the page begins
    /// within one: of FLAC in Ogg, and of TrueHD in MPEG-TS, where it finds the next packet only at
    /// a major sync. So they are left out.
    private func isMistimed(_ packet: Packet) -> Bool {
        guard let page = mistimedPage else { return false }
        let position = packet.raw.pointee.pos
        // A packet without a position lies in the page of the one before.
        guard position >= 0, position != page else { return true }
        mistimedPage = page < 0 ? position : nil
        return page < 0
    }

    /// Whether the packets of the first page after a seek have wrong times.
    private var mistimesFirstPage: Bool {
        let codec = stream.parameters.pointee.codec_id
        return switch demuxer.formatName {
        case "ogg": codec == AV_CODEC_ID_FLAC
        case "mpegts", "mpeg": [AV_CODEC_ID_TRUEHD, AV_CODEC_ID_MLP].contains(codec)
        default: false
        }
    }

    /// Whether libavformat counts on from the last packet where a page of Ogg is missing. Vorbis
    /// and Opus count anew from the second packet behind it on, other codecs from the next page on.
    private var mistimesPageAfterLoss: Bool {
        demuxer.formatName == "ogg"
            && ![AV_CODEC_ID_VORBIS, AV_CODEC_ID_OPUS].contains(stream.parameters.pointee.codec_id)
    }

    /// Opens a new decoder, which continues with the next packet.
    private func begin() throws(MediaError) {
        hasMetFault = isSpoiled
        decoder = try start.decoder()
        begins = true
    }

    // MARK: Damage

    private var hasMetFault = false
    var isSpoiled: Bool { hasMetFault || demuxer.isSpoiled || decoder.isSpoiled }

    /// What the packet sounds that was fed last; nil where its container does not say.
    private var fed: Range<Time>?
    /// What was found damaged, in source time, in the order in which it was read.
    private(set) var damage: [Range<Time>] = []
    /// Packets before it are decoded only because later ones depend on them. Errors there mostly
    /// mean that data they depend on were not decoded (MP3's bit reservoir).
    private var trusted: Time?

    /// As many stretches are told apart. Beyond, the last one goes on.
    private static let damageLimit = 10_000

    private func sourceRange(of packet: Packet) -> Range<Time>? {
        guard let timestamp = packet.pts ?? packet.dts else { return fed.map { $0.upperBound..<$0.upperBound } }
        let time = demuxer.sourceTime(timestamp, of: stream)
        return time..<time + length(of: packet)
    }

    /// How long a packet plays. Some containers (NUT) leave it to the codec.
    private func length(of packet: Packet) -> Time {
        if packet.duration > 0 { return stream.clock(packet.duration) }
        let samples = av_get_audio_frame_duration2(stream.parameters, packet.raw.pointee.size)
        let rate = stream.parameters.pointee.sample_rate
        return samples > 0 && rate > 0 ? Time(frame: Int(samples), rate: Rational(Int64(rate))) : .zero
    }

    /// Where a loss began whose end the next packet tells; nil: there is none.
    private var lossStart: Time?
    /// Packets with wrong times are not left out, as there are no others.
    private var keepsMistimed = false
    /// Packets were lost before the next one that is decoded.
    private var hasLost = false

    /// Takes the demuxer's loss before the packet that was just read.
    private func takeLoss() {
        if demuxer.takeLoss() {
            hasLost = true
            if mistimesPageAfterLoss, !keepsMistimed { mistimedPage = packet.position }
        } else if fed == nil, !isFromStart, !hasLost, demuxer.isBehindLoss(packet) {
            hasLost = true
        }
    }

    /// Notes what the demuxer lost before a packet that is played in `range`.
    private func noteLoss(before range: Range<Time>?) {
        guard let range else { return }
        if hasLost {
            hasLost = false
            // Sound that is missing before the first packet begins with the part, or where a seek
            // was to lead.
            let first = isFromStart ? part.time : trusted ?? range.lowerBound
            let start = fed?.upperBound ?? min(first, range.lowerBound)
            // libav stamps the first packet behind a missing page of Ogg as if nothing were
            // missing.
            let isMistimed = demuxer.formatName == "ogg" && range.lowerBound - start < Self.leastGap
            guard fed != nil || isMistimed && isFromStart || start < range.lowerBound else { return }
            lossStart = isMistimed ? start : nil
            noteHeard(from: start, to: isMistimed ? range.upperBound : range.lowerBound)
        } else if let start = lossStart {
            lossStart = nil
            noteHeard(from: start, to: range.lowerBound)
        }
    }

    /// Notes a loss that no packet follows: up to the end that the container gives for the stream.
    /// The stream of a link of Ogg that lacks its last page has lost what cannot be told.
    private func noteLossAtEnd() {
        let last = fed?.upperBound ?? (isFromStart ? part.time : nil)
        guard let start = lossStart ?? (hasLost || demuxer.lacksEnd(of: stream) ? last : nil) else { return }
        (lossStart, hasLost) = (nil, false)
        noteHeard(from: start, to: max(Extents.promised(stream, demuxer)?.end ?? start, last ?? start))
    }

    private static let leastGap = Time(flicks: Time.flicksPerSecond / 100)

    /// Notes what is heard of a stretch. In a damaged file it may end before it begins: a page may
    /// be there twice.
    private func noteHeard(from begin: Time, to end: Time) {
        let start = max(begin, trusted ?? begin)
        guard start == begin || start < end else { return }
        note(start..<max(end, start + Time(flicks: 1)))
    }

    private func noteDamage(_ isCertain: Bool) {
        guard decoder.takeComplaint() || isCertain else { return }
        hasMetFault = true
        guard let fed else { return }
        note(fed.lowerBound..<max(fed.upperBound, fed.lowerBound + Time(flicks: 1)))
    }

    private func note(_ stretch: Range<Time>) {
        guard trusted.map({ stretch.lowerBound >= $0 }) ?? true else { return }
        if let last = damage.last, last.lowerBound <= stretch.lowerBound,
            last.upperBound >= stretch.lowerBound || damage.count >= Self.damageLimit
        {
            damage[damage.count - 1] = last.lowerBound..<max(last.upperBound, stretch.upperBound)
        } else if damage.count < Self.damageLimit, !damage.contains(stretch) {
            damage.append(stretch)
        }
    }

    // MARK: Blocks

    private func block(_ count: Int, _ sampleRate: Int) -> Block {
        if sampleRate != rate { (rate, expected, grid, firstEnd) = (sampleRate, nil, nil, nil) }
        let timestamp = (frame.raw.pointee.pts.timestamp ?? frame.raw.pointee.best_effort_timestamp.timestamp)
        let stamped = timestamp.map { demuxer.sourceTime($0, of: stream).rounded(rate: Rational(Int64(rate))) }
        let start: Int
        if let stamped {
            if let expected, abs(stamped - expected) <= SoundGrid.tolerance(rate) {
                start = expected
            } else if expected == nil, !isFromStart, let grid {
                start = grid.start(of: timestamp, at: stamped, in: demuxer, stream)
            } else {
                start = stamped
            }
        } else {
            start = expected ?? part.time.rounded(rate: Rational(Int64(rate)))
        }
        expected = start + count
        if isFromStart && grid == nil {
            // The first block may be cut short by the codec's delay; the second one tells the
            // length.
            if firstEnd == nil {
                firstEnd = start + count
            } else {
                grid = SoundGrid(anchor: start, timestamp: timestamp, size: count, rate: rate)
            }
        }
        return Block(frame: frame, start: start, count: count, sampleRate: rate)
    }

    var startsOver: Bool { !demuxer.allowsSeeking(stream) }

    /// Goes to a packet at or before `time`; false where the file cannot be searched.
    /// - Parameter wanted: what lies before it is not heard.
    func seek(to time: Time, for wanted: Time) throws(MediaError) -> Bool {
        guard !startsOver else { return false }
        // The grid is learnt from the first two blocks.
        if isSpoiled { try restart() }
        if isFromStart && grid == nil { while grid == nil, try next() != nil {} }
        try start.learn()
        guard demuxer.seek(stream, to: stream.ticks(time + demuxer.origin)) else { return false }
        try begin()
        (isFromStart, isDraining, expected) = (false, false, nil)
        (fed, trusted, lossStart, hasLost) = (nil, wanted, nil, false)
        mistimedPage = mistimesFirstPage ? -1 : nil
        return true
    }

    /// Opens the file again, at its first packet.
    func restart() throws(MediaError) {
        hasMetFault = isSpoiled
        (demuxer, stream, decoder) = try Self.open(path, info, part, pulse)
        start = DecoderStart(demuxer, stream, pulse: pulse)
        (begins, fed, trusted, mistimedPage, lossStart, hasLost) = (false, nil, nil, nil, nil, false)
        (isFromStart, isDraining, expected, grid, firstEnd) = (true, false, nil, nil, nil)
    }
}
