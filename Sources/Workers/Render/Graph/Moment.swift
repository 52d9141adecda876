import Values

/// A frame as an effect sees it.
struct Moment {
    /// The frame as the slice counts it.
    var frame: Int
    /// Since the effect's range began.
    var time: Time
    /// What an effect may know of the frame's place (``SliceClock/timelineFrame(of:)``).
    var timelineTime: Time
    var timelineFrame: Int
    /// The frame of the output, for messages.
    var outputFrame: Int
    var frameRate: Rational
    /// Length of the effect's range.
    var range: Time
    /// True where the frame before this one, in the effect's own time, is the one that the effect
    /// made last.
    var follows = false
}
