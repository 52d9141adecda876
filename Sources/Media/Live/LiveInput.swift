import CFFmpeg
import Glibc
import Values

/// A device, or what libavformat reads like one, from which pictures or sound come as they happen.
///
/// Reading waits for the device, perhaps for ever: it belongs into a process of its own.
public final class LiveInput {
    /// How libavformat opens a source.
    public struct Description: Hashable, Sendable, Codable {
        /// libavformat's input format: `x11grab`, `pulse`, `lavfi`. It has to be registered.
        public var format: String
        /// What the format opens: a display, a device, a filter graph.
        public var url: String
        public var options: [String: String]

        public init(format: String, url: String, options: [String: String] = [:]) {
            (self.format, self.url, self.options) = (format, url, options)
        }
    }

    /// What the source delivers.
    public enum Form: Hashable, Sendable, Codable {
        /// Pixels, and frames per second.
        case picture(width: Int, height: Int, frameRate: Rational)
        case sound(sampleRate: Int, channels: Int)
    }

    public let form: Form
    private let name: String
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let stream: UnsafeMutablePointer<AVStream>
    private let decoder: UnsafeMutablePointer<AVCodecContext>
    private let packet: Packet
    private let frame: Frame
    private let scaler = Scaler()
    /// Damaged packets in a row that are left out.
    private static let mostDamaged = 100
    private var resampler: OpaquePointer?

    public enum Kind: Hashable, Sendable, Codable { case picture, sound }

    /// Opens the source.
    /// - Parameters:
    ///   - kind: what is read of it.
    ///   - name: of the source, for messages.
    /// - Throws: `unsupported`, `notFound`, `permissionDenied`, `read`.
    public init(_ description: Description, _ kind: Kind, name: String) throws(MediaError) {
        LibavLog.install()
        self.name = name
        guard let format = av_find_input_format(description.format) else {
            throw MediaError(
                .unsupported, "open", path: name, reason: "this FFmpeg does not have the input ‘\(description.format)’")
        }
        var dictionary: OpaquePointer?
        defer { av_dict_free(&dictionary) }
        for (key, value) in description.options { av_dict_set(&dictionary, key, value, 0) }
        var context: UnsafeMutablePointer<AVFormatContext>?
        try check(avformat_open_input(&context, description.url, format, &dictionary), "open", path: name, .read)
        guard let context else { throw .outOfMemory("open", path: name) }
        do throws(MediaError) {
            try check(avformat_find_stream_info(context, nil), "open", path: name, .read)
            guard let stream = Self.stream(of: context, kind) else {
                throw MediaError(
                    .notMedia, "open", path: name, reason: "it has no \(kind == .picture ? "picture" : "sound")")
            }
            self.stream = stream
            decoder = try Self.decoder(for: stream, name)
            packet = try Packet()
            frame = try Frame()
        } catch {
            var context: UnsafeMutablePointer<AVFormatContext>? = context
            avformat_close_input(&context)
            throw error
        }
        self.context = context
        form = Self.form(of: stream)
    }

    deinit {
        var context: UnsafeMutablePointer<AVFormatContext>? = context
        var decoder: UnsafeMutablePointer<AVCodecContext>? = decoder
        swr_free(&resampler)
        avcodec_free_context(&decoder)
        avformat_close_input(&context)
    }

    private static func stream(
        of context: UnsafeMutablePointer<AVFormatContext>, _ wanted: Kind
    ) -> UnsafeMutablePointer<AVStream>? {
        for index in 0..<Int(context.pointee.nb_streams) {
            guard let stream = context.pointee.streams[index] else { continue }
            let kind = wanted == .picture ? AVMEDIA_TYPE_VIDEO : AVMEDIA_TYPE_AUDIO
            if stream.pointee.codecpar.pointee.codec_type == kind { return stream }
        }
        return nil
    }

    private static func decoder(
        for stream: UnsafeMutablePointer<AVStream>, _ name: String
    ) throws(MediaError) -> UnsafeMutablePointer<AVCodecContext> {
        guard let codec = avcodec_find_decoder(stream.pointee.codecpar.pointee.codec_id) else {
            throw MediaError(.unsupported, "open", path: name, reason: "this FFmpeg cannot decode what it delivers")
        }
        guard let context = avcodec_alloc_context3(codec) else { throw .outOfMemory("open", path: name) }
        do throws(MediaError) {
            try check(avcodec_parameters_to_context(context, stream.pointee.codecpar), "open", path: name, .read)
            context.pointee.thread_count = 1
            try check(avcodec_open2(context, codec, nil), "open", path: name, .unsupported)
        } catch {
            var context: UnsafeMutablePointer<AVCodecContext>? = context
            avcodec_free_context(&context)
            throw error
        }
        return context
    }

    private static func form(of stream: UnsafeMutablePointer<AVStream>) -> Form {
        let parameters = stream.pointee.codecpar.pointee
        guard parameters.codec_type == AVMEDIA_TYPE_VIDEO else {
            return .sound(sampleRate: Int(parameters.sample_rate), channels: Int(parameters.ch_layout.nb_channels))
        }
        let rates = [stream.pointee.avg_frame_rate, stream.pointee.r_frame_rate].filter { $0.num > 0 && $0.den > 0 }
        let rate = rates.first.map { Rational(Int64($0.num), Int64($0.den)) } ?? Rational(30)
        return .picture(width: Int(parameters.width), height: Int(parameters.height), frameRate: rate)
    }

    /// Reads pictures until the source ends.
    /// - Parameters:
    ///   - width: of the pictures that are delivered, in pixels, even, as is `height`. The source's
    ///     are scaled until they fill it, and cropped.
    ///   - degrees: by which pictures are turned clockwise before: 0, 90, 180 or 270.
    ///   - isMirrored: left and right are exchanged, after that.
    ///   - visit: called with each picture, and the time of the source's clock in microseconds; nil
    ///     where it gives none. False ends the reading.
    /// - Throws: `read` where the source fails or ends.
    public func read(
        width: Int, height: Int, degrees: Int = 0, isMirrored: Bool = false,
        _ visit: (Picture, Int64?) throws(MediaError) -> Bool
    ) throws(MediaError) {
        let (own, ownHeight) = degrees % 180 == 0 ? (width, height) : (height, width)
        try readFrames { time throws(MediaError) in
            try crop(own, ownHeight)
            let picture = try scaled(own, ownHeight)
            let isUpright = degrees == 0 && !isMirrored
            return try visit(isUpright ? picture : Self.turned(picture, degrees, isMirrored), time)
        }
    }

    /// Reads sound until the source ends.
    /// - Parameters:
    ///   - sampleRate: of the sound that is delivered, as are the `channels`. The source's is
    ///     converted.
    ///   - visit: called with one plane for each channel, −1…1, valid during the call, the number
    ///     of their samples, and the time of the source's clock in microseconds; nil where it gives
    ///     none. False ends the reading.
    /// - Throws: `read` where the source fails or ends.
    public func read(
        sampleRate: Int, channels: Int,
        _ visit: ([UnsafePointer<Float>], Int, Int64?) throws(MediaError) -> Bool
    ) throws(MediaError) {
        try readFrames { time throws(MediaError) in
            try withSamples(sampleRate, channels) { planes, count throws(MediaError) in try visit(planes, count, time) }
        }
    }

    private func readFrames(_ visit: (Int64?) throws(MediaError) -> Bool) throws(MediaError) {
        var damaged = 0
        var sizes = RawSizes(stream.pointee.codecpar.pointee)
        while true {
            let result = av_read_frame(context, packet.raw)
            if result == cutroom_AVERROR_EAGAIN {
                usleep(1000)
                continue
            }
            if result == cutroom_AVERROR_EOF {
                throw MediaError(.read, "read", path: name, reason: "it has ended")
            }
            try check(result, "read", path: name, .read)
            defer { packet.clear() }
            guard packet.raw.pointee.stream_index == stream.pointee.index else { continue }
            switch sizes.fit(of: packet.raw.pointee.size) {
            case .good: break
            case .damaged: continue
            case .changed:
                throw MediaError(.read, "read", path: name, reason: "its pictures have changed their size")
            }
            // Cameras begin with broken pictures; a source that sends nothing else is lost.
            let sent = avcodec_send_packet(decoder, packet.raw)
            damaged = sent < 0 ? damaged + 1 : 0
            if sent < 0, damaged <= Self.mostDamaged { continue }
            try check(sent, "read", path: name, .decode)
            while avcodec_receive_frame(decoder, frame.raw) >= 0 {
                defer { frame.clear() }
                let time = frame.raw.pointee.pts.timestamp.map {
                    av_rescale_q($0, stream.pointee.time_base, AVRational(num: 1, den: 1_000_000))
                }
                guard try visit(time) else { return }
            }
        }
    }

    /// Crops the frame to the shape of a picture of this size.
    private func crop(_ width: Int, _ height: Int) throws(MediaError) {
        let (own, ownHeight) = (Int(frame.raw.pointee.width), Int(frame.raw.pointee.height))
        var (kept, keptHeight) = (own, ownHeight)
        if own - width == own % 2, ownHeight - height == ownHeight % 2 {
            // A picture whose size is odd loses its last row or column.
            (kept, keptHeight) = (width, height)
        } else if own * height > ownHeight * width {
            kept = max(1, ownHeight * width / height)
        } else {
            keptHeight = max(1, own * height / width)
        }
        guard kept < own || keptHeight < ownHeight else { return }
        let (left, top) = ((own - kept) / 2, (ownHeight - keptHeight) / 2)
        frame.raw.pointee.crop_left = left
        frame.raw.pointee.crop_top = top
        frame.raw.pointee.crop_right = own - kept - left
        frame.raw.pointee.crop_bottom = ownHeight - keptHeight - top
        try check(av_frame_apply_cropping(frame.raw, Int32(AV_FRAME_CROP_UNALIGNED)), "read", path: name, .read)
    }

    private static func turned(
        _ picture: Picture, _ degrees: Int, _ isMirrored: Bool
    ) throws(MediaError) -> Picture {
        let (width, height) = (picture.width, picture.height)
        let turned =
            try degrees % 180 == 0
            ? Picture(width: width, height: height, format: .yuv420p)
            : Picture(width: height, height: width, format: .yuv420p)
        for index in 0..<3 {
            let (width, height) = picture.size(ofPlane: index)
            Turn.copy(
                picture.plane(index), stride: picture.stride(index), width: width, height: height, degrees: degrees,
                isMirrored: isMirrored, to: turned.plane(index), targetStride: turned.stride(index))
        }
        return turned
    }

    private func scaled(_ width: Int, _ height: Int) throws(MediaError) -> Picture {
        let picture = try Picture(width: width, height: height, format: .yuv420p)
        let description = av_pix_fmt_desc_get(frame.pixelFormat)
        let isRGB = (description?.pointee.flags ?? 0) & UInt64(AV_PIX_FMT_FLAG_RGB) != 0
        let task = Scaler.Task(
            sourceWidth: Int(frame.raw.pointee.width), sourceHeight: Int(frame.raw.pointee.height),
            sourceFormat: frame.pixelFormat.rawValue,
            sourceIsFullRange: isRGB || frame.raw.pointee.color_range == AVCOL_RANGE_JPEG, width: width, height: height,
            format: AV_PIX_FMT_YUV420P.rawValue)
        try scaler.scale(
            task, from: frame.planes.map { UnsafePointer($0) }, strides: frame.strides,
            to: (0..<3).map { picture.plane($0) }, strides: (0..<3).map { Int32(picture.stride($0)) })
        return picture
    }

    private func withSamples(
        _ sampleRate: Int, _ channels: Int, _ body: ([UnsafePointer<Float>], Int) throws(MediaError) -> Bool
    ) throws(MediaError) -> Bool {
        let raw = frame.raw
        let count = Int(raw.pointee.nb_samples)
        if resampler == nil { resampler = try converter(sampleRate, channels) }
        let room = count * max(1, sampleRate) / max(1, Int(raw.pointee.sample_rate)) + 256
        let planes = UnsafeMutablePointer<Float>.allocate(capacity: room * channels)
        planes.initialize(repeating: 0, count: room * channels)
        defer { planes.deallocate() }
        var targets: [UnsafeMutablePointer<UInt8>?] = (0..<channels).map {
            UnsafeMutableRawPointer(planes + $0 * room).assumingMemoryBound(to: UInt8.self)
        }
        let sources = Int(raw.pointee.ch_layout.nb_channels)
        let converted = targets.withUnsafeMutableBufferPointer { targets in
            raw.pointee.extended_data.withMemoryRebound(to: UnsafePointer<UInt8>?.self, capacity: sources) { source in
                swr_convert(resampler, targets.baseAddress, Int32(room), source, Int32(count))
            }
        }
        try check(converted, "read", path: name, .read)
        for index in 0..<room * channels where !planes[index].isFinite { planes[index] = 0 }
        return try body((0..<channels).map { UnsafePointer(planes + $0 * room) }, Int(converted))
    }

    private func converter(_ sampleRate: Int, _ channels: Int) throws(MediaError) -> OpaquePointer {
        let raw = frame.raw
        var layout = AVChannelLayout()
        av_channel_layout_default(&layout, Int32(channels))
        defer { av_channel_layout_uninit(&layout) }
        var context: OpaquePointer?
        try check(
            swr_alloc_set_opts2(
                &context, &layout, AV_SAMPLE_FMT_FLTP, Int32(clamping: sampleRate), &raw.pointee.ch_layout,
                AVSampleFormat(raw.pointee.format), raw.pointee.sample_rate, 0, nil), "read", path: name, .read)
        guard let context else { throw .outOfMemory("read", path: name) }
        // libswresample's own matrix makes one channel 3 dB quieter in each of two.
        if raw.pointee.ch_layout.nb_channels == 1, channels == 2 { swr_set_matrix(context, [1, 1], 1) }
        let started = swr_init(context)
        if started < 0 {
            var context: OpaquePointer? = context
            swr_free(&context)
        }
        try check(started, "read", path: name, .read)
        return context
    }
}

/// Tells raw pictures of another size from those of the stream: libavcodec makes a picture of any
/// packet that is long enough.
private struct RawSizes {
    enum Fit { case good, damaged, changed }

    let isRaw: Bool
    /// Without gaps between the rows, which some devices leave.
    private let expected: Int32
    private var usual: Int32?
    private var other: Int32?

    init(_ parameters: AVCodecParameters) {
        isRaw = parameters.codec_id == AV_CODEC_ID_RAWVIDEO
        expected = av_image_get_buffer_size(
            AVPixelFormat(parameters.format), parameters.width, parameters.height, 1)
    }

    /// - Parameter size: of a packet, in bytes. A single one that is wrong is damaged.
    mutating func fit(of size: Int32) -> Fit {
        guard isRaw else { return .good }
        defer { other = size }
        guard let usual else {
            // The first packet may be the damaged one.
            guard size == expected || size == other else { return .damaged }
            usual = size
            return .good
        }
        if size == usual { return .good }
        return other == size ? .changed : .damaged
    }
}
