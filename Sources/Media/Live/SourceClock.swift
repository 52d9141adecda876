/// Puts the times that a source states on the monotonic clock.
public struct SourceClock: Sendable {
    /// The monotonic clock and the wall clock at one moment, in nanoseconds.
    public struct Now: Sendable {
        public var monotonic: Int64
        /// Since 1970.
        public var wall: Int64

        public init(monotonic: Int64, wall: Int64) { (self.monotonic, self.wall) = (monotonic, wall) }
    }

    /// A source whose times are this close to the wall clock has the wall clock.
    private static let nearby: Int64 = 10_000_000_000
    /// A clock that is ahead by this, that falls back, or that stays behind by this for so long has
    /// jumped. Content that only comes late has its right place.
    private static let jump: Int64 = 1_000_000_000
    /// The quickest arrival is looked for in two of these.
    private static let window: Int64 = 2_500_000_000
    /// A source's first arrivals show its offset.
    private static let settling: Int64 = 500_000_000

    /// The offset follows the quickest arrival if it is further away.
    private let tolerance: Int64
    /// The source states the monotonic clock.
    private let isMonotonic: Bool
    /// The first arrivals have shown how the source's times are to be read.
    public private(set) var isSettled = false
    /// Nanoseconds from the source's clock to the monotonic one; nil before the first time.
    private var offset: Int64?
    private var start: Int64 = 0
    private var last = Int64.min
    /// Since when the clock is behind; nil: it is not.
    private var behind: Int64?
    /// The quickest arrivals of this window and of the one before.
    private var quickest: (window: Int64, now: Int64, before: Int64) = (0, .max, .max)

    /// - Parameters:
    ///   - tolerance: nanoseconds by which the times may be wrong, so that their distances stay
    ///     exact.
    ///   - isMonotonic: the source states the monotonic clock if its times are close to it. Times
    ///     of other sources may be so by chance.
    public init(tolerance: Int64, isMonotonic: Bool = false) {
        (self.tolerance, self.isMonotonic) = (tolerance, isMonotonic)
    }

    /// When the content was captured, in nanoseconds.
    /// - Parameters:
    ///   - time: the source's, in microseconds; nil: it gives none.
    ///   - length: of the content, in nanoseconds: it arrives when its last sample was captured.
    ///   - now: when it arrived.
    public mutating func time(_ time: Int64?, length: Int64 = 0, now: Now) -> Int64 {
        guard let time, time.magnitude < 1 << 51 else {
            isSettled = true
            return now.monotonic - length
        }
        let stated = time * 1000
        if (stated - now.wall).magnitude < UInt64(Self.nearby) {
            isSettled = true
            return min(stated + (now.monotonic - now.wall), now.monotonic)
        }
        if isMonotonic, (stated - now.monotonic).magnitude < UInt64(Self.nearby) {
            isSettled = true
            return min(stated, now.monotonic)
        }
        // Nothing arrives before it was captured: the quickest arrival is the best measure.
        let measured = now.monotonic - length - stated
        if let offset, hasJumped(stated, by: measured - offset, now) { self.offset = nil }
        last = stated
        guard let offset else {
            (self.offset, start) = (measured, now.monotonic)
            quickest = (now.monotonic, measured, measured)
            behind = nil
            return stated + measured
        }
        if now.monotonic - quickest.window > Self.window {
            quickest = (now.monotonic, measured, quickest.now)
        } else {
            quickest.now = min(quickest.now, measured)
        }
        let best = min(quickest.now, quickest.before)
        isSettled = now.monotonic - start >= Self.settling
        if abs(best - offset) > (isSettled ? tolerance : 0) { self.offset = best }
        return stated + (self.offset ?? best)
    }

    private mutating func hasJumped(_ stated: Int64, by distance: Int64, _ now: Now) -> Bool {
        if distance < -Self.jump || stated < last - Self.jump { return true }
        guard distance > Self.jump else {
            behind = nil
            return false
        }
        let since = behind ?? now.monotonic
        behind = since
        return now.monotonic - since > Self.jump
    }
}
