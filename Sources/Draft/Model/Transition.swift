import Values

/// How a clip takes over from the one before it. Both play for `duration`; the sound crossfades
/// with equal power.
public struct Transition: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case dissolve
        /// Out to black, then in from black.
        case fade
        /// The border moves in the named direction; behind it is the new picture.
        case wipeLeft, wipeRight, wipeUp, wipeDown
        /// The new picture pushes the old one out in the named direction.
        case slideLeft, slideRight, slideUp, slideDown
        /// A plugin's, with its parameters in the transition's own time.
        case plugin(PluginEffect)
    }

    public var kind: Kind
    public var duration: Time

    public init(_ kind: Kind = .dissolve, duration: Time) {
        self.kind = kind
        self.duration = duration
    }

    public var plugin: PluginEffect? { if case .plugin(let effect) = kind { effect } else { nil } }
}

extension Transition.Kind {
    public static let builtIn: [Transition.Kind] = [
        .dissolve, .fade, .wipeLeft, .wipeRight, .wipeUp, .wipeDown, .slideLeft, .slideRight, .slideUp, .slideDown,
    ]

    /// What scripts and documents call it: for a plugin's the effect's id.
    public var name: String {
        switch self {
        case .dissolve: "dissolve"
        case .fade: "fade"
        case .wipeLeft: "wipe_left"
        case .wipeRight: "wipe_right"
        case .wipeUp: "wipe_up"
        case .wipeDown: "wipe_down"
        case .slideLeft: "slide_left"
        case .slideRight: "slide_right"
        case .slideUp: "slide_up"
        case .slideDown: "slide_down"
        case .plugin(let effect): effect.effectID
        }
    }

    /// A built-in kind by its name.
    public init?(named name: String) {
        guard let kind = Self.builtIn.first(where: { $0.name == name }) else { return nil }
        self = kind
    }
}
