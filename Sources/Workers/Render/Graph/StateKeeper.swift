import Composition

/// The keeper of a plugin's effect, which lets the effect make frames in the order of its own time.
///
/// An effect with state makes each frame after the one before it in that time. Where it made
/// another one last, as when a `repeat` has made the time go back, the keeper first lets it make
/// the frames between: all since the one that it made last, or all from its beginning, or only as
/// many as warm it up. An effect without state makes only the frames that are asked for. With each
/// frame an effect is told whether that frame follows the one that it made last.
final class StateKeeper<Output>: Node {
    private let maker: any FrameMaker<Output>
    private let clock: EffectClock
    private let order: OwnOrder
    /// The effect's number in the slice.
    private let effect: Int
    /// How many frames before one it has to have seen; nil: all.
    private let depth: Int?
    /// The frame that it made last.
    private var standing: Int?

    /// - Parameter effect: a plugin's, in the slice that `order` and `clock` are of.
    init(_ maker: any FrameMaker<Output>, _ clock: EffectClock, _ order: OwnOrder, _ effect: Int, depth: Int?) {
        self.maker = maker
        self.clock = clock
        self.order = order
        self.effect = effect
        self.depth = depth
    }

    func frame(_ number: Int) throws -> Output? {
        if depth != 0 {
            let missed = order.frames(before: number, for: effect, since: standing, atMost: depth)
            for earlier in missed { _ = try make(earlier) }
        }
        return try make(number)
    }

    func close() {
        standing = nil
        maker.close()
    }

    private func make(_ number: Int) throws -> Output? {
        guard var moment = clock.moment(number) else { return nil }
        moment.follows = standing != nil && standing == order.predecessor(of: number, for: effect)
        standing = number
        return try maker.make(moment)
    }
}
