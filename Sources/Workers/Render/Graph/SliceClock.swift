import Composition
import Values

/// The times of a slice's frames, and their place on the timeline.
struct SliceClock {
    let frameRate: Rational
    private let origin: Int
    private let place: (Int) -> Int

    /// - Parameter firstFrame: the output frame that is the slice's frame 0, for messages.
    init(_ slice: Slice, firstFrame: Int) {
        self.init(slice) { firstFrame + $0 }
    }

    /// - Parameter place: from a frame of the slice to one of the output, for messages.
    init(_ slice: Slice, place: @escaping (Int) -> Int) {
        (frameRate, origin, self.place) = (slice.frameRate, slice.origin ?? 0, place)
    }

    /// The time at which a frame begins, as the slice counts it: what the clocks of effects and
    /// transitions are asked with.
    func start(of frame: Int) -> Time { Time(frame: frame, rate: frameRate) }

    /// The time whose content a frame shows.
    func middle(of frame: Int) -> Time { Time(middleOfFrame: frame, rate: frameRate) }

    /// The number of a frame on the timeline, which only plugins see: counted from the output's
    /// beginning where an effect of the slice depends on that, else from the slice's. So a picture
    /// depends on nothing that the slice does not contain.
    func timelineFrame(of frame: Int) -> Int { origin + frame }

    /// The number of a frame in the output, for messages.
    func outputFrame(of frame: Int) -> Int { place(frame) }
}
