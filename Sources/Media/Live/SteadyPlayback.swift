/// Gives a device the samples of a sound so that each is heard at its time on the monotonic clock,
/// however fast the device counts: the counterpart of ``SteadySound``.
public final class SteadyPlayback {
    private let sampleRate: Int
    private let channels: Int
    private var clock: SoundClock
    private let stretch: SoundStretch
    private let ready: SampleQueue
    /// The samples that the source has given.
    private var given = 0
    /// What the source fills.
    private let block: [UnsafeMutablePointer<Float>]
    /// When the first sample is heard, in nanoseconds; nil before.
    private var origin: Int64?
    /// Blocks in a row that were heard far from their time.
    private var strayed = 0

    /// Samples that the source is asked for at once.
    private static let blockSize = 480
    /// A device that is further away, in nanoseconds, and for so many blocks, has left something
    /// out.
    private static let jump: Int64 = 60_000_000
    private static let patience = 20

    /// - Parameter name: of the device, for messages.
    public init(sampleRate: Int, channels: Int, name: String) throws(MediaError) {
        (self.sampleRate, self.channels) = (sampleRate, channels)
        clock = SoundClock(sampleRate: sampleRate)
        stretch = try SoundStretch(sampleRate: sampleRate, channels: channels, name: name)
        ready = SampleQueue(channels: channels)
        block = (0..<channels).map { _ in .allocate(capacity: Self.blockSize) }
    }

    deinit { for plane in block { plane.deallocate() } }

    /// Takes the first samples of the sound, which may take a while: call it before the first
    /// block's time is measured.
    public func prepare(
        _ source: (_ count: Int, _ planes: [UnsafeMutablePointer<Float>]) throws(MediaError) -> Void
    ) throws(MediaError) {
        while ready.end - ready.start < Self.blockSize { try take(source, factor: 1) }
    }

    private func take(
        _ source: (_ count: Int, _ planes: [UnsafeMutablePointer<Float>]) throws(MediaError) -> Void, factor: Double
    ) throws(MediaError) {
        try source(Self.blockSize, block)
        given += Self.blockSize
        let result = try stretch.append(block.map { UnsafePointer($0) }, count: Self.blockSize, factor: factor)
        ready.append(upTo: result.count) { targets, _ in
            for (target, plane) in zip(targets, result.planes) { target.update(from: plane, count: result.count) }
            return result.count
        }
    }

    /// Fills `samples` with the next block, interleaved.
    /// - Parameters:
    ///   - time: when its first sample will be heard, in nanoseconds on the monotonic clock.
    ///   - source: fills planes, one for each channel, with the next samples of the sound.
    /// - Returns: the nanoseconds by which the device is away from the sound's time for good,
    ///   positive where the sound comes too late: the source has to go on from another place, with
    ///   a new object. nil: it is near.
    public func fill(
        _ samples: UnsafeMutableBufferPointer<Float>, heardAt time: Int64,
        from source: (_ count: Int, _ planes: [UnsafeMutablePointer<Float>]) throws(MediaError) -> Void
    ) throws(MediaError) -> Int64? {
        let count = samples.count / channels
        let start = origin ?? time
        origin = start
        // The samples that have been given to the device, in those of the source.
        let position = Double(given) - max(0, stretch.delay) - Double(ready.end - ready.start)
        let factor = clock.stretch(time: time, count: count, position: position)
        while ready.end - ready.start < count {
            try take(source, factor: 1 / factor)
        }
        for channel in 0..<channels {
            let plane = ready.samples(channel)
            for index in 0..<count { samples[index * channels + channel] = plane[index] }
        }
        ready.drop(before: ready.start + count)
        let late = time - start - Int64(position * 1e9 / Double(sampleRate))
        strayed = abs(late) > Self.jump ? strayed + 1 : 0
        return strayed >= Self.patience ? late : nil
    }
}
