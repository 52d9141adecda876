import CFFmpeg
import Draft
import Values

/// Owns an `AVFormatContext` for reading, and the file under it.
///
/// All times that leave it are *source time*: zero is the earliest start of the streams that
/// Cutroom uses, so picture and sound keep their offset. Every reader of a file goes through this
/// type, so all of them agree on that zero.
final class Demuxer {
    let file: InputFile
    let interrupter: Interrupter
    let context: UnsafeMutablePointer<AVFormatContext>
    private(set) var video: Stream?
    /// The usual sound.
    private(set) var audio: Stream?
    /// All sound that can be decoded, in the file's order.
    private(set) var audioTracks: [Stream] = []
    /// What libav's clock shows at source time zero.
    private(set) var origin = Time.zero
    private let part: FilePart
    /// Nil where the clock runs through.
    private var clock: JumpingClock?
    /// Nil where the times of all packets are right.
    private var settling: SettlingStamps?
    /// A picture's packet of a transport or program stream, until the next one is known.
    private var held: Packet?
    private var failures = 0
    private var hasLost = false
    /// Where the analysis of the streams stopped reading, if it met errors.
    private var suspectEnd: Int64?
    /// Something in the file is wrong. The result of the next seek may then depend on what was read
    /// before, as libav adds what it reads to its index.
    private(set) var isSpoiled = false
    /// The decoding time of each stream's last packet since the last seek.
    private var lastTimes: [Int: Int64] = [:]
    /// The counted frames of an AVI file, by stream.
    private var counted: [Int: CountedFrames] = [:]
    /// nil where no pages of Ogg are missing.
    private var lostPages: OggLossFinder?
    /// Losses among the packets that the analysis of the streams read ahead; nil where it met no
    /// error.
    private var readAhead: ReadAheadLosses?
    /// How often each stream's index was asked at an end.
    private var unreadable: [Int: Int] = [:]

    /// Broken packets in a row that are stepped over before the rest of the file is given up.
    private static let failureLimit = 200

    var path: String { file.path }
    var subtitleTrackCount: Int {
        (0..<Int(context.pointee.nb_streams)).count {
            context.pointee.streams[$0]?.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_SUBTITLE
        }
    }
    var formatName: String { String(cString: context.pointee.iformat.pointee.name) }

    /// One stream, valid while its demuxer lives.
    struct Stream {
        let raw: UnsafeMutablePointer<AVStream>
        let decoder: UnsafePointer<AVCodec>
        /// When the first frame or sample is presented, on libav's clock; nil where the container
        /// does not say.
        let start: Time?

        init(raw: UnsafeMutablePointer<AVStream>, decoder: UnsafePointer<AVCodec>, delaysCount: Bool) {
            (self.raw, self.decoder) = (raw, decoder)
            let timeBase = raw.pointee.time_base
            // Matroska's tracks have no length. Where libavformat gives one it has made it up, and
            // the start, too, from those of the whole file, because there are fewer frames than the
            // codec's delay; the first key frame tells the start then.
            let isMadeUp = delaysCount && raw.pointee.duration.timestamp != nil
            let first = isMadeUp ? avformat_index_get_entry(raw, 0)?.pointee.timestamp : nil
            let start = (first ?? raw.pointee.start_time).timestamp.map {
                Time(value: $0, timeBase: Int64(timeBase.num), Int64(max(1, timeBase.den)))
            }
            // Matroska's start time is that of the codec's delay, which is decoded and not heard.
            // libavformat takes it off in whole ticks, so it is added in whole ticks.
            let (padding, rate) = (
                raw.pointee.codecpar.pointee.initial_padding, raw.pointee.codecpar.pointee.sample_rate
            )
            self.start = start.map {
                guard delaysCount, padding > 0, rate > 0 else { return $0 }
                let delay = Time(frame: Int(padding), rate: Rational(Int64(rate)))
                let ticks = delay.rounded(rate: Rational(Int64(max(1, timeBase.den)), Int64(max(1, timeBase.num))))
                return $0 + Time(value: Int64(ticks), timeBase: Int64(timeBase.num), Int64(max(1, timeBase.den)))
            }
        }

        var index: Int { Int(raw.pointee.index) }
        var parameters: UnsafeMutablePointer<AVCodecParameters> { raw.pointee.codecpar }
        var timeBase: AVRational { raw.pointee.time_base }
        /// libav's clock, not source time.
        func clock(_ timestamp: Int64) -> Time {
            Time(value: timestamp, timeBase: Int64(timeBase.num), Int64(max(1, timeBase.den)))
        }
        /// The nearest tick of the stream to a time on libav's clock.
        func ticks(_ clock: Time) -> Int64 {
            let rate = Rational(Int64(max(1, timeBase.den)), Int64(max(1, timeBase.num)))
            return Int64(clock.rounded(rate: rate))
        }
    }

    /// - Parameter part: what is read of the file.
    /// - Parameter analyses: frames are decoded to learn what the header leaves open; a file of our
    ///   own needs none of that for its packets.
    /// - Parameter budget: a probe's; what is rendered is read without one.
    init(
        path: String, part: FilePart = .whole, analyses: Bool = true, budget: ReadingBudget? = nil,
        pulse: @escaping Pulse
    ) throws(MediaError) {
        self.part = part
        interrupter = Interrupter(pulse, budget: budget)
        file = try InputFile(path: path, part: part.bytes, interrupter: interrupter)
        if let end = try ClusterChain.end(in: file) { file.hide(from: end) }
        context = try Self.open(file, interrupter)
        // Everything is initialised: what is thrown from here on runs `deinit`.
        try findStreams(analyses: analyses)
        origin = origin - part.time
        if part.lacksPages, formatName == "ogg" {
            lostPages = OggLossFinder(try OggLoss.all(in: file, part: part.bytes ?? 0..<file.size))
        }
        if let end = suspectEnd { readAhead = try findReadAheadLosses(upTo: end) }
        if let jumps = part.clock { clock = JumpingClock(jumps) { [self] in ticks($0, ofStream: $1) } }
    }

    private func ticks(_ time: Time, ofStream index: Int) -> Int64 {
        guard index < Int(context.pointee.nb_streams), let raw = context.pointee.streams[index] else { return 0 }
        let timeBase = raw.pointee.time_base
        return Int64(time.rounded(rate: Rational(Int64(max(1, timeBase.den)), Int64(max(1, timeBase.num)))))
    }

    /// The same file from its beginning, on the same pulse and budget.
    func reopened() throws(MediaError) -> Demuxer {
        try Demuxer(path: path, part: part, budget: interrupter.budget, pulse: interrupter.relay)
    }

    deinit {
        var context: UnsafeMutablePointer<AVFormatContext>? = context
        avformat_close_input(&context)
    }

    private static func open(
        _ file: InputFile, _ interrupter: Interrupter
    ) throws(MediaError) -> UnsafeMutablePointer<AVFormatContext> {
        let result: Int32
        switch try open(file, interrupter, as: nil) {
        case .success(let context): return context
        case .failure(let failure): result = failure.code
        }
        if interrupter.thrown != nil { throw interrupter.cancelled("read", path: file.path) }
        // libav does not take a JPEG for one if it sees other bytes behind its end mark.
        if try file.bytes(at: 0, count: 3) == [0xFF, 0xD8, 0xFF], let kind = av_find_input_format("jpeg_pipe"),
            case .success(let context) = try open(file, interrupter, as: kind)
        {
            return context
        }
        if interrupter.thrown != nil { throw interrupter.cancelled("read", path: file.path) }
        throw Formats.openError(result, file: file)
    }

    private struct OpenFailure: Error { var code: Int32 }

    /// - Parameter kind: nil: libav finds it out.
    private static func open(
        _ file: InputFile, _ interrupter: Interrupter, as kind: UnsafePointer<AVInputFormat>?
    ) throws(MediaError) -> Result<UnsafeMutablePointer<AVFormatContext>, OpenFailure> {
        var context = avformat_alloc_context()
        guard let opened = context else { throw .outOfMemory("read", path: file.path) }
        do throws(MediaError) {
            opened.pointee.pb = try file.ioContext()
        } catch {
            avformat_free_context(opened)
            throw error
        }
        if kind != nil { avio_seek(opened.pointee.pb, 0, SEEK_SET) }
        opened.pointee.interrupt_callback = interrupter.callback
        // A demuxer that wants another file (a playlist, a reference movie) does not get it.
        opened.pointee.io_open = { _, _, _, _, _ in cutroom_AVERROR_EPERM }
        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        av_dict_set(&options, "protocol_whitelist", "none", 0)
        av_dict_set(&options, "format_whitelist", Formats.whitelist, 0)
        let result = DecoderCalls.current.during(file.path) { avformat_open_input(&context, nil, kind, &options) }
        guard result >= 0, let context else { return .failure(OpenFailure(code: result)) }
        return .success(context)
    }

    private func findStreams(analyses: Bool) throws(MediaError) {
        // A probe always analyses, and nothing is remembered of a part of a file.
        let stamp = part.bytes == nil && StreamAnalysis.mayKnow(formatName) ? file.stamp : nil
        let recalls = analyses && interrupter.budget == nil
        let known = recalls ? stamp.flatMap { StreamAnalysis.recall($0, for: context) } : nil
        let (headers, errors) = (StreamHeader.all(of: context), LibavLog.errorCount)
        if analyses, known == nil { try analyse() }
        video = best(AVMEDIA_TYPE_VIDEO, known)
        audio = best(AVMEDIA_TYPE_AUDIO, known)
        if let stamp, analyses, known == nil, LibavLog.errorCount == errors {
            let choice = [AVMEDIA_TYPE_VIDEO: video, AVMEDIA_TYPE_AUDIO: audio].compactMapValues { $0?.index }
            StreamAnalysis.remember(stamp, headers, context, choice: choice)
        }
        audioTracks = (0..<Int(context.pointee.nb_streams)).compactMap { index in
            guard let raw = context.pointee.streams[index],
                raw.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO,
                raw.pointee.codecpar.pointee.ch_layout.nb_channels > 0, let decoder = Self.decoder(for: raw)
            else { return nil }
            return Stream(raw: raw, decoder: decoder, delaysCount: formatName.hasPrefix("matroska"))
        }
        let used = Set([video, audio].compactMap { $0?.index } + audioTracks.map(\.index))
        for index in 0..<Int(context.pointee.nb_streams) where !used.contains(index) {
            context.pointee.streams[index]?.pointee.discard = AVDISCARD_ALL
        }
        if formatName == "avi", let video { counted = [video.index: CountedFrames(video.raw)] }
        origin = [video?.start, audio?.start].compactMap { $0 }.min() ?? .zero
    }

    /// Has libav decode frames to learn what the header leaves open.
    private func analyse() throws(MediaError) {
        // libav decodes an animation's header with the first frame; of a PNG it reads the size
        // alone.
        for index in 0..<Int(context.pointee.nb_streams) {
            guard let parameters = context.pointee.streams[index]?.pointee.codecpar else { continue }
            if PNGChunks.areIn(parameters.pointee.codec_id) { PNGChunks.disarm(parameters) }
        }
        let errors = LibavLog.errorCount
        let result = DecoderCalls.current.during(path) { avformat_find_stream_info(context, nil) }
        try interrupter.check("read", path: path)
        try check(result, "read", path: path, .notMedia)
        interrupter.budget?.found()
        // libav gives the packets that it has read here later, without a word of what was lost
        // between them. Missing pages of Ogg are found by their numbers.
        if LibavLog.errorCount != errors, logsLosses, formatName != "ogg" { suspectEnd = position }
    }

    /// The byte that libav reads next.
    private var position: Int64 { avio_seek(context.pointee.pb, 0, SEEK_CUR) }

    /// Reads the file up to a byte once more, with a demuxer that does not analyse it, for the
    /// losses that are logged.
    private func findReadAheadLosses(upTo end: Int64) throws(MediaError) -> ReadAheadLosses? {
        let plain = try Demuxer(
            path: path, part: FilePart(bytes: part.bytes), analyses: false, budget: interrupter.budget,
            pulse: interrupter.relay)
        var losses = ReadAheadLosses()
        let packet = try Packet()
        while try plain.read(into: packet) {
            losses.take(packet, isBehindLoss: plain.takeLoss())
            if plain.position > end { break }
        }
        return losses.isEmpty ? nil : losses
    }

    /// libav's choice among the streams of a kind that this build can decode. A cover picture is
    /// not a video stream.
    /// - Parameter known: what an earlier analysis chose. libav counts the frames that an analysis
    ///   has met.
    private func best(_ kind: AVMediaType, _ known: StreamAnalysis?) -> Stream? {
        if let known {
            return known.best(kind).flatMap { context.pointee.streams[$0] }.flatMap { stream in
                Self.decoder(for: stream).map {
                    Stream(raw: stream, decoder: $0, delaysCount: formatName.hasPrefix("matroska"))
                }
            }
        }
        var decoder: UnsafePointer<AVCodec>?
        let index = av_find_best_stream(context, kind, -1, -1, &decoder, 0)
        guard index >= 0, let stream = context.pointee.streams[Int(index)], decoder != nil,
            let decoder = Self.decoder(for: stream)
        else { return nil }
        let delaysCount = formatName.hasPrefix("matroska")
        if stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0 {
            return Stream(raw: stream, decoder: decoder, delaysCount: delaysCount)
        }
        for other in 0..<Int(context.pointee.nb_streams) {
            guard let stream = context.pointee.streams[other], stream.pointee.codecpar.pointee.codec_type == kind,
                stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0,
                let decoder = Self.decoder(for: stream)
            else { continue }
            return Stream(raw: stream, decoder: decoder, delaysCount: delaysCount)
        }
        return nil
    }

    /// libavcodec's usual decoder, with two exceptions. VP8 and VP9 carry alpha as a second picture
    /// beside the first, which libav's own decoders leave out and libvpx's do not. MP1 and MP2 are
    /// decoded to 16 bits unless the decoder for floats is named, with a noise shaping that runs on
    /// from the stream's first packet.
    static func decoder(for stream: UnsafeMutablePointer<AVStream>) -> UnsafePointer<AVCodec>? {
        let codec = stream.pointee.codecpar.pointee.codec_id
        if hasSeparateAlpha(stream), let name = [AV_CODEC_ID_VP8: "libvpx", AV_CODEC_ID_VP9: "libvpx-vp9"][codec],
            let decoder = avcodec_find_decoder_by_name(name)
        {
            return decoder
        }
        if let name = [AV_CODEC_ID_MP1: "mp1float", AV_CODEC_ID_MP2: "mp2float"][codec],
            let decoder = avcodec_find_decoder_by_name(name)
        {
            return decoder
        }
        return avcodec_find_decoder(codec)
    }

    /// Matroska's AlphaMode.
    static func hasSeparateAlpha(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        av_dict_get(stream.pointee.metadata, "alpha_mode", nil, 0).map { $0.pointee.value[0] == 0x31 } ?? false
    }

    /// The sound that `info` names: a chosen track or the usual one.
    func sound(_ info: AudioStreamInfo) -> Stream? {
        info.stream.map { wanted in audioTracks.first { $0.index == wanted } } ?? audio
    }

    /// A stream in use by its number.
    func stream(_ index: Int) -> Stream? { ([video].compactMap { $0 } + audioTracks).first { $0.index == index } }

    /// Packets of other streams are not read any more.
    func keepOnly(_ stream: Stream) {
        for index in 0..<Int(context.pointee.nb_streams) where index != stream.index {
            context.pointee.streams[index]?.pointee.discard = AVDISCARD_ALL
        }
    }

    func sourceTime(_ timestamp: Int64, of stream: Stream) -> Time { stream.clock(timestamp) - origin }

    /// Fills `packet` with the next packet of any stream in use; false at the end of the file.
    /// Damaged places are stepped over, a bounded number of times.
    func read(into packet: Packet) throws(MediaError) -> Bool {
        guard mayRestart, let video else { return try readNext(into: packet) }
        while try readNext(into: packet) {
            guard packet.streamIndex == video.index else { return true }
            let next = try packet.copy()
            guard let first = held else {
                held = next
                continue
            }
            held = next
            // A start code that lies across two PES packets makes libav give the time in the second
            // one's header to two frames. It is that of the first frame that begins in it, which is
            // the second of them.
            if let position = first.position, next.position == position, first.pts == next.pts, first.dts == next.dts {
                first.forgetTimes()
            }
            packet.take(first)
            return true
        }
        guard let last = held else { return false }
        held = nil
        packet.take(last)
        return true
    }

    private func readNext(into packet: Packet) throws(MediaError) -> Bool {
        while true {
            packet.clear()
            try interrupter.check("read", path: path)
            let errors = LibavLog.errorCount
            let result = DecoderCalls.current.during(path) { av_read_frame(context, packet.raw) }
            if LibavLog.errorCount != errors, logsLosses { (hasLost, isSpoiled) = (hasLost || lostPages == nil, true) }
            if result >= 0 {
                failures = 0
                interrupter.budget?.found()
                if context.pointee.streams[packet.streamIndex]?.pointee.discard == AVDISCARD_ALL { continue }
                if counted[packet.streamIndex]?.correct(packet) == true { (hasLost, isSpoiled) = (true, true) }
                if readAhead?.isBehindLoss(packet) == true { (hasLost, isSpoiled) = (true, true) }
                if lostPages?.take(packet) == true { (hasLost, isSpoiled) = (true, true) }
                noteOrder(of: packet)
                if mayRestart { correctDecodingTime(of: packet) }
                if clock?.shift(packet) == false { continue }
                if settling?.accepts(packet) == false { continue }
                return true
            }
            if interrupter.thrown != nil { throw interrupter.cancelled("read", path: path) }
            if result == cutroom_AVERROR_EOF {
                guard hasMoreInIndex else { return false }
                (hasLost, isSpoiled) = (true, true)
                continue
            }
            (failures, isSpoiled) = (failures + 1, true)
            if failures > Self.failureLimit { return false }
        }
    }

    private func noteOrder(of packet: Packet) {
        guard let time = packet.dts, !isSearchedByContent else { return }
        if packet.isCorrupt || lastTimes[packet.streamIndex].map({ time < $0 }) ?? false { isSpoiled = true }
        lastTimes[packet.streamIndex] = time
    }

    /// Whether a stream's index lists packets after the one at which the file ended. A wrong offset
    /// in the index looks like the end of the file; libav skips that packet when it reads again.
    private var hasMoreInIndex: Bool {
        guard formatName.contains("mp4") else { return false }
        return (0..<Int(context.pointee.nb_streams)).contains { number in
            guard let stream = context.pointee.streams[number], stream.pointee.discard != AVDISCARD_ALL,
                unreadable[number, default: 0] < Int(avformat_index_get_entries_count(stream)),
                let last = avformat_index_get_entry(stream, avformat_index_get_entries_count(stream) - 1)
            else { return false }
            unreadable[number, default: 0] += 1
            return lastTimes[number].map { $0 < last.pointee.timestamp } ?? true
        }
    }

    /// Whether packets were lost before the last one, since this was asked last: pages of Ogg whose
    /// checksum is wrong, what Matroska's structure does not lead to, what an index of MP4 places
    /// beyond the file, and so on.
    func takeLoss() -> Bool {
        defer { hasLost = false }
        return hasLost
    }

    /// Whether the last packet is the first one of its stream behind missing pages of Ogg.
    func isBehindLoss(_ packet: Packet) -> Bool { lostPages?.isBehindLoss(packet) ?? false }

    /// Whether a link of Ogg that another one follows lacks the end of a stream.
    func lacksEnd(of stream: Stream) -> Bool { lostPages?.lacksEnd(stream.index) ?? false }

    /// These demuxers log an error where they skip data. Those of transport and program streams
    /// parse the content, and the parsers log what is missing after a seek.
    private var logsLosses: Bool { !isSearchedByContent }

    private var isSearchedByContent: Bool {
        ["mpegts", "mpeg"].contains(formatName)
            || context.pointee.iformat.pointee.flags & AVFMT_NOTIMESTAMPS != 0
    }

    /// The longest delay between the decoding and the presentation of a frame.
    private static let longestDelay = Time(flicks: 10 * Time.flicksPerSecond)

    /// Where a stream does not say decoding times, libav guesses them from the presentation times
    /// of the frames before, also across a jump of the clock. Then the presentation time is the
    /// better guess.
    private func correctDecodingTime(of packet: Packet) {
        guard let pts = packet.pts, let dts = packet.dts, let stream = stream(packet.streamIndex) else { return }
        let delay = stream.clock(pts) - stream.clock(dts)
        if delay < .zero || delay > Self.longestDelay { packet.raw.pointee.dts = pts }
    }

    /// Goes to the last key frame of `stream` whose index timestamp is at or before `timestamp`
    /// (libav's clock, in the stream's ticks). False where the format cannot; the position is
    /// undefined then.
    func seek(_ stream: Stream, to timestamp: Int64) -> Bool {
        (failures, held, lastTimes) = (0, nil, [:])
        for stream in counted.keys { counted[stream]?.seek() }
        lostPages?.seek()
        guard mayRestart else {
            return av_seek_frame(context, Int32(stream.index), timestamp, AVSEEK_FLAG_BACKWARD) >= 0
        }
        // The first packets cannot be used; see ``SettlingStamps``.
        let timestamp = timestamp - stream.ticks(Time(flicks: Time.flicksPerSecond))
        settling = SettlingStamps()
        if clock != nil { return seekByPosition(stream, to: timestamp) }
        guard av_seek_frame(context, Int32(stream.index), timestamp, AVSEEK_FLAG_BACKWARD) >= 0 else { return false }
        // The file's first packets are there for those only who open it anew.
        return avio_seek(context.pointee.pb, 0, SEEK_CUR) > 0
    }

    // MARK: - Jumping clocks

    /// The clock jumps somewhere in the file.
    var hasJumps: Bool { clock != nil }

    /// Tells the packets after a jump from those before; nil before the first jump.
    var stretch: Int? { clock?.current }

    /// Halves the file until no more is left than this: it is read to its end then.
    private static let stretch: Int64 = 128 << 10

    /// Goes to a place before which all packets of `stream` are decoded at or before `timestamp`,
    /// by the positions of packets: libav searches by times, which do not rise in a file whose
    /// clock jumps.
    private func seekByPosition(_ stream: Stream, to timestamp: Int64) -> Bool {
        guard let packet = try? Packet() else { return false }
        var (low, high) = (Int64(0), file.size)
        while high - low > Self.stretch {
            let middle = low + (high - low) / 2
            guard goTo(middle) else { return false }
            if let time = firstTime(of: stream, before: high, packet), time <= timestamp {
                low = middle
            } else {
                high = middle
            }
        }
        return low > 0 && goTo(low)
    }

    private func goTo(_ position: Int64) -> Bool {
        clock?.forget()
        (settling, held) = (SettlingStamps(), nil)
        return av_seek_frame(context, -1, position, AVSEEK_FLAG_BYTE) >= 0
    }

    /// The decoding time of the stream's next packet; nil where none begins before the byte `end`.
    private func firstTime(of stream: Stream, before end: Int64, _ packet: Packet) -> Int64? {
        while (try? read(into: packet)) == true {
            guard packet.raw.pointee.pos < end else { return nil }
            if packet.streamIndex == stream.index, let time = packet.dts ?? packet.pts { return time }
        }
        return nil
    }
}
