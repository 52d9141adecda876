import Values

/// Music or voice on the final timeline; the effect list does not touch it.
@dynamicMemberLookup
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
    /// In the clip's time: zero is `startTime`.
    public var sound = ClipSound()
    /// Starts again at its range's start until the draft ends.
    public var loops: Bool
    /// nil: the file's usual one.
    public var audioTrack: TrackChoice?
    /// Plugins' audio filters in the clip's own time, in the order in which they act: after speed,
    /// before volume and fades.
    public var effects: [Effect]
    @Untracked public var origin: Origin? = nil
    /// Where it was changed since.
    @Untracked public var changes = Changes()

    public init(path: String, startTime: Time = .zero, id: String? = nil) {
        self.path = path
        self.startTime = startTime
        self.id = id
        speed = .one
        keepsPitch = true
        loops = false
        effects = []
    }

    /// Speeds at which a clip can be played with its pitch changed: beyond three octaves down, or
    /// up to where nothing of 48 kHz sound would be left to hear, resampling makes no sense.
    public static let speedRangeWithPitch = Rational(1, 8)...Rational(6)

    public subscript<Member>(dynamicMember path: WritableKeyPath<ClipSound, Member>) -> Member {
        get { sound[keyPath: path] }
        set { sound[keyPath: path] = newValue }
    }
}
