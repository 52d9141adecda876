import Values

/// A clip that lies over what the entries before it in the effect list have made: a video or an
/// image with its sound, at a place on the canvas, from a time on.
public struct Layer: Hashable, Sendable {
    /// The content with its range, speed, volume, fades, effects and its place on the canvas. It
    /// has no transition.
    public var clip: Clip
    /// On the timeline that all entries before it have made.
    public var start: Time
    /// It is shown until that timeline ends, and the clip's duration says nothing.
    public var isOpenEnded: Bool
    public var blend: BlendMode
    public var enter: Entrance?
    public var leave: Entrance?
    public var mask: Mask?
    public var shadow: LayerShadow?

    public init(_ clip: Clip, at start: Time = .zero) {
        self.clip = clip
        self.start = start
        isOpenEnded = false
        blend = .normal
    }

    public var placement: Placement { clip.placement ?? Placement() }
}

/// A picture that says how much of a layer is let through at each point. It is stretched over the
/// layer's own picture, and runs with it from its beginning; where it is shorter its last picture
/// stays.
public struct Mask: Hashable, Sendable, Codable {
    /// What of the mask's pictures counts.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case alpha
        /// How bright it is, by the luma of BT.709; nothing where it is transparent.
        case luma
    }

    /// An image or a video.
    public var path: String
    public var kind: Kind
    /// Inverts the mask.
    public var isInverted: Bool

    public init(path: String, kind: Kind, isInverted: Bool = false) {
        (self.path, self.kind, self.isInverted) = (path, kind, isInverted)
    }
}

/// How the colours of a layer and of what is below it are mixed: modes of the W3C's *Compositing
/// and Blending Level 1*.
public enum BlendMode: String, Hashable, Sendable, Codable, CaseIterable {
    case normal, multiply, screen, overlay, darken, lighten
    case colorDodge = "color_dodge"
    case colorBurn = "color_burn"
    case hardLight = "hard_light"
    case softLight = "soft_light"
    case difference, exclusion
    case plusLighter = "plus_lighter"
}

/// The look of a layer: what is made of its clip's pictures, without what they are.
public struct LayerLook: Hashable, Sendable, Codable {
    public var placement: Placement
    public var mode: ContentMode
    public var blend: BlendMode
    /// In the layer's own time, which begins with it.
    public var enter: Entrance?
    public var leave: Leaving?
    /// What a mask's pictures mean; nil where there is no mask.
    public var mask: MaskUse?
    public var shadow: LayerShadow?

    public struct MaskUse: Hashable, Sendable, Codable {
        public var kind: Mask.Kind
        public var isInverted: Bool
    }

    /// An entrance that runs backwards, and when it begins.
    public struct Leaving: Hashable, Sendable, Codable {
        public var entrance: Entrance
        /// The layer's end, in its own time.
        public var end: Time
    }

    /// - Parameter duration: how long the layer is shown.
    public init(_ layer: Layer, duration: Time) {
        placement = layer.placement
        mode = layer.clip.mode
        blend = layer.blend
        enter = layer.enter
        leave = layer.leave.map { Leaving(entrance: $0, end: duration) }
        mask = layer.mask.map { MaskUse(kind: $0.kind, isInverted: $0.isInverted) }
        shadow = layer.shadow
    }

    /// The look of a clip of the main track, which has a place on the canvas of its own.
    public init(_ placement: Placement, mode: ContentMode) {
        (self.placement, self.mode, blend) = (placement, mode, .normal)
    }

    /// The same for a part of its own time, without what has no say there.
    public func trimmed(to range: TimeRange) -> LayerLook {
        var look = self
        look.placement.changeValues { _, value in value = value.settled(in: range) }
        look.shadow?.changeValues { _, value in value = value.settled(in: range) }
        if let enter, enter.duration <= range.start { look.enter = nil }
        if let leave, leave.end - leave.entrance.duration >= range.end { look.leave = nil }
        return look
    }

    /// It does the same at all times.
    public var isAtRest: Bool {
        enter == nil && leave == nil && placement.isConstant && shadow?.isConstant ?? true
    }

    /// The poses of its entrance and of its leaving at a time of its own.
    public func poses(at time: Time) -> [EntrancePose] {
        [
            enter?.pose(at: time), leave.map { $0.entrance.pose(at: max(.zero, $0.end - time), isLeaving: true) },
        ].compactMap { $0 == .rest ? nil : $0 }
    }
}

extension Placement {
    var isConstant: Bool {
        var (copy, isConstant) = (self, true)
        copy.changeValues { isConstant = isConstant && $1.isConstant }
        return isConstant
    }
}
