import CKernels
import CPortableMath

/// Integrated loudness by EBU R 128 and ITU-R BS.1770-4.
///
/// The result depends on the samples alone, bit for bit: not on the sizes in which they are added,
/// and not on the machine. Each gating block counts with its own energy. A histogram of blocks
/// (libebur128 has one with bins of 0.1 dB) would move the gate to the edge of a bin. If many
/// blocks lie in that bin, the result is then wrong by up to several LU.
public final class GatedLoudness {
    private let weighting: OpaquePointer
    private let channels: Int
    /// Samples of 100 ms: the distance between the starts of gating blocks.
    private let step: Int
    /// The energy of each whole step: 80 bytes for a second of sound.
    private var steps: [Double] = []
    /// Samples since the last whole step.
    private var begun = 0

    /// - Parameter channels: six channels are L R C LFE Ls Rs.
    /// - Throws: `outOfMemory`.
    public init(channels: Int, sampleRate: Int) throws(MediaError) {
        guard let weighting = ck_weighting_create(Int32(channels), Int32(sampleRate)) else {
            throw MediaError(.outOfMemory, "measure the sound", path: nil, reason: "there is no memory left")
        }
        (self.weighting, self.channels) = (weighting, channels)
        // libebur128 rounds rates that are not multiples of 10 in the same way.
        step = max(1, (sampleRate + 5) / 10)
    }

    deinit { ck_weighting_destroy(weighting) }

    /// Measures the next `count` samples of each plane. NaN and infinity count as silence.
    public func add(_ planes: [UnsafeMutablePointer<Float>], count: Int) {
        precondition(planes.count == channels, "one plane for each channel")
        var done = 0
        while done < count {
            let size = min(step - begun, count - done)
            planes.map { UnsafePointer($0 + done) as UnsafePointer<Float>? }.withUnsafeBufferPointer {
                ck_weighting_run(weighting, $0.baseAddress, Int32(size))
            }
            (begun, done) = (begun + size, done + size)
            if begun == step {
                steps.append(ck_weighting_take(weighting))
                begun = 0
            }
        }
    }

    /// LUFS over everything added so far; nil for silence, and for less than 0.4 s. Rounded to
    /// 1/1000 LU.
    public var integrated: Double? {
        guard steps.count >= 4 else { return nil }
        // A block has 400 ms, so it overlaps the next one by three quarters.
        let blocks = (0...steps.count - 4).map { steps[$0..<$0 + 4].reduce(0, +) / Double(4 * step) }
        let audible = blocks.filter { $0 >= Self.energy(-70) }
        guard !audible.isEmpty else { return nil }
        // The relative gate lies 10 LU below the mean of what passes the absolute one.
        let gate = audible.reduce(0, +) / Double(audible.count) / 10
        let heard = audible.filter { $0 >= gate }
        return LoudnessMeter.rounded(10 * pm_log10(heard.reduce(0, +) / Double(heard.count)) - 0.691)
    }

    /// The mean square of a block of some loudness.
    private static func energy(_ loudness: Double) -> Double { pm_pow(10, (loudness + 0.691) / 10) }
}
