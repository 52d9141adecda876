import CEBUR128

/// A meter of true peaks by ITU-R BS.1770, which libebur128 interpolates.
public final class TruePeakMeter {
    /// Samples before a sample that have an effect on its peak: the interpolation has 49 taps at
    /// twice the rate or more.
    public static let reach = 32

    private var state: UnsafeMutablePointer<ebur128_state>?
    private let channels: Int
    private var interleaved: [Float] = []

    /// - Throws: `outOfMemory`.
    public init(channels: Int, sampleRate: Int) throws(MediaError) {
        self.channels = channels
        guard let state = ebur128_init(UInt32(channels), UInt(sampleRate), cutroom_EBUR128_TRUE_PEAK) else {
            throw Self.noMemory
        }
        self.state = state
    }

    deinit { ebur128_destroy(&state) }

    /// Measures the next `count` samples of each plane. NaN and infinity count as silence.
    /// - Returns: the highest peak of any channel in these samples, as a factor of full scale.
    @discardableResult
    public func add(_ planes: [UnsafeMutablePointer<Float>], count: Int) throws(MediaError) -> Float {
        precondition(planes.count == channels, "one plane for each channel")
        guard count > 0 else { return 0 }
        interleaved.fill(from: planes, count: count)
        guard ebur128_add_frames_float(state, interleaved, count) == cutroom_EBUR128_SUCCESS else {
            throw Self.noMemory
        }
        var highest: Float = 0
        for channel in 0..<channels {
            var peak = 0.0
            guard ebur128_prev_true_peak(state, UInt32(channel), &peak) == cutroom_EBUR128_SUCCESS else { continue }
            // Between samples near the largest float the meter's own sums overflow.
            highest = max(highest, peak < Self.largest ? Float(peak) : Float(Self.largest))
        }
        return highest
    }

    private static let largest = Double(Float.greatestFiniteMagnitude)

    private static var noMemory: MediaError {
        MediaError(.outOfMemory, "measure the sound", path: nil, reason: "there is no memory left")
    }
}

/// The true peaks of a stretch of sound, one for each block of ``TruePeaks/block`` samples. They
/// are kept with a run, so that the job that encodes the sound does not have to interpolate it.
public enum TruePeaks {
    /// Samples of a block.
    public static let block = 4096

    /// The number of blocks in `count` samples. The last one may be shorter.
    static func size(_ count: Int) -> Int { (count + block - 1) / block }
}

extension [Float] {
    /// Interleaves the first `count` samples of each plane, and grows where needed. NaN and
    /// infinity become silence.
    fileprivate mutating func fill(from planes: [UnsafeMutablePointer<Float>], count: Int) {
        let channels = planes.count
        if self.count < count * channels { self = [Float](repeating: 0, count: count * channels) }
        for (channel, plane) in planes.enumerated() {
            for index in 0..<count {
                let sample = plane[index]
                self[index * channels + channel] = sample.isFinite ? sample : 0
            }
        }
    }
}
