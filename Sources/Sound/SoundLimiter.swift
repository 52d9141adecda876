import CKernels
import Messaging

/// The last step of a mix: a gain, and a limiter that holds true peaks below a ceiling. Both
/// factors are 1 for a sound that stays as loud as it is: then what needs no limiting passes bit
/// for bit.
package final class SoundLimiter {
    /// Samples by which the output is behind the input.
    package let delay: Int
    private let limiter: OpaquePointer
    /// The limiter's own ceiling is full scale.
    private let before: Float
    private let after: Float

    package init(channels: Int, sampleRate: Int, level: Level = Level()) throws {
        guard let limiter = ck_limiter_create(Int32(channels), Int32(sampleRate)) else {
            throw JobFailure(.resource, "There is no memory left to mix the sound.")
        }
        self.limiter = limiter
        delay = Int(ck_limiter_delay(limiter))
        before = Float(level.gain.factor / level.ceiling.factor)
        after = Float(level.ceiling.factor)
    }

    deinit { ck_limiter_destroy(limiter) }

    /// Replaces the samples of each plane by the output.
    package func process(_ planes: [UnsafeMutablePointer<Float>], count: Int) {
        if before != 1 { for plane in planes { for index in 0..<count { plane[index] *= before } } }
        planes.map(Optional.some).withUnsafeBufferPointer { planes in
            ck_limiter_process(limiter, planes.baseAddress, Int32(count))
        }
        if after != 1 { for plane in planes { for index in 0..<count { plane[index] *= after } } }
    }
}

/// What is done to a whole mix.
package struct Level: Hashable {
    /// dB.
    package var gain = 0.0
    /// dB of full scale.
    package var ceiling = 0.0

    package init() {}

    init(gain: Double, ceiling: Double) { (self.gain, self.ceiling) = (gain, ceiling) }
}
