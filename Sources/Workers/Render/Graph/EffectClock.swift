import Composition
import Values

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
            timelineTime: Time(frame: number, rate: slice.frameRate), timelineFrame: number,
            outputFrame: slice.outputFrame(of: frame), frameRate: slice.frameRate, range: use.length)
    }
}
