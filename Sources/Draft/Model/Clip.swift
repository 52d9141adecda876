import Values

/// A clip of the main track. Clips lie end to end in list order, overlapped by their transitions.
@dynamicMemberLookup
public struct Clip: Hashable, Sendable {
    public enum Content: Hashable, Sendable {
        /// Moving pictures with or without sound. The range is in source time, before speed; nil:
        /// all of it. What reaches past the media's end is cut off.
        case media(range: TimeRange?)
        /// A still image, shown for this long.
        case image(duration: Time)
        /// What a plugin's source makes, for this long. The clip has no file: its path is empty.
        case generated(PluginEffect, duration: Time)
        /// One colour, for this long: of layers. It takes whatever rectangle it is given.
        case color(Color, duration: Time)
        /// What another draft shows and gives to hear: moving pictures without a file. The range is
        /// in that draft's output time.
        case draft(NestedDraft, range: TimeRange?)
    }

    public enum Backdrop: Hashable, Sendable, Codable {
        case color(Color)
        /// The clip's own picture, which fills the canvas, blurred.
        case blur

        /// Whether nothing of the draft's background shows through it.
        public var isOpaque: Bool { if case .color(let color) = self { color.alpha == 255 } else { true } }
    }

    public var id: String?
    /// An absolute path; empty where the content is generated, or a draft.
    public var path: String
    public var content: Content
    /// Source time per timeline time, in [1/100, 100].
    public var speed: Rational
    /// Picture and sound of the range play backwards. Effects, volume and fades use the
    /// clip's own time, which still runs forwards.
    public var isReversed: Bool
    /// Speed curve, stops, passes.
    public var timing = Timing()
    public var sound = ClipSound()
    /// How long before the picture, in time of the main track, its sound begins, and how long after
    /// it the sound ends: at most what the media and the main track have there.
    public var soundLead = Time.zero
    public var soundTail = Time.zero
    /// nil: the file's usual one.
    public var audioTrack: TrackChoice?
    public var mode: ContentMode
    /// Where the picture lies on the canvas, which is its rectangle; nil: ``mode`` alone says it.
    /// A placement that says nothing is equal to none: see ``ownPlacement``.
    @NilIfNeutral public var placement: Placement? = nil
    /// The background around the picture; nil: the draft's.
    public var backdrop: Backdrop?
    /// How this clip takes over from the one before it.
    public var transition: Transition?
    /// Effects on the clip's picture and sound in its own time (zero is its first frame on the
    /// timeline), before transitions, volume and fades.
    public var effects: [Effect]
    @Untracked public var origin: Origin? = nil
    /// Where it was changed since.
    @Untracked public var changes = Changes()
    /// The ‘duration’ that decided ``speed`` without a range, so that all of the content is
    /// stretched to it; nil if the range or the speed was given.
    @Untracked public var stretch: Time? = nil

    public init(path: String, content: Content = .media(range: nil), id: String? = nil) {
        self.path = path
        self.content = content
        self.id = id
        speed = .one
        isReversed = false
        mode = .fit
        effects = []
    }

    /// What a plugin makes, which the canvas shows as it is.
    public init(_ source: PluginEffect, duration: Time, id: String? = nil) {
        self.init(path: "", content: .generated(source, duration: duration), id: id)
    }

    /// A layer of one colour, which canvas and place give its shape.
    public init(_ color: Color, duration: Time) {
        self.init(path: "", content: .color(color, duration: duration))
        mode = .stretch
    }

    public var isImage: Bool { if case .image = content { true } else { false } }
    /// With pictures, and perhaps sound, that run at a speed; the others stand still or are made
    /// for the clip's time.
    public var isMedia: Bool {
        switch content {
        case .media, .draft: true
        case .image, .generated, .color: false
        }
    }
    /// The plugin's source that makes the content.
    public var generator: PluginEffect? {
        if case .generated(let source, _) = content { source } else { nil }
    }
    /// The colour of a clip that shows one colour.
    public var color: Color? { if case .color(let color, _) = content { color } else { nil } }
    /// Its placement, where that says anything.
    public var ownPlacement: Placement? { $placement }
    /// nil where the content is generated, a colour or a draft.
    public var file: DraftFile? {
        switch content {
        case .media, .image: DraftFile(path)
        case .generated, .color, .draft: nil
        }
    }
    /// Whether the content is known only once a file or a draft was probed.
    public var isFound: Bool { file != nil || nested != nil }
    /// Its content lasts as long as it is asked for; nil where the content has a length of its own.
    public var wishedDuration: Time? {
        switch content {
        case .media, .draft: nil
        case .image(let duration), .generated(_, let duration), .color(_, let duration): duration
        }
    }

    public static let speedRange = Rational(1, 100)...Rational(100)

    /// The part of the media that plays: the wished range less what reaches past the end. Empty
    /// where nothing is left. The range of an image, and of what is generated, is as long as it is
    /// shown.
    public func sourceRange(mediaDuration: Time) -> TimeRange {
        switch content {
        case .image(let duration), .generated(_, let duration), .color(_, let duration):
            return TimeRange(start: .zero, duration: duration)
        case .media(let range), .draft(_, let range):
            let whole = TimeRange(start: .zero, duration: mediaDuration)
            return range.map { $0.intersection(whole) ?? TimeRange(start: $0.start, duration: .zero) } ?? whole
        }
    }

    /// The clip's length on the main track: its source range at its speed, with its stops, as often
    /// as it plays. An invalid timing counts as a plain one.
    public func durationAtMainTrack(mediaDuration: Time) -> Time {
        let source = sourceRange(mediaDuration: mediaDuration)
        if isMedia, !timing.isPlain, !source.isEmpty, let playing = try? playing(source) { return playing.duration }
        return source.duration.scaled(by: isMedia ? speed.reciprocal : .one)
    }

    public subscript<Member>(dynamicMember path: WritableKeyPath<ClipSound, Member>) -> Member {
        get { sound[keyPath: path] }
        set { sound[keyPath: path] = newValue }
    }
}
