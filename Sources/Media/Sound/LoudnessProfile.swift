import CEBUR128
import CKernels

/// What is measured of a stretch of sound, fine enough that the loudness of a whole can be put
/// together from its stretches: see ``ProfiledLoudness``.
public struct LoudnessProfile: Hashable, Sendable {
    /// Samples of a cell and of a block. A block is a whole number of cells.
    public static let cell = 32
    public static let block = 4096

    /// The K-weighted energy of each cell, all channels together.
    public internal(set) var energies: [Float] = []
    /// The highest true peak of each block, as a factor of full scale.
    public internal(set) var peaks: [Float] = []

    /// How many numbers there are for `count` samples.
    static func size(_ count: Int) -> (energies: Int, peaks: Int) {
        ((count + cell - 1) / cell, (count + block - 1) / block)
    }
}

/// Measures a ``LoudnessProfile``.
public final class LoudnessProfiler {
    public private(set) var profile = LoudnessProfile()
    private let weighting: OpaquePointer
    private var meter: UnsafeMutablePointer<ebur128_state>?
    private let channels: Int
    private var interleaved: [Float] = []

    /// - Throws: `outOfMemory`.
    public init(channels: Int, sampleRate: Int) throws(MediaError) {
        self.channels = channels
        var meter = ebur128_init(UInt32(channels), UInt(sampleRate), cutroom_EBUR128_TRUE_PEAK)
        guard meter != nil, let weighting = ck_weighting_create(Int32(channels), Int32(sampleRate)) else {
            if meter != nil { ebur128_destroy(&meter) }
            throw Self.noMemory
        }
        (self.meter, self.weighting) = (meter, weighting)
    }

    deinit {
        ck_weighting_destroy(weighting)
        ebur128_destroy(&meter)
    }

    /// Hears what comes before the stretch, up to a block at a time.
    public func lead(_ planes: [UnsafeMutablePointer<Float>], count: Int) throws(MediaError) {
        _ = try hear(planes, count)
    }

    /// Measures a block of the stretch, or its shorter rest. NaN and infinity count as silence.
    public func add(_ planes: [UnsafeMutablePointer<Float>], count: Int) throws(MediaError) {
        let (energies, peak) = try hear(planes, count)
        profile.energies += energies
        profile.peaks.append(peak)
    }

    private func hear(_ planes: [UnsafeMutablePointer<Float>], _ count: Int) throws(MediaError) -> ([Float], Float) {
        precondition(planes.count == channels && count <= LoudnessProfile.block, "a block of each channel")
        guard count > 0 else { return ([], 0) }
        interleaved.fill(from: planes, count: count)
        guard ebur128_add_frames_float(meter, interleaved, count) == cutroom_EBUR128_SUCCESS else {
            throw Self.noMemory
        }
        var highest: Float = 0
        for channel in 0..<channels {
            var peak = 0.0
            guard ebur128_prev_true_peak(meter, UInt32(channel), &peak) == cutroom_EBUR128_SUCCESS else { continue }
            // Between samples near the largest float the meter's own sums overflow.
            highest = max(highest, peak < Self.largest ? Float(peak) : Float(Self.largest))
        }
        var energies = [Float](repeating: 0, count: LoudnessProfile.size(count).energies)
        planes.map { UnsafePointer($0) as UnsafePointer<Float>? }.withUnsafeBufferPointer { planes in
            energies.withUnsafeMutableBufferPointer { energies in
                ck_weighting_run(
                    weighting, planes.baseAddress, Int32(count), Int32(LoudnessProfile.cell), energies.baseAddress)
            }
        }
        return (energies, highest)
    }

    private static let largest = Double(Float.greatestFiniteMagnitude)

    private static var noMemory: MediaError {
        MediaError(.outOfMemory, "measure the sound", path: nil, reason: "there is no memory left")
    }
}
