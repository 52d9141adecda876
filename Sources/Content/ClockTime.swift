import Glibc

extension timespec {
    /// The time in nanoseconds since 1970. Times before 1678 and after 2262, which files and clocks
    /// may have, wrap around: different times stay different, and nothing traps.
    public var nanoseconds: Int64 { Int64(tv_sec) &* 1_000_000_000 &+ Int64(tv_nsec) }

    /// Returns the seconds from this time to `now`; negative for a future time.
    public func age(at now: time_t = time(nil)) -> Int {
        let (seconds, isOver) = now.subtractingReportingOverflow(tv_sec)
        return isOver ? (tv_sec < 0 ? .max : .min) : seconds
    }

    /// The wall-clock time.
    public static var now: timespec {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time
    }
}

extension Int64 {
    /// Returns the nearest integer within the type's bounds; 0 for NaN.
    public init(clamped value: Double) {
        self =
            value.isNaN ? 0 : value >= 0x1p63 ? .max : value < -0x1p63 ? .min : Int64(value)
    }
}
