import Composition
import Draft

/// The times of a slice's frames, and their place on the timeline.
struct SliceClock {
    let frameRate: Rational
    private let origin: Int
    private let firstFrame: Int

    /// - Parameter firstFrame: the output frame that is the slice's frame 0, for messages.
    init(_ slice: Slice, firstFrame: Int) {
        (frameRate, origin, self.firstFrame) = (slice.frameRate, slice.origin ?? 0, firstFrame)
    }

    /// The time at which a frame begins, as the slice counts it: what the clocks of effects and transitions are asked with.
    func start(of frame: Int) -> Time { Time(frame: frame, rate: frameRate) }

    /// The time whose content a frame shows.
    func middle(of frame: Int) -> Time { Time(middleOfFrame: frame, rate: frameRate) }

    /// The number of a frame on the timeline, which only plugins see: counted from the output's beginning where an
    /// effect of the slice depends on that, else from the slice's. So a picture depends on nothing that the slice does
    /// not contain.
    func timelineFrame(of frame: Int) -> Int { origin + frame }

    /// The number of a frame in the output, for messages.
    func outputFrame(of frame: Int) -> Int { firstFrame + frame }
}
