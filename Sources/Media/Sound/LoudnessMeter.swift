import CEBUR128
import CPortableMath

/// A meter of integrated loudness and true peaks by EBU R 128 and ITU-R BS.1770. Six channels are L
/// R C LFE Ls Rs.
public final class LoudnessMeter {
    private var state: UnsafeMutablePointer<ebur128_state>?
    private let channels: Int
    private var interleaved: [Float] = []

    /// - Throws: `outOfMemory`.
    public init(channels: Int, sampleRate: Int) throws(MediaError) {
        self.channels = channels
        let mode = cutroom_EBUR128_INTEGRATED | cutroom_EBUR128_TRUE_PEAK
        guard let state = ebur128_init(UInt32(channels), UInt(sampleRate), mode) else { throw Self.noMemory }
        self.state = state
    }

    deinit { ebur128_destroy(&state) }

    /// Measures the next `count` samples of each plane. NaN and infinity count as silence.
    public func add(_ planes: [UnsafeMutablePointer<Float>], count: Int) throws(MediaError) {
        precondition(planes.count == channels, "one plane for each channel")
        interleaved.fill(from: planes, count: count)
        guard ebur128_add_frames_float(state, interleaved, count) == cutroom_EBUR128_SUCCESS else {
            throw Self.noMemory
        }
    }

    /// LUFS over everything heard so far; nil where that is silence, or shorter than 0.4 s.
    public var integrated: Double? {
        var loudness = -Double.infinity
        guard ebur128_loudness_global(state, &loudness) == cutroom_EBUR128_SUCCESS else { return nil }
        return loudness.isFinite ? Self.rounded(loudness) : nil
    }

    /// dBTP of the highest peak of any channel so far; minus infinity for silence.
    public var truePeak: Double {
        var highest = 0.0
        for channel in 0..<channels {
            var peak = 0.0
            if ebur128_true_peak(state, UInt32(channel), &peak) == cutroom_EBUR128_SUCCESS {
                highest = max(highest, peak)
            }
        }
        return Self.rounded(20 * pm_log10(highest))
    }

    /// Rounds to 1/1000 dB: the last bits of libebur128's logarithms differ between machines, and
    /// gains follow from the result.
    static func rounded(_ decibels: Double) -> Double {
        decibels.isFinite ? (decibels * 1000).rounded() / 1000 : decibels
    }

    private static var noMemory: MediaError {
        MediaError(.outOfMemory, "measure the sound", path: nil, reason: "there is no memory left")
    }
}

extension [Float] {
    /// Interleaves the first `count` samples of each plane, and grows where needed. NaN and
    /// infinity become silence.
    mutating func fill(from planes: [UnsafeMutablePointer<Float>], count: Int) {
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
