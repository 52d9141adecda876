import Glibc

extension timespec {
    /// Nanoseconds since 1970. They wrap for times before 1678 and after 2262, which files and
    /// clocks may have: two times that differ stay different, and nothing traps.
    public var nanoseconds: Int64 { Int64(tv_sec) &* 1_000_000_000 &+ Int64(tv_nsec) }

    /// Seconds from this time to `now`, negative for a time to come.
    public func age(at now: time_t = time(nil)) -> Int {
        let (seconds, isOver) = now.subtractingReportingOverflow(tv_sec)
        return isOver ? (tv_sec < 0 ? .max : .min) : seconds
    }

    /// The wall clock.
    public static var now: timespec {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time
    }
}

extension Int64 {
    /// The nearest whole number within bounds; 0 for what is not a number.
    public init(clamped value: Double) {
        self =
            value.isNaN ? 0 : value >= 0x1p63 ? .max : value < -0x1p63 ? .min : Int64(value)
    }
}
