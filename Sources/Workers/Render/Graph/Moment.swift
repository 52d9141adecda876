import Composition
import Draft

/// A frame as an effect sees it.
struct Moment {
    /// The frame as the slice counts it.
    var frame: Int
    /// Since the effect's range began.
    var time: Time
    /// Since the output began.
    var timelineTime: Time
    var timelineFrame: Int
    var frameRate: Rational
    /// Length of the effect's range.
    var range: Time
    /// In the effect's own time it is the next one after the frame that the effect made last.
    var follows = false
}

/// The times of a slice's frames, and their place on the timeline.
struct SliceClock {
    let frameRate: Rational

    init(_ slice: Slice) { frameRate = slice.frameRate }

    /// The time at which a frame begins, as the slice counts it: what the clocks of effects and transitions are asked with.
    func start(of frame: Int) -> Time { Time(frame: frame, rate: frameRate) }

    /// The time whose content a frame shows.
    func middle(of frame: Int) -> Time { Time(middleOfFrame: frame, rate: frameRate) }

    /// The number of a frame on the timeline, which only plugins see. The one place that knows where on it the slice lies.
    func timelineFrame(of frame: Int) -> Int { frame }
}

/// An effect's own time: when it acts, and which moment each frame is for it.
struct EffectClock {
    let slice: SliceClock
    /// The uses of the effect by the instructions.
    var uses = FrameRuns<Instruction.EffectUse>()

    init(_ slice: SliceClock) { self.slice = slice }

    /// The moment of a frame; nil where the effect does not act.
    func moment(_ frame: Int) -> Moment? {
        guard let use = uses[frame] else { return nil }
        let number = slice.timelineFrame(of: frame)
        return Moment(
            frame: frame, time: use.time(at: slice.start(of: frame)),
            timelineTime: Time(frame: number, rate: slice.frameRate), timelineFrame: number, frameRate: slice.frameRate,
            range: use.length)
    }
}
