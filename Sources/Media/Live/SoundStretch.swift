import CFFmpeg

/// Makes sound a little longer or shorter, by a factor that may change with each block.
final class SoundStretch {
    private let name: String
    private let sampleRate: Int
    private let channels: Int
    private var resampler: OpaquePointer?
    private var buffer: UnsafeMutablePointer<Float>?
    private var capacity = 0

    /// The length in which libswresample spreads a correction, in samples: it is set anew with each
    /// block.
    private static let distance: Int32 = 100_000_000

    /// - Parameter name: of the device, for messages.
    init(sampleRate: Int, channels: Int, name: String) throws(MediaError) {
        self.name = name
        (self.sampleRate, self.channels) = (sampleRate, channels)
        // libswresample takes both as if it could change them.
        var (layout, same) = (AVChannelLayout(), AVChannelLayout())
        av_channel_layout_default(&layout, Int32(channels))
        av_channel_layout_default(&same, Int32(channels))
        defer {
            av_channel_layout_uninit(&layout)
            av_channel_layout_uninit(&same)
        }
        let rate = Int32(clamping: sampleRate)
        try check(
            swr_alloc_set_opts2(
                &resampler, &layout, AV_SAMPLE_FMT_FLTP, rate, &same, AV_SAMPLE_FMT_FLTP, rate, 0, nil),
            "read", path: name, .read)
        guard let resampler else { throw .outOfMemory("read", path: name) }
        let object = UnsafeMutableRawPointer(resampler)
        av_opt_set_int(object, "flags", Int64(SWR_FLAG_RESAMPLE), 0)
        av_opt_set_int(object, "linear_interp", 1, 0)
        try check(swr_init(resampler), "read", path: name, .read)
    }

    deinit {
        swr_free(&resampler)
        buffer?.deallocate()
    }

    /// The samples that have gone in and not come out yet. It is negative while the filter is not
    /// filled.
    var delay: Double { Double(swr_get_delay(resampler, Int64(sampleRate) << 8)) / 256 }

    /// Takes the next samples.
    /// - Parameters:
    ///   - planes: one for each channel.
    ///   - factor: how many samples each of them becomes, near 1.
    /// - Returns: what comes out: one pointer for each channel, which is valid until the next call,
    ///   and the number of samples.
    func append(
        _ planes: [UnsafePointer<Float>], count: Int, factor: Double
    ) throws(MediaError) -> (planes: [UnsafePointer<Float>], count: Int) {
        precondition(planes.count == channels && count >= 0, "one plane for each channel")
        let delta = Int32(((factor - 1) * Double(Self.distance)).rounded())
        try check(swr_set_compensation(resampler, delta, Self.distance), "read", path: name, .read)
        let room = count + count / 8 + Int(max(0, delay)) + 64
        let buffer = space(for: room * channels)
        var targets: [UnsafeMutablePointer<UInt8>?] = (0..<channels).map {
            UnsafeMutableRawPointer(buffer + $0 * room).assumingMemoryBound(to: UInt8.self)
        }
        var sources: [UnsafePointer<UInt8>?] = planes.map {
            UnsafeRawPointer($0).assumingMemoryBound(to: UInt8.self)
        }
        let converted = targets.withUnsafeMutableBufferPointer { targets in
            sources.withUnsafeMutableBufferPointer { sources in
                swr_convert(resampler, targets.baseAddress, Int32(room), sources.baseAddress, Int32(count))
            }
        }
        try check(converted, "read", path: name, .read)
        // Encoders refuse what is not a number.
        for index in 0..<room * channels where !buffer[index].isFinite { buffer[index] = 0 }
        return ((0..<channels).map { UnsafePointer(buffer + $0 * room) }, Int(converted))
    }

    private func space(for count: Int) -> UnsafeMutablePointer<Float> {
        if let buffer, capacity >= count { return buffer }
        buffer?.deallocate()
        let new = UnsafeMutablePointer<Float>.allocate(capacity: count)
        new.initialize(repeating: 0, count: count)
        (buffer, capacity) = (new, count)
        return new
    }
}
