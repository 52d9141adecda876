/// How a clip takes over from the one before it. Both play for `duration`; the sound crossfades with equal power.
public struct Transition: Hashable, Sendable, Codable {
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case dissolve
        /// Out to black, then in from black.
        case fade
        /// The border moves in the named direction; behind it is the new picture.
        case wipeLeft = "wipe_left"
        case wipeRight = "wipe_right"
        case wipeUp = "wipe_up"
        case wipeDown = "wipe_down"
        /// The new picture pushes the old one out in the named direction.
        case slideLeft = "slide_left"
        case slideRight = "slide_right"
        case slideUp = "slide_up"
        case slideDown = "slide_down"
    }

    public var kind: Kind
    public var duration: Time

    public init(_ kind: Kind = .dissolve, duration: Time) {
        self.kind = kind
        self.duration = duration
    }
}
