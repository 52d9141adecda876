import CFFmpeg
import Draft
import Glibc
import Values

/// Joins the parts of a take to one MP4 or WebM file, without encoding anything again.
public enum TakeJoiner {
    public struct Result: Hashable, Sendable {
        /// The length of the picture, or of the sound where there is none; zero where no part has a
        /// frame: there is no output then.
        public var duration = Time.zero
        /// Bytes.
        public var size: Int64 = 0
        public var hasPicture = true
        /// Parts with something that the output lacks because it cannot be read.
        public var damaged: [String] = []
        /// The output is the only part itself, under another name: the disk has no room for both.
        public var isPart = false
    }

    /// Joins the parts in their order. A part that was cut off counts up to its last whole
    /// fragment, or block of WebM. Missing parts, and those without one, are left out.
    /// - Parameters:
    ///   - output: its name says which container it has. It is replaced where it exists. Where the
    ///     disk has no room for it and there is one part, it is that part, without a fragment that
    ///     was cut off. It is complete and on the disk when this returns, and removed where it
    ///     throws.
    ///   - pulse: called while it works.
    /// - Throws: `mux`, `diskFull`, `read` for a part whose bytes the system does not give, and
    ///   others.
    public static func join(
        _ parts: [String], output: String, pulse: @escaping Pulse = { _ in }
    ) throws(MediaError) -> Result {
        var readers: [Part] = []
        var result = Result()
        for path in parts {
            let (part, isWhole) = try Part.open(path, pulse)
            let fits = part.map { part in readers.first?.hasForm(of: part) ?? true } ?? true
            if let part, fits { readers.append(part) }
            if !isWhole || !fits { result.damaged.append(path) }
        }
        guard !readers.isEmpty else { return result }
        // It may be a second name of a part.
        unlink(output)
        do throws(MediaError) {
            return try join(readers, result, output)
        } catch {
            guard error.code == .diskFull, readers.count == 1, result.damaged.isEmpty, let part = readers.first else {
                throw error
            }
            return try name(part, output, otherwise: error)
        }
    }

    /// Gives a part a second name.
    private static func name(
        _ part: Part, _ output: String, otherwise error: MediaError
    ) throws(MediaError) -> Result {
        let duration = try part.duration
        var status = stat()
        // Bytes behind the last whole fragment would make readers complain.
        guard let end = part.end, duration > .zero, truncate(part.path, Int(end)) == 0, link(part.path, output) == 0,
            stat(output, &status) == 0
        else { throw error }
        return Result(
            duration: duration, size: Int64(status.st_size), hasPicture: part.demuxer.video != nil, isPart: true)
    }

    private static func join(
        _ readers: [Part], _ found: Result, _ output: String
    ) throws(MediaError) -> Result {
        var result = found
        guard let first = readers.first else { return result }
        let isWebM = output.hasSuffix(".webm")
        let muxer = try Muxer(path: output, format: isWebM ? "webm" : "mp4")
        let picture = try first.demuxer.video.map { source throws(MediaError) in try track(source, muxer) }
        let sounds = try first.demuxer.audioTracks.map { source throws(MediaError) in try track(source, muxer) }
        let options = isWebM ? [:] : ["movie_timescale": "\(TakeWriter.clock)"]
        try muxer.begin(options: options.merging(["avoid_negative_ts": "disabled"]) { $1 })
        var joint = Joint(muxer: muxer, picture: picture, sounds: sounds)
        for part in readers where try !joint.append(part) {
            if !result.damaged.contains(part.path) { result.damaged.append(part.path) }
        }
        try joint.finish()
        // Nothing but indexes: the output goes with its muxer.
        guard joint.packets > 0 else { return result }
        (result.duration, result.hasPicture) = (joint.place, picture != nil)
        try muxer.finish()
        var status = stat()
        guard stat(output, &status) == 0 else {
            throw MediaError(.mux, "write", path: output, reason: String(cString: strerror(errno)))
        }
        result.size = Int64(status.st_size)
        return result
    }

    /// A part with at least one whole fragment.
    private struct Part {
        let path: String
        /// Where the last whole fragment ends, in bytes; nil: there are no fragments.
        let end: Int64?
        let demuxer: Demuxer

        /// The length of what can be read. It reads all.
        var duration: Time {
            get throws(MediaError) {
                let (whole, isWhole) = try Self.open(path) { _ in }
                guard isWhole, let demuxer = whole?.demuxer, let source = demuxer.video ?? demuxer.audio else {
                    return .zero
                }
                let packet = try Packet()
                while try demuxer.read(into: packet) {}
                return source.clock(source.raw.pointee.duration.timestamp ?? 0)
            }
        }

        /// - Returns: the part, nil where nothing can be read; and whether that is all that it has.
        static func open(
            _ path: String, _ pulse: @escaping Pulse
        ) throws(MediaError) -> (part: Part?, isWhole: Bool) {
            let part: FilePart
            let isWhole: Bool
            var end: Int64?
            do throws(MediaError) {
                let file = try InputFile(path: path, interrupter: Interrupter(pulse))
                if try file.bytes(at: 0, count: 4) == ebml {
                    (part, isWhole) = (.whole, true)
                } else {
                    let fragments = try TakeFragments(in: file)
                    guard fragments.end > 0 else { return (nil, !fragments.areLost) }
                    end = fragments.end
                    (part, isWhole) = (FilePart(bytes: 0..<fragments.end), !fragments.areLost)
                }
            } catch {
                guard [.notFound, .empty].contains(error.code) else { throw error }
                return (nil, true)
            }
            do throws(MediaError) {
                let demuxer = try Demuxer(path: path, part: part, pulse: pulse)
                guard demuxer.video != nil || demuxer.audio != nil else { return (nil, false) }
                return (Part(path: path, end: end, demuxer: demuxer), isWhole)
            } catch {
                guard [.notMedia, .truncated, .decode, .unsupported].contains(error.code) else { throw error }
                return (nil, false)
            }
        }

        /// How Matroska files begin (RFC 9559, 4.5).
        private static let ebml: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3]

        /// Whether packets of both parts can be in one track each.
        func hasForm(of other: Part) -> Bool {
            let (all, others) = (streams, other.streams)
            return (demuxer.video == nil) == (other.demuxer.video == nil) && all.count == others.count
                && zip(all, others).allSatisfy { Self.areEqual($0, $1) }
        }

        private var streams: [Demuxer.Stream] { (demuxer.video.map { [$0] } ?? []) + demuxer.audioTracks }

        private static func areEqual(_ one: Demuxer.Stream, _ other: Demuxer.Stream) -> Bool {
            let (a, b) = (one.parameters.pointee, other.parameters.pointee)
            if a.codec_id == b.codec_id, hasOwnForm(a), hasOwnForm(b) { return true }
            let size = Int(a.extradata_size)
            return a.codec_id == b.codec_id && a.width == b.width && a.height == b.height
                && a.sample_rate == b.sample_rate && a.ch_layout.nb_channels == b.ch_layout.nb_channels
                && a.extradata_size == b.extradata_size
                && (size == 0 || memcmp(a.extradata, b.extradata, size) == 0)
                && av_cmp_q(one.timeBase, other.timeBase) == 0
        }
    }

    /// H.264 whose parameter sets are in its key frames (ISO/IEC 14496-15, 5.3.3): `avc3`.
    private static let avc3: UInt32 = 0x3363_7661

    /// Whether each key frame says the size of the picture, which may change within a part and from
    /// part to part, as when a phone is turned.
    private static func hasOwnForm(_ parameters: AVCodecParameters) -> Bool {
        parameters.codec_id == AV_CODEC_ID_VP8
            || parameters.codec_id == AV_CODEC_ID_H264 && parameters.codec_tag == avc3
    }

    private static func track(_ source: Demuxer.Stream, _ muxer: Muxer) throws(MediaError) -> UnsafeMutablePointer<
        AVStream
    > {
        let stream = try muxer.addStream()
        try check(
            avcodec_parameters_copy(stream.pointee.codecpar, source.raw.pointee.codecpar), "write", path: muxer.path,
            .mux)
        let isKept = hasOwnForm(source.parameters.pointee) && source.parameters.pointee.codec_tag == avc3
        stream.pointee.codecpar.pointee.codec_tag = isKept ? avc3 : 0
        stream.pointee.time_base = source.timeBase
        return stream
    }

    private struct Joint {
        let muxer: Muxer
        let picture: UnsafeMutablePointer<AVStream>?
        let sounds: [UnsafeMutablePointer<AVStream>]
        /// Where the next part begins.
        var place = Time.zero
        /// Packets that were written.
        var packets = 0
        /// The end of each sound so far, in samples.
        private var soundEnds: [Int64?]
        /// The last packet of each sound: it may be the one that ends the file.
        private var held: [(packet: Packet, source: Demuxer.Stream)?]
        /// Where the next packet of each sound of a browser follows.
        private var steadyEnds: [Time?]
        /// The decoding time of the last packet of each track.
        private var lastTimes: [Int32: Time] = [:]

        init(
            muxer: Muxer, picture: UnsafeMutablePointer<AVStream>?, sounds: [UnsafeMutablePointer<AVStream>]
        ) {
            (self.muxer, self.picture, self.sounds) = (muxer, picture, sounds)
            soundEnds = sounds.map { _ in nil }
            held = sounds.map { _ in nil }
            steadyEnds = sounds.map { _ in nil }
        }

        /// - Returns: whether all of the part's packets could be read and written.
        mutating func append(_ part: Part) throws(MediaError) -> Bool {
            let demuxer = part.demuxer
            let (packet, last) = (try Packet(), try Packet())
            var isWhole = true
            var areFirst = sounds.map { _ in true }
            // The end of the part's tracks in WebM, which does not state it, and of a browser's
            // sound.
            var (interval, soundEnd) = (Int64(1), Time.zero)
            while try demuxer.read(into: packet) {
                if demuxer.takeLoss() { isWhole = false }
                if let source = demuxer.video, let picture, packet.streamIndex == source.index {
                    if let pts = packet.pts, let before = last.pts, pts > before { interval = pts - before }
                    if last.pts != nil, try !move(last, of: source, to: picture, by: place) { isWhole = false }
                    last.take(packet)
                } else if let track = demuxer.audioTracks.firstIndex(where: { $0.index == packet.streamIndex }) {
                    let source = demuxer.audioTracks[track]
                    let start = packet.pts ?? 0
                    let isKept =
                        OpusPacket.isOpus(source)
                        ? steadies(packet, of: source, track, areFirst[track])
                        : keeps(packet, of: source, track, areFirst[track])
                    guard isKept else { continue }
                    if OpusPacket.isOpus(source) {
                        soundEnd = max(soundEnd, source.clock(start) + OpusPacket.length(packet))
                    }
                    areFirst[track] = false
                    if try !writeHeld(track) { isWhole = false }
                    let last = try Packet()
                    last.take(packet)
                    held[track] = (last, source)
                }
            }
            let error = demuxer.context.pointee.pb?.pointee.error ?? 0
            guard error >= 0 || error == cutroom_AVERROR_EOF else {
                throw .libav(error, "read", path: part.path, fallback: .read)
            }
            guard let source = demuxer.video ?? demuxer.audio else { return isWhole }
            // The stream's length is that of the fragments that were read; their packets do not
            // come with lengths.
            var end = source.raw.pointee.duration.timestamp ?? 0
            if let picture, let time = last.pts {
                end = max(end, time + (end > 0 ? 1 : interval))
                // A browser that encodes pictures late has recorded the sound of them.
                end = max(end, source.ticks(soundEnd))
                last.raw.pointee.duration = end - time
                if try !move(last, of: source, to: picture, by: place) { isWhole = false }
            }
            if picture == nil { end = max(end, source.ticks(soundEnd)) }
            place = place + source.clock(end)
            return isWhole && !demuxer.takeLoss()
        }

        /// Writes the last sounds, which end with the picture although their packets have a length
        /// of their own.
        mutating func finish() throws(MediaError) {
            for (track, last) in held.enumerated() {
                guard let (packet, source) = last else { continue }
                let left = source.ticks(place) - (packet.pts ?? 0)
                if left <= 0, packets > 0 { continue }
                let length = packet.duration > 0 ? min(packet.duration, left) : left
                packet.raw.pointee.duration = max(1, length)
                _ = try writeHeld(track)
            }
        }

        /// - Returns: see ``write(_:of:to:)``.
        private mutating func writeHeld(_ track: Int) throws(MediaError) -> Bool {
            guard let (packet, source) = held[track] else { return true }
            held[track] = nil
            return try write(packet, of: source, to: sounds[track])
        }

        /// Gives a browser's packet of sound its place. Browsers give packets the times at which
        /// their samples came, which are off by up to 20 ms. The packets follow on each other, at
        /// the pace of these times.
        /// - Returns: false for a packet that would be too late: it is left out.
        private mutating func steadies(
            _ packet: Packet, of source: Demuxer.Stream, _ track: Int, _ isFirst: Bool
        ) -> Bool {
            guard let pts = packet.pts else { return true }
            let (stated, length) = (source.clock(pts) + place, OpusPacket.length(packet))
            let next = steadyEnds[track] ?? stated
            let error = stated - next
            // Doubled: the packet is left out.
            guard error >= -Self.longestJitter, !isFirst || error >= -length.scaled(by: Rational(1, 2)) else {
                return false
            }
            // Sound that is missing stays missing.
            let isMissing = error > Self.longestJitter || isFirst && error > .zero
            let start = isMissing ? stated : next + error.scaled(by: Self.pull)
            let ticks = source.ticks(start)
            (packet.raw.pointee.pts, packet.raw.pointee.dts) = (ticks, ticks)
            packet.raw.pointee.duration = max(1, source.ticks(start + length) - ticks)
            steadyEnds[track] = start + length
            return true
        }

        /// Sound that is off by more is missing, or doubled.
        private static let longestJitter = Time(flicks: Time.flicksPerSecond / 5)
        /// How much of its error each packet is moved by: of packets of 60 ms, those of four
        /// seconds count.
        private static let pull = Rational(1, 64)

        /// libav's clock is zero at the part's start. The sound begins before it, with the
        /// encoder's delay.
        private mutating func move(
            _ packet: Packet, of source: Demuxer.Stream, to stream: UnsafeMutablePointer<AVStream>, by place: Time
        ) throws(MediaError) -> Bool {
            let shift = source.ticks(place)
            if packet.pts != nil { packet.raw.pointee.pts += shift }
            if packet.dts != nil { packet.raw.pointee.dts += shift }
            return try write(packet, of: source, to: stream)
        }

        /// - Returns: false for a packet whose times are missing or do not rise, as those of a
        ///   damaged fragment: it is left out.
        private mutating func write(
            _ packet: Packet, of source: Demuxer.Stream, to stream: UnsafeMutablePointer<AVStream>
        ) throws(MediaError) -> Bool {
            guard let pts = packet.pts, let dts = packet.dts, dts <= pts,
                lastTimes[stream.pointee.index].map({ source.clock(dts) > $0 }) ?? true
            else { return false }
            lastTimes[stream.pointee.index] = source.clock(dts)
            packets += 1
            try muxer.writeInterleaved(packet, to: stream, timeBase: source.timeBase)
            return true
        }

        /// Sound follows on the sound before it: an encoder's packets have a length of their own,
        /// which is not the part's. So that the sound is never off by more than half a packet, one
        /// is left out where it would be late by more. The first packet of a later part, the
        /// encoder's delay, is never written.
        private mutating func keeps(
            _ packet: Packet, of source: Demuxer.Stream, _ track: Int, _ isFirst: Bool
        ) -> Bool {
            let length = max(1, packet.duration)
            guard var end = soundEnds[track] else {
                soundEnds[track] = (packet.pts ?? 0) + length
                return true
            }
            let stated = (packet.pts ?? 0) + source.ticks(place)
            if isFirst {
                if packet.pts ?? 0 < 0 { return false }
                // Too late already: the packet is left out.
                if end - stated > length / 2 { return false }
                // Sound that is missing stays missing.
                if stated - end > length / 2 { end = stated }
            } else if stated - end > length {
                end = stated
            } else if end - stated > length {
                // A clock that runs fast.
                return false
            }
            (packet.raw.pointee.pts, packet.raw.pointee.dts) = (end, end)
            soundEnds[track] = end + length
            return true
        }
    }
}
