import CFFmpeg
import Glibc
import Values

/// A device that plays sound as it is written.
///
/// Writing waits for the device, perhaps for ever: it belongs into a process of its own.
public final class LiveOutput {
    private let name: String
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let packet: Packet
    private let sampleRate: Int
    private let channels: Int
    /// Samples of each channel.
    private var written: Int64 = 0

    /// Milliseconds of sound that the device holds and that are not heard yet, at most.
    private static let buffered = 100

    /// Opens the device.
    /// - Parameters:
    ///   - format: libavformat's output format, `pulse` or `alsa`. It has to be registered.
    ///   - device: what the format opens; nil: the default device.
    ///   - name: of the device, for messages.
    /// - Throws: `unsupported`, `mux`.
    public init(format: String, device: String?, sampleRate: Int, channels: Int, name: String) throws(MediaError) {
        LibavLog.install()
        (self.name, self.sampleRate, self.channels) = (name, sampleRate, channels)
        packet = try Packet()
        var context: UnsafeMutablePointer<AVFormatContext>?
        guard avformat_alloc_output_context2(&context, nil, format, device ?? "default") >= 0, let context else {
            throw MediaError(
                .unsupported, "open", path: name, reason: "this FFmpeg does not have the output ‘\(format)’")
        }
        do throws(MediaError) {
            try Self.open(context, format, device, sampleRate, channels, name)
        } catch {
            avformat_free_context(context)
            throw error
        }
        self.context = context
    }

    private static func open(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ format: String, _ device: String?, _ sampleRate: Int,
        _ channels: Int, _ name: String
    ) throws(MediaError) {
        guard let stream = avformat_new_stream(context, nil), let parameters = stream.pointee.codecpar else {
            throw .outOfMemory("open", path: name)
        }
        parameters.pointee.codec_type = AVMEDIA_TYPE_AUDIO
        parameters.pointee.codec_id = AV_CODEC_ID_PCM_F32LE
        parameters.pointee.format = AV_SAMPLE_FMT_FLT.rawValue
        parameters.pointee.sample_rate = Int32(clamping: sampleRate)
        av_channel_layout_default(&parameters.pointee.ch_layout, Int32(clamping: channels))
        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        if format == "pulse" {
            if let device { av_dict_set(&options, "device", device, 0) }
            av_dict_set(&options, "name", "cutroom", 0)
            av_dict_set(&options, "stream_name", "background", 0)
            av_dict_set(&options, "buffer_duration", "\(buffered)", 0)
        }
        try check(avformat_write_header(context, &options), "open", path: name, .mux)
    }

    deinit {
        av_write_trailer(context)
        avformat_free_context(context)
    }

    /// Plays samples, which are interleaved: waits until the device has room for them.
    /// - Throws: `mux`.
    public func write(_ samples: UnsafeBufferPointer<Float>) throws(MediaError) {
        precondition(samples.count % channels == 0, "whole samples")
        packet.clear()
        guard let first = samples.baseAddress, samples.count >= channels else { return }
        let size = samples.count * MemoryLayout<Float>.stride
        try check(av_new_packet(packet.raw, Int32(clamping: size)), "play on", path: name, .mux)
        memcpy(packet.raw.pointee.data, first, size)
        packet.raw.pointee.stream_index = 0
        packet.raw.pointee.pts = ticks(written)
        packet.raw.pointee.dts = packet.raw.pointee.pts
        written += Int64(samples.count / channels)
        packet.raw.pointee.duration = ticks(written) - packet.raw.pointee.pts
        try check(av_write_frame(context, packet.raw), "play on", path: name, .mux)
    }

    /// The nanoseconds from now until the sample that is written next is heard; nil where the
    /// device does not say.
    public var delay: Int64? {
        var (heard, wall) = (Int64(0), Int64(0))
        guard written > 0, av_get_output_timestamp(context, 0, &heard, &wall) >= 0 else { return nil }
        return max(0, av_rescale_q(ticks(written) - heard, timeBase, AVRational(num: 1, den: 1_000_000_000)))
    }

    private func ticks(_ samples: Int64) -> Int64 {
        av_rescale_q(samples, AVRational(num: 1, den: Int32(clamping: sampleRate)), timeBase)
    }

    private var timeBase: AVRational {
        context.pointee.streams[0]?.pointee.time_base ?? AVRational(num: 1, den: 1_000_000)
    }
}
