import CFFmpeg
import Dispatch
import Files
import Glibc
import Synchronization
import Values

/// How the picture of a take is encoded: H.264 with few frames of delay.
public struct TakePicture: Hashable, Sendable, Codable {
    /// Pixels, even.
    public var width: Int
    public var height: Int
    /// The rate at which frames are expected, per second. Frames have times of their own.
    public var frameRate: Rational
    /// x264's preset: one that a usual machine encodes in time.
    public var preset: String
    /// x264's CRF, 0 … 51; a lower one is better.
    public var quality = 20.0
    /// Bits per second, in place of the quality; nil: the quality decides.
    public var bitRate: Int?
    /// H.264's profile: `baseline`, `main` or `high`.
    public var profile = "high"
    /// Seconds from one key frame to the next, at most.
    public var keyFrameInterval = 1.0

    public init(width: Int, height: Int, frameRate: Rational) {
        (self.width, self.height, self.frameRate) = (width, height, frameRate)
        preset = Double(width * height) * frameRate.doubleValue > Self.muchWork ? "superfast" : "veryfast"
    }

    /// Pixels per second: a little more than 720p at 30 frames per second.
    private static let muchWork = 30e6
}

/// How the sound of a take is encoded: AAC.
public struct TakeSound: Hashable, Sendable, Codable {
    /// Samples per second.
    public var sampleRate: Int
    public var channels: Int
    /// Bits per second.
    public var bitRate: Int

    /// - Parameter bitRate: nil: a usual one. It is at most what AAC has: 6144 bits in the 1024
    ///   samples of a channel (ISO/IEC 14496-3, 4.5.3.1).
    public init(sampleRate: Int = 48000, channels: Int = 2, bitRate: Int? = nil) {
        (self.sampleRate, self.channels) = (sampleRate, channels)
        let usual = channels > 2 ? 80_000 * channels : 160_000
        self.bitRate = min(bitRate ?? usual, 6 * sampleRate * channels)
    }
}

/// Encodes live pictures and sound into a part of a take: a fragmented MP4 file that can be read up
/// to its last fragment, however the process or the machine ends.
///
/// A fragment has half a second at most, and goes to the disk when it ends. Times count from the
/// part's start.
public final class TakeWriter {
    private let path: String
    private let muxer: Muxer
    private let syncer: Syncer
    private let picture: Track?
    private let sounds: [Sound]
    /// The size in bytes so far.
    public private(set) var size: Int64 = 0
    private var fragmentStart = Time.zero

    /// The longest fragment.
    static let fragment = Time(flicks: Time.flicksPerSecond / 2)
    /// How long the first fragment waits for all tracks.
    private static let longestWait = Time(flicks: 2 * Time.flicksPerSecond)
    /// Ticks per second of the picture's times, as of RTP and MPEG transport streams.
    static let clock: Int32 = 90_000

    /// A picture track. A packet is written when the next one's time is known, which is the end of
    /// its own.
    private final class Track {
        let encoder: Encoder
        let settings: TakePicture
        let stream: UnsafeMutablePointer<AVStream>
        var pending: Packet?
        var last: Int64 = -1
        /// The last key frame that was asked for.
        var lastKey: Int64 = 0
        var hasBegun = false

        init(encoder: Encoder, settings: TakePicture, stream: UnsafeMutablePointer<AVStream>) {
            (self.encoder, self.settings, self.stream) = (encoder, settings, stream)
        }
    }

    private final class Sound {
        let encoder: Encoder
        let settings: TakeSound
        let stream: UnsafeMutablePointer<AVStream>
        let pending: SampleQueue
        var encoded = 0
        var hasBegun = false

        init(encoder: Encoder, settings: TakeSound, stream: UnsafeMutablePointer<AVStream>) {
            (self.encoder, self.settings, self.stream) = (encoder, settings, stream)
            pending = SampleQueue(channels: settings.channels)
        }
    }

    /// Creates the file. It stays where this object goes away unfinished.
    /// - Parameter sounds: each gets a track of its own.
    /// - Throws: `unsupported` for settings that an encoder does not have; `encode`, `mux`,
    ///   `notFound`, `permissionDenied`, `diskFull`.
    public init(path: String, picture: TakePicture?, sounds: [TakeSound]) throws(MediaError) {
        precondition(picture != nil || !sounds.isEmpty, "a take has a picture or sound")
        self.path = path
        muxer = try Muxer(path: path, format: "mp4", keepsUnfinished: true)
        let muxer = muxer
        self.picture = try picture.map { settings throws(MediaError) in try Self.track(settings, muxer) }
        self.sounds = try sounds.map { settings throws(MediaError) in try Self.track(settings, muxer) }
        syncer = Syncer(try MediaError.writing(path) { () throws(Errno) in try OpenFile(path, .readOnly) })
        try muxer.begin(options: [
            // The index waits for the first fragment, so that it can say how much of the sound is
            // the encoder's delay.
            "movflags": "+empty_moov+delay_moov+default_base_moof+frag_custom",
            "movie_timescale": "\(Self.clock)", "avoid_negative_ts": "disabled",
        ])
    }

    private static func track(_ settings: TakePicture, _ muxer: Muxer) throws(MediaError) -> Track {
        guard settings.width > 0, settings.height > 0, settings.width % 2 == 0, settings.height % 2 == 0 else {
            throw MediaError(
                .unsupported, "encode", path: muxer.path,
                reason: "\(settings.width)×\(settings.height) is not an even size")
        }
        guard let rate = AVRational(exactly: settings.frameRate) else {
            throw MediaError(
                .unsupported, "encode", path: muxer.path,
                reason: "\(settings.frameRate) frames per second is not a usable rate")
        }
        var options = [
            "preset": settings.preset, "tune": "zerolatency", "profile": settings.profile, "forced-idr": "1",
        ]
        if settings.bitRate == nil { options["crf"] = "\(settings.quality)" }
        let encoder = try Encoder("libx264", path: muxer.path, options: options) { context in
            context.pointee.width = Int32(settings.width)
            context.pointee.height = Int32(settings.height)
            context.pointee.pix_fmt = AV_PIX_FMT_YUV420P
            context.pointee.sample_aspect_ratio = AVRational(num: 1, den: 1)
            context.pointee.time_base = AVRational(num: 1, den: clock)
            context.pointee.framerate = rate
            let frames = settings.keyFrameInterval * settings.frameRate.doubleValue
            context.pointee.gop_size = Int32(min(max(frames.rounded(), 1), 1e6))
            if let bitRate = settings.bitRate {
                // A second of it may be late: what moves is not cut off.
                context.pointee.bit_rate = Int64(bitRate)
                context.pointee.rc_max_rate = Int64(bitRate)
                context.pointee.rc_buffer_size = Int32(clamping: bitRate)
            }
            // Live pictures have to be encoded in time; nothing needs the same bytes twice.
            context.pointee.thread_count = 0
            ColorTags.canvas.apply(to: context)
        }
        let stream = try muxer.addStream()
        try check(
            avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context), "encode", path: muxer.path,
            .encode)
        stream.pointee.time_base = encoder.context.pointee.time_base
        stream.pointee.avg_frame_rate = rate
        return Track(encoder: encoder, settings: settings, stream: stream)
    }

    private static func track(_ settings: TakeSound, _ muxer: Muxer) throws(MediaError) -> Sound {
        let encoder = try Encoder("aac", path: muxer.path, options: [:]) { context in
            context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
            context.pointee.sample_rate = Int32(clamping: settings.sampleRate)
            context.pointee.bit_rate = Int64(settings.bitRate)
            context.pointee.time_base = AVRational(num: 1, den: Int32(clamping: settings.sampleRate))
            av_channel_layout_default(&context.pointee.ch_layout, Int32(settings.channels))
        }
        let stream = try muxer.addStream()
        try check(
            avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context), "encode", path: muxer.path,
            .encode)
        stream.pointee.time_base = encoder.context.pointee.time_base
        return Sound(encoder: encoder, settings: settings, stream: stream)
    }

    // MARK: Writing

    /// Encodes a picture that is shown from `time` on. The picture stays the caller's.
    /// - Returns: false for a time that is not after the last one's: the picture is left out.
    @discardableResult
    public func append(_ picture: Picture, at time: Time) throws(MediaError) -> Bool {
        guard let track = self.picture else { preconditionFailure("the part has no picture") }
        guard (picture.width, picture.height) == (track.settings.width, track.settings.height),
            picture.format == .yuv420p
        else {
            throw MediaError(
                .encode, "encode", path: path,
                reason: "a picture is \(picture.width)×\(picture.height) \(picture.format), "
                    + "not \(track.settings.width)×\(track.settings.height) yuv420p")
        }
        let ticks = Int64(time.rounded(rate: Rational(Int64(Self.clock))))
        guard ticks > track.last else { return false }
        track.last = ticks
        let frame = try picture.shared()
        frame.raw.pointee.pts = ticks
        // The encoder counts frames, of which fewer may come than were expected.
        let isKey = Double(ticks - track.lastKey) >= track.settings.keyFrameInterval * Double(Self.clock)
        frame.raw.pointee.pict_type = isKey ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        if isKey { track.lastKey = ticks }
        ColorTags.canvas.apply(to: frame)
        try track.encoder.encode(frame) { packet throws(MediaError) in try write(packet, track) }
        return true
    }

    /// Encodes `count` samples of each channel of a track, −1…1, that follow on those before.
    public func append(_ planes: [UnsafePointer<Float>], count: Int, to track: Int = 0) throws(MediaError) {
        let sound = sounds[track]
        precondition(planes.count == sound.settings.channels && count >= 0, "one plane for each channel")
        sound.pending.append(upTo: count) { targets, _ in
            for (target, plane) in zip(targets, planes) { target.update(from: plane, count: count) }
            return count
        }
        let frameSize = max(1, Int(sound.encoder.context.pointee.frame_size))
        while sound.pending.end - sound.encoded >= frameSize { try encode(frameSize, sound) }
    }

    /// Encodes `count` samples of silence.
    public func append(silence count: Int, to track: Int = 0) throws(MediaError) {
        guard count > 0 else { return }
        let block = UnsafeMutablePointer<Float>.allocate(capacity: 4096)
        block.initialize(repeating: 0, count: 4096)
        defer { block.deallocate() }
        let planes = [UnsafePointer<Float>](repeating: UnsafePointer(block), count: sounds[track].settings.channels)
        for start in stride(from: 0, to: count, by: 4096) {
            try append(planes, count: min(4096, count - start), to: track)
        }
    }

    /// The samples of each channel of a track so far.
    public func sampleCount(_ track: Int = 0) -> Int { sounds[track].pending.end }

    /// Ends the part. The file is complete, closed and on the disk when this returns.
    /// - Parameter end: when the last picture ends.
    public func finish(at end: Time) throws(MediaError) {
        if let picture {
            try picture.encoder.encode(nil) { packet throws(MediaError) in try write(packet, picture) }
            if let pending = picture.pending {
                let ticks = Int64(end.rounded(rate: Rational(Int64(Self.clock))))
                try write(pending, picture, until: max(ticks, (pending.pts ?? 0) + 1))
                picture.pending = nil
            }
        }
        for sound in sounds {
            if sound.pending.end > sound.encoded { try encode(sound.pending.end - sound.encoded, sound) }
            try sound.encoder.encode(nil) { packet throws(MediaError) in try write(packet, sound) }
        }
        try muxer.finish()
    }

    private func encode(_ count: Int, _ sound: Sound) throws(MediaError) {
        let frame = try Frame()
        frame.raw.pointee.nb_samples = Int32(count)
        frame.raw.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
        frame.raw.pointee.sample_rate = Int32(clamping: sound.settings.sampleRate)
        frame.raw.pointee.pts = Int64(sound.encoded)
        av_channel_layout_default(&frame.raw.pointee.ch_layout, Int32(sound.settings.channels))
        try check(av_frame_get_buffer(frame.raw, 0), "encode", path: path, .outOfMemory)
        SoundFormat.planarFloat.fill(
            frame, from: (0..<sound.settings.channels).map { UnsafePointer(sound.pending.samples($0)) }, count: count)
        sound.encoded += count
        sound.pending.drop(before: sound.encoded)
        try sound.encoder.encode(frame) { packet throws(MediaError) in try write(packet, sound) }
    }

    private func write(_ packet: Packet, _ track: Track) throws(MediaError) {
        if let pending = track.pending { try write(pending, track, until: packet.pts ?? 0) }
        let next = try Packet()
        next.take(packet)
        track.pending = next
    }

    private func write(_ packet: Packet, _ track: Track, until end: Int64) throws(MediaError) {
        let start = packet.pts ?? 0
        packet.raw.pointee.duration = max(1, end - start)
        size += Int64(packet.raw.pointee.size)
        try endFragment(before: Time(frame: Int(start), rate: Rational(Int64(Self.clock))))
        track.hasBegun = true
        try muxer.writeInterleaved(packet, to: track.stream, timeBase: track.encoder.context.pointee.time_base)
    }

    private func write(_ packet: Packet, _ sound: Sound) throws(MediaError) {
        size += Int64(packet.raw.pointee.size)
        try endFragment(before: Time(frame: Int(packet.pts ?? 0), rate: Rational(Int64(sound.settings.sampleRate))))
        sound.hasBegun = true
        try muxer.writeInterleaved(packet, to: sound.stream, timeBase: sound.encoder.context.pointee.time_base)
    }

    private func endFragment(before time: Time) throws(MediaError) {
        guard time - fragmentStart >= Self.fragment else { return }
        // The index says how each track begins. A source that is silent at first does not hold the
        // others for long.
        let haveBegun = picture?.hasBegun ?? true && sounds.allSatisfy(\.hasBegun)
        guard haveBegun || time >= Self.longestWait else { return }
        fragmentStart = time
        try muxer.flush()
        try MediaError.writing(path) { () throws(Errno) in try syncer.sync() }
    }
}

/// Brings a file that grows to the disk, on a thread of its own: encoding does not wait for it.
private final class Syncer: Sendable {
    private struct State {
        var isRunning = false
        var error: Errno?
    }

    private let file: OpenFile
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "sync")

    init(_ file: consuming OpenFile) { self.file = file }

    /// Begins, unless the disk is still busy with the last time.
    /// - Throws: what went wrong then.
    func sync() throws(Errno) {
        let (isRunning, error) = state.withLock { state in
            defer { state.isRunning = true }
            return (state.isRunning, state.error)
        }
        if let error { throw error }
        if isRunning { return }
        queue.async { [self] in
            let error = fdatasync(file.descriptor.rawValue) == 0 ? nil : Errno(rawValue: errno)
            state.withLock { $0 = State(isRunning: false, error: error) }
        }
    }
}
