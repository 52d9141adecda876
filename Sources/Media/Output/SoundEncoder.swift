import CFFmpeg
import Delivery

/// Encodes the whole sound of a render into an MP4 or QuickTime file with an edit list, so that
/// decoders drop the encoder's delay and the first sample is heard at time zero. Never in pieces
/// but those of a codec without a delay (FLAC): each other piece would bring a delay of its own.
public final class SoundEncoder {
    private let encoder: Encoder
    private let muxer: Muxer
    private let stream: UnsafeMutablePointer<AVStream>
    private let timeBase: AVRational
    private let channels: Int
    private let format: SoundFormat
    private let frameSize: Int
    private let pending: SampleQueue
    private var appended = 0
    private var encoded = 0

    /// Creates the file, replacing one that is there. It is removed again where this object goes
    /// away unfinished.
    /// - Parameter isFragmented: the file is one that a browser's Media Source Extensions take as
    ///   it is.
    /// - Throws: `unsupported` for a codec that the installed libraries lack; `encode`, `mux`,
    ///   `notFound`, `permissionDenied`, `diskFull`.
    public init(path: String, encoding: AudioEncoding, isFragmented: Bool = false) throws(MediaError) {
        timeBase = AVRational(num: 1, den: Int32(clamping: encoding.sampleRate))
        channels = encoding.channels
        let format = SoundFormat(encoding.codec)
        self.format = format
        encoder = try Encoder(encoding.codec.encoderName, path: path, options: [:]) { [timeBase] context in
            context.pointee.sample_fmt = format.libav
            if case .int24 = format { context.pointee.bits_per_raw_sample = 24 }
            context.pointee.sample_rate = Int32(clamping: encoding.sampleRate)
            if encoding.codec.bitRates != nil { context.pointee.bit_rate = Int64(encoding.bitRate) }
            context.pointee.time_base = timeBase
            av_channel_layout_default(&context.pointee.ch_layout, Int32(encoding.channels))
        }
        // Samples as they are have no frames; these are not longer than others'.
        frameSize = encoder.context.pointee.frame_size > 0 ? Int(encoder.context.pointee.frame_size) : 1024
        pending = SampleQueue(channels: encoding.channels)
        let isPlain = encoding.codec == .pcm_s16 || encoding.codec == .pcm_s24
        muxer = try Muxer(path: path, format: isPlain ? "mov" : "mp4")
        stream = try muxer.addStream()
        try check(
            avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context), "encode", path: path, .encode)
        stream.pointee.time_base = timeBase
        // An edit list counts in the movie's clock: in milliseconds, the default, it would cut off
        // up to half of one.
        var options = ["movie_timescale": "\(encoding.sampleRate)", "strict": "experimental"]
        if isFragmented { options["movflags"] = "+empty_moov+default_base_moof" }
        try muxer.begin(options: options)
    }

    /// Encodes `count` samples of each plane, −1…1. The planes stay the caller's.
    public func append(_ planes: [UnsafePointer<Float>], count: Int) throws(MediaError) {
        precondition(planes.count == channels && count >= 0, "one plane for each channel")
        pending.append(upTo: count) { targets, _ in
            for (target, plane) in zip(targets, planes) { target.update(from: plane, count: count) }
            return count
        }
        appended += count
        while pending.end - encoded >= frameSize { try encode(frameSize) }
    }

    /// Ends the sound; the file is complete, closed and on the disk when this returns.
    /// - Returns: samples written: exactly those appended.
    public func finish() throws(MediaError) -> Int {
        if pending.end > encoded { try encode(pending.end - encoded) }
        try encoder.encode(nil, write)
        try muxer.finish()
        return appended
    }

    private func encode(_ count: Int) throws(MediaError) {
        let frame = try Frame()
        frame.raw.pointee.nb_samples = Int32(count)
        frame.raw.pointee.format = format.libav.rawValue
        frame.raw.pointee.sample_rate = timeBase.den
        frame.raw.pointee.pts = Int64(encoded)
        av_channel_layout_default(&frame.raw.pointee.ch_layout, Int32(channels))
        try check(av_frame_get_buffer(frame.raw, 0), "encode", path: muxer.path, .outOfMemory)
        format.fill(frame, from: (0..<channels).map { UnsafePointer(pending.samples($0)) }, count: count)
        encoded += count
        pending.drop(before: encoded)
        try encoder.encode(frame, write)
    }

    private func write(_ packet: Packet) throws(MediaError) {
        try muxer.write(packet, to: stream, timeBase: timeBase)
    }
}
