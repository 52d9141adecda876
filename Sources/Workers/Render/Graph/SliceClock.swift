import Composition
import Draft

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
