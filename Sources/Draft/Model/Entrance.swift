import Values

/// How something comes onto the canvas, or leaves it: a kind of motion, its length and its easing.
///
/// A leaving runs as an entrance of the same kind does, backwards in time, but that ways are gone
/// on: what slides to the left comes in from the right and goes out at the left.
public struct Entrance: Hashable, Sendable, Codable {
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// By opacity.
        case fade
        /// From outside of the canvas, in the named direction.
        case slideLeft = "slide_left"
        case slideRight = "slide_right"
        case slideUp = "slide_up"
        case slideDown = "slide_down"
        /// A border that moves in the named direction uncovers it.
        case wipeLeft = "wipe_left"
        case wipeRight = "wipe_right"
        case wipeUp = "wipe_up"
        case wipeDown = "wipe_down"
        /// From nothing to its size.
        case zoom
        /// The same, and a little beyond it on the way.
        case pop
        /// From nothing to its size while it makes a whole turn.
        case spin
        /// Out of a blur, and by opacity.
        case blur
        /// Letters appear one after the other, of text only; the duration is that of the whole
        /// text.
        case type
    }

    /// The parts that move one after the other. All but `whole` are of text.
    public enum Unit: String, Hashable, Sendable, Codable, CaseIterable {
        case whole, line, word, letter
    }

    public var kind: Kind
    /// The length of each part's motion; above 0.
    public var duration: Time
    public var easing: Easing
    public var unit: Unit
    /// From the beginning of one part to that of the next.
    public var stagger: Time

    public init(_ kind: Kind, duration: Time, easing: Easing? = nil) {
        self.kind = kind
        self.duration = duration
        self.easing = easing ?? kind.usualEasing
        unit = .whole
        stagger = .zero
    }

    public static let usualDuration = Time(flicks: Time.flicksPerSecond / 2)
    public static let longest = Time(flicks: Time.flicksPerSecond * 60)
}

extension Entrance.Kind {
    var usualEasing: Easing {
        switch self {
        case .pop: .curve(.back, .out)
        case .fade, .blur: .linear
        default: .easeOut
        }
    }
}

/// What an entrance makes of a picture at one moment, in shares of its own.
public struct EntrancePose: Hashable, Sendable {
    /// A factor.
    public var opacity = 1.0
    /// Where it is on its way from outside of the canvas: −1 … 1, negative to the left of and above
    /// its place, 1 just outside.
    public var across = 0.0
    public var down = 0.0
    /// A factor on its size, about its middle.
    public var scale = 1.0
    /// Whole turns, clockwise.
    public var turn = 0.0
    /// The part of it that is uncovered: left, top, right and bottom, in 0 … 1.
    public var uncovered = [0.0, 0, 1, 1]
    /// The blur's standard deviation as a share of the picture's shorter side.
    public var blur = 0.0

    public static let rest = EntrancePose()
}

extension Entrance {
    /// The pose at a time since its beginning.
    /// - Parameter isLeaving: `time` is what is left until the end, and ways go on beyond the
    ///   place.
    public func pose(at time: Time, isLeaving: Bool = false) -> EntrancePose {
        guard time < duration else { return .rest }
        return pose(
            easing.ease(max(0, Double(time.flicks) / Double(max(1, duration.flicks)))), isLeaving: isLeaving)
    }

    /// - Parameter progress: 0 where nothing is there, 1 at rest; easings may overshoot.
    private func pose(_ progress: Double, isLeaving: Bool) -> EntrancePose {
        var pose = EntrancePose()
        let inside = min(1, max(0, progress))
        let way = isLeaving ? progress - 1 : 1 - progress
        switch kind {
        case .fade: pose.opacity = inside
        case .slideLeft: pose.across = way
        case .slideRight: pose.across = -way
        case .slideUp: pose.down = way
        case .slideDown: pose.down = -way
        case .wipeLeft: pose.uncovered = isLeaving ? [0, 0, inside, 1] : [1 - inside, 0, 1, 1]
        case .wipeRight: pose.uncovered = isLeaving ? [1 - inside, 0, 1, 1] : [0, 0, inside, 1]
        case .wipeUp: pose.uncovered = isLeaving ? [0, 0, 1, inside] : [0, 1 - inside, 1, 1]
        case .wipeDown: pose.uncovered = isLeaving ? [0, 1 - inside, 1, 1] : [0, 0, 1, inside]
        case .zoom, .pop: pose.scale = max(0, progress)
        case .spin:
            pose.scale = max(0, progress)
            pose.turn = way
        case .blur:
            pose.opacity = inside
            pose.blur = 0.12 * (1 - inside)
        // This is for the whole title; parts are visible or not, as their own starts say.
        case .type: pose.opacity = inside < 1 ? 0 : 1
        }
        return pose
    }
}
