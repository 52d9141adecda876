/// Stretches the sound of a device so that it has exactly its stated rate on the monotonic clock.
public final class SteadySound {
    private var clock: SoundClock
    private let stretch: SoundStretch
    /// The samples that have come out.
    private var position: Int64 = 0

    /// - Parameter name: of the source, for messages.
    public init(sampleRate: Int, channels: Int, name: String) throws(MediaError) {
        clock = SoundClock(sampleRate: sampleRate)
        stretch = try SoundStretch(sampleRate: sampleRate, channels: channels, name: name)
    }

    /// Takes the next samples.
    /// - Parameters:
    ///   - planes: one for each channel.
    ///   - time: when the first of them was captured, in nanoseconds.
    ///   - visit: called with what comes out, which is a little later than what went in: the
    ///     samples of each channel, and when the first one was captured. The pointers are valid
    ///     during the call.
    public func append<Result>(
        _ planes: [UnsafePointer<Float>], count: Int, at time: Int64,
        _ visit: ([UnsafePointer<Float>], Int, Int64) throws(MediaError) -> Result
    ) throws(MediaError) -> Result {
        let factor = clock.stretch(time: time, count: count, position: Double(position) + max(0, stretch.delay))
        let result = try stretch.append(planes, count: count, factor: factor)
        let first = clock.time(of: position)
        position += Int64(result.count)
        return try visit(result.planes, result.count, first)
    }
}
