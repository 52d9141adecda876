/// Music or voice on the final timeline; the effect list does not touch it.
public struct AudioClip: Hashable, Sendable {
    public var id: String?
    /// An absolute path.
    public var path: String
    /// In final time; what reaches past the draft's end is cut off.
    public var startTime: Time
    /// In source time; must lie inside the media. nil: all of it.
    public var range: TimeRange?
    /// In [1/100, 100].
    public var speed: Rational
    /// The pitch stays as it is when the speed changes it otherwise.
    public var keepsPitch: Bool
    /// Over the clip's time: zero is `startTime`.
    public var volume: Animated
    public var fadeIn: Time
    public var fadeOut: Time
    /// Starts again at its range's start until the draft ends.
    public var loops: Bool
    /// nil: the file's usual one.
    public var audioTrack: TrackChoice?
    /// Plugins' audio filters in the clip's own time, in the order in which they act: after speed, before volume and fades.
    public var effects: [Effect]
    public var origin: Origin?
    /// Where it was changed since, which makes it no other clip.
    public var changes = Changes()

    public init(path: String, startTime: Time = .zero, id: String? = nil) {
        self.path = path
        self.startTime = startTime
        self.id = id
        speed = .one
        keepsPitch = true
        volume = .constant(1)
        fadeIn = .zero
        fadeOut = .zero
        loops = false
        effects = []
    }

    /// Speeds at which a clip can be played with its pitch changed: beyond three octaves down, or up to where nothing of
    /// 48 kHz sound would be left to hear, resampling makes no sense.
    public static let speedRangeWithPitch = Rational(1, 8)...Rational(6)

    public static func == (a: AudioClip, b: AudioClip) -> Bool {
        a.id == b.id && a.path == b.path && a.startTime == b.startTime && a.range == b.range && a.speed == b.speed
            && a.keepsPitch == b.keepsPitch && a.volume == b.volume && a.fadeIn == b.fadeIn && a.fadeOut == b.fadeOut
            && a.loops == b.loops && a.audioTrack == b.audioTrack
            && a.effects == b.effects
    }
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(path)
        hasher.combine(startTime)
    }
}
