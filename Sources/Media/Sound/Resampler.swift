import CFFmpeg

/// Owns an `SwrContext`: any decoded sound to planar 32-bit float at another rate and channel
/// count.
final class Resampler {
    /// What decides the context.
    struct Input: Equatable {
        var sampleRate: Int
        var channels: Int
        var format: Int32
        /// The channel mask; 0 where the order is unknown.
        var mask: UInt64

        init(_ frame: Frame) {
            self.init(
                layout: frame.raw.pointee.ch_layout, sampleRate: Int(frame.raw.pointee.sample_rate),
                format: frame.raw.pointee.format)
        }

        init(layout: AVChannelLayout, sampleRate: Int, format: Int32) {
            (self.sampleRate, self.format) = (sampleRate, format)
            channels = Int(layout.nb_channels)
            mask = layout.order == AV_CHANNEL_ORDER_NATIVE ? layout.u.mask : 0
        }

        /// Whether it is known which channel is which, and how they are mixed down to two.
        var isConvertible: Bool {
            (try? Resampler(self, sampleRate: sampleRate, channels: 2, path: ""))?.knowsLayout ?? false
        }
    }

    /// Whether it is known which channel of such sound is which. Otherwise its first channels are
    /// played.
    static func hasLayout(_ layout: AVChannelLayout) -> Bool {
        Input(layout: layout, sampleRate: 48_000, format: AV_SAMPLE_FMT_FLTP.rawValue).isConvertible
    }

    let input: Input
    /// The channels are mixed by what they are. Otherwise the first channels of the input become
    /// those of the output, and a single one is the mean of the first two.
    private(set) var knowsLayout = false
    private var context: OpaquePointer?
    private let silence: [UInt8]

    /// How many samples of silence ``silent(_:into:capacity:)`` feeds at most.
    static let silenceLimit = 2048

    /// Refuses sound that no recording has: a second of output would take gigabytes of input, or
    /// the other way round.
    /// - Throws: `unsupported`.
    static func checkForm(sampleRate: Int, channels: Int, path: String) throws(MediaError) {
        guard !(1000...768_000).contains(sampleRate) || !(1...64).contains(channels) else { return }
        throw MediaError(
            .unsupported, "read the sound of", path: path,
            reason: "it has \(channels) \(channels == 1 ? "channel" : "channels") at \(sampleRate) Hz, but must have "
                + "1 to 64 channels at 1000 to 768000 Hz")
    }

    init(_ input: Input, sampleRate: Int, channels: Int, path: String) throws(MediaError) {
        LibavLog.install()
        try Self.checkForm(sampleRate: input.sampleRate, channels: input.channels, path: path)
        self.input = input
        // Unsigned 8-bit sound rests at 128, all others at zero; planar formats read the same bytes
        // for each channel.
        let format = AVSampleFormat(input.format)
        let isByte = format == AV_SAMPLE_FMT_U8 || format == AV_SAMPLE_FMT_U8P
        silence = Array(
            repeating: isByte ? 128 : 0,
            count: Self.silenceLimit * Int(max(1, av_get_bytes_per_sample(format))) * max(1, input.channels))
        do throws(MediaError) {
            try open(sampleRate: sampleRate, channels: channels, path: path)
            knowsLayout = true
        } catch {
            guard input.channels > 2, error.code == .unsupported else { throw error }
            try open(sampleRate: sampleRate, channels: channels, path: path, takesFirst: true)
        }
    }

    /// - Parameter takesFirst: see ``knowsLayout``.
    private func open(sampleRate: Int, channels: Int, path: String, takesFirst: Bool = false) throws(MediaError) {
        swr_free(&context)
        var (from, to) = (AVChannelLayout(), AVChannelLayout())
        if takesFirst {
            from.order = AV_CHANNEL_ORDER_UNSPEC
            from.nb_channels = Int32(input.channels)
        } else if input.mask == 0 || av_channel_layout_from_mask(&from, input.mask) < 0 {
            av_channel_layout_default(&from, Int32(input.channels))
        }
        av_channel_layout_default(&to, Int32(channels))
        let format = AVSampleFormat(input.format)
        try check(
            swr_alloc_set_opts2(
                &context, &to, AV_SAMPLE_FMT_FLTP, Int32(sampleRate), &from, format, Int32(input.sampleRate), 0, nil),
            "convert the sound of", path: path, .unsupported)
        let matrix =
            takesFirst
            ? Self.firstChannels(of: input.channels, to: channels) : Self.matrix(from: input.channels, to: channels)
        // libswresample lowers a single channel by 3 dB in each of two, and adds two to one at +3
        // dB. Played at the same level by both speakers, or as their mean, it sounds as it did.
        if let matrix {
            try check(
                swr_set_matrix(context, matrix, Int32(input.channels)), "convert the sound of", path: path, .unsupported
            )
        }
        try check(swr_init(context), "convert the sound of", path: path, .unsupported)
    }

    deinit { swr_free(&context) }

    private static func matrix(from input: Int, to output: Int) -> [Double]? {
        switch (input, output) {
        case (1, 2): [1, 1]
        case (2, 1): [0.5, 0.5]
        default: nil
        }
    }

    /// The mix of ``knowsLayout``: a row of `input` factors for each channel of the output.
    private static func firstChannels(of input: Int, to output: Int) -> [Double] {
        guard output > 1 else { return [0.5, 0.5] + Array(repeating: 0, count: input - 2) }
        return (0..<output).flatMap { row in (0..<input).map { $0 == row ? 1 : 0 } }
    }

    /// How many input samples around an output sample decide it: libswresample's filter has 32 taps
    /// at the lower of both rates. Zero where the rates are equal.
    static func reach(from input: Int, to output: Int) -> Int {
        input == output ? 0 : 48 * max(1, (input + output - 1) / output)
    }

    /// Gives what the filter still holds, up to the end of what was fed. Behind its end the sound
    /// is taken as mirrored. Nothing may be fed after it.
    func finish(into output: [UnsafeMutablePointer<Float>], capacity: Int) -> Int {
        var targets: [UnsafeMutablePointer<UInt8>?] = output.map {
            UnsafeMutableRawPointer($0).assumingMemoryBound(to: UInt8.self)
        }
        return max(0, Int(swr_convert(context, &targets, Int32(capacity), nil, 0)))
    }

    /// Feeds `count` samples that mirror the frame's first ones, so that the filter finds no edge
    /// there: of *n* samples after the first one, the last comes first.
    func mirrored(_ frame: Frame, count: Int, into output: [UnsafeMutablePointer<Float>], capacity: Int) -> Int {
        let format = AVSampleFormat(input.format)
        let isPlanar = av_sample_fmt_is_planar(format) != 0
        let width = Int(av_get_bytes_per_sample(format)) * (isPlanar ? 1 : input.channels)
        let reversed: [[UInt8]] = (0..<(isPlanar ? input.channels : 1)).map { channel in
            guard let samples = frame.raw.pointee.extended_data[channel] else { return [] }
            return (1...max(1, count)).reversed().flatMap {
                UnsafeBufferPointer(start: samples + $0 * width, count: width)
            }
        }
        return withPointers(to: reversed) { feed($0, count, output, capacity) }
    }

    private func withPointers(to arrays: [[UInt8]], _ body: ([UnsafePointer<UInt8>?]) -> Int) -> Int {
        var joined: [UInt8] = []
        let starts = arrays.map { array in
            defer { joined += array }
            return joined.count
        }
        return joined.withUnsafeBufferPointer { bytes in
            body(starts.map { start in bytes.baseAddress.map { $0 + start } })
        }
    }

    /// Feeds `count` samples of `frame` from `offset` on. The planes in `output` belong to the
    /// caller.
    /// - Returns: samples written, at most `capacity`.
    func convert(
        _ frame: Frame, offset: Int, count: Int, into output: [UnsafeMutablePointer<Float>], capacity: Int
    ) -> Int {
        let format = AVSampleFormat(input.format)
        let width = Int(av_get_bytes_per_sample(format))
        let isPlanar = av_sample_fmt_is_planar(format) != 0
        let step = offset * width * (isPlanar ? 1 : input.channels)
        let planes = (0..<(isPlanar ? input.channels : 1)).map { channel in
            frame.raw.pointee.extended_data[channel].map { UnsafePointer($0 + step) }
        }
        return feed(planes, count, output, capacity)
    }

    /// Feeds `count` samples of silence, at most ``silenceLimit``.
    func silent(_ count: Int, into output: [UnsafeMutablePointer<Float>], capacity: Int) -> Int {
        silence.withUnsafeBufferPointer { bytes in
            feed(
                Array(repeating: bytes.baseAddress, count: max(1, input.channels)), min(count, Self.silenceLimit),
                output,
                capacity)
        }
    }

    private func feed(
        _ planes: [UnsafePointer<UInt8>?], _ count: Int, _ output: [UnsafeMutablePointer<Float>], _ capacity: Int
    ) -> Int {
        var planes = planes
        var targets: [UnsafeMutablePointer<UInt8>?] = output.map {
            UnsafeMutableRawPointer($0).assumingMemoryBound(to: UInt8.self)
        }
        return max(0, Int(swr_convert(context, &targets, Int32(capacity), &planes, Int32(count))))
    }

    /// Output samples that feeding `count` more may give, at most.
    func bound(for count: Int) -> Int { max(0, Int(swr_get_out_samples(context, Int32(count)))) }
}
