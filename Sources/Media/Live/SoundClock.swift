import Glibc

/// Compares the clock of a sound device with the monotonic clock: says how much its sound has to be
/// stretched so that each sample is where it was captured.
///
/// A delay-locked loop of second order. Its form and damping are those of PipeWire's
/// `spa/utils/dll.h`, after F. Adriaensen, “Using a DLL to filter time” (2005).
public struct SoundClock: Sendable {
    private let sampleRate: Double
    /// When the stretched sound began, in nanoseconds; nil before the first samples.
    private var origin: Double?
    private var proportional = 0.0
    private var smoothed = 0.0
    private var integral = 0.0
    /// The samples since the loop began, and those in a row that were too far away.
    private var age = 0
    private var strayed = 0

    /// Hertz: the loop finds the clock with the first, and follows it with the second.
    private static let (search, follow) = (0.128, 0.05)
    /// Seconds of the search.
    private static let searchLength = 6.0
    /// Samples that are further away have jumped, in seconds: the device lost some, or its clock
    /// was set.
    private static let jump = 0.04
    /// A jump has lasted so long, in seconds: one block may just come late.
    private static let patience = 0.1
    /// Stretching by more than this is not a clock that is wrong.
    private static let mostStretch = 0.05

    /// - Parameter sampleRate: as the device states it, per second.
    public init(sampleRate: Int) { self.sampleRate = Double(sampleRate) }

    /// Takes the next samples.
    /// - Parameters:
    ///   - time: when the first of them was captured, in nanoseconds.
    ///   - position: the place of the first of them among the stretched samples.
    /// - Returns: how many samples each of them becomes, near 1.
    public mutating func stretch(time: Int64, count: Int, position: Double) -> Double {
        guard let start = origin, count > 0 else {
            if origin == nil { origin = Double(time) - position * 1e9 / sampleRate }
            return 1 + integral
        }
        // Seconds by which the samples would come too early.
        let error = (Double(time) - start) / 1e9 - position / sampleRate
        if abs(error) > Self.jump {
            strayed += count
            guard Double(strayed) >= Self.patience * sampleRate else { return 1 + integral }
            // What the loop has found out about the device's rate still holds.
            origin = Double(time) - position * 1e9 / sampleRate
            (strayed, proportional, smoothed) = (0, 0, 0)
            return 1 + integral
        }
        strayed = 0
        age += count
        let bandwidth = Double(age) < Self.searchLength * sampleRate ? Self.search : Self.follow
        let period = Double(count) / sampleRate
        let angle = 2 * Double.pi * bandwidth * period
        let weight = 1 - exp(-20 * angle)
        proportional += weight * (1.5 * angle / period * error - proportional)
        smoothed += weight * (proportional - smoothed)
        integral = min(max(integral + angle / 1.5 * smoothed, -Self.mostStretch), Self.mostStretch)
        return 1 + min(max(smoothed + integral, -Self.mostStretch), Self.mostStretch)
    }

    /// When the stretched sample at a place was captured, in nanoseconds.
    public func time(of position: Int64) -> Int64 {
        Int64(((origin ?? 0) + Double(position) * 1e9 / sampleRate).rounded())
    }
}
