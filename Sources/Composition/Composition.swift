import Draft
import Values

/// What is shown and heard when: a draft's timeline as contiguous instructions. A pure value that
/// can be printed, compared and cut into slices; it names media by index into ``files``.
///
/// *Output time* starts at zero where the rendered range starts.
public struct Composition: Hashable, Sendable, Codable {
    public var size: Canvas.Size
    public var frameRate: Rational
    public var background: Color
    public var color: ColorSystem
    public var frameCount: Int
    public var files: [MediaFile]
    public var clips: [CompositionClip]
    /// The picture effects of the draft and of its clips, each once.
    public var effects: [CompositionEffect]
    /// Contiguous from zero to the end of the last frame.
    public var instructions: [Instruction]
    public var sound: [SoundSpan]
    public var processing: SoundProcessing
    /// The loudness to which the whole mix is normalised; nil: the mix is not changed.
    public var loudness: LoudnessTarget? = nil
    /// Subtitles that are tracks of the file; nil: there are none.
    public var subtitles: [SubtitleTrack]?
    /// The drafts that clips and layers show, in output times of their own; nil: there are none.
    public var drafts: [Composition]? = nil
    /// Where nothing lies it is transparent, not black: of a draft that another one shows. nil: it
    /// is not.
    public var isTransparent: Bool? = nil

    /// cd/m² of the brightest content, 1000 … 10000: what the pictures of a PQ canvas are
    /// tone-mapped from where they are shown as SDR. HLG's nominal display has 1000.
    public var peak: Int {
        color == .pq ? min(max(1000, files.compactMap { $0.info.video?.peak }.max() ?? 0), 10_000) : 1000
    }

    /// Exactly as long as the frames.
    public var duration: Time { Time(frame: frameCount, rate: frameRate) }
}

/// A file that the composition shows, hears or looks up, or a draft that takes the place of one.
public struct MediaFile: Hashable, Sendable, Codable {
    /// Absolute; empty of a draft.
    public var path: String
    public var info: MediaInfo
    /// The number of the draft that it is; nil: it is a file.
    public var draft: Int?

    public init(path: String, info: MediaInfo, draft: Int? = nil) {
        self.path = path
        self.info = info
        self.draft = draft
    }
}

/// What an instruction needs to know of a main-track clip besides its times.
public struct CompositionClip: Hashable, Sendable, Codable {
    public var id: String?
    /// The file; nil where a plugin makes the content (see ``Instruction/ClipUse/generator``), or
    /// it is the colour of ``backdrop``.
    public var file: Int?
    public var mode: ContentMode
    /// The background around the picture; nil: the draft's.
    public var backdrop: Clip.Backdrop?

    /// What the main track of a draft without clips shows.
    static let background = CompositionClip(mode: .fit)
    /// The clip's own time → source time; nil where the content of its uses is source time.
    public var time: ClipTime?
    /// nil: nearest.
    public var frames: Clip.FrameMixing?
    /// Where frames are mixed: the source time from which on none is mixed in, because it was cut
    /// away. nil where nothing is shown near it.
    public var mixedUntil: Time?

    /// Frames further apart are not mixed: the film stood still between them.
    public static let longestMix = Time(flicks: Time.flicksPerSecond)
}

/// What acts on pictures or makes them, wherever in the draft it was said.
public struct CompositionEffect: Hashable, Sendable, Codable {
    public enum Content: Hashable, Sendable, Codable {
        /// An entry of the effect list, or of a clip's own.
        case picture(PictureEffect)
        /// A plugin's transition.
        case transition(PluginEffect)
        /// A plugin's source that makes a clip.
        case source(PluginEffect)
        /// The place and the look of a clip on the canvas: of a layer's, or of one of the main
        /// track that says more than a mode.
        case layer(LayerLook)
        /// Subtitles over the picture.
        case subtitles(ShownSubtitles)

        /// The plugin's effect that does it.
        public var plugin: PluginEffect? {
            switch self {
            case .picture(let effect): effect.plugin
            case .transition(let effect), .source(let effect): effect
            case .layer, .subtitles: nil
            }
        }

        /// The files that it reads.
        var files: [DraftFile] {
            switch self {
            case .picture(let effect): effect.files
            case .transition(let effect), .source(let effect): effect.files
            case .layer: []
            case .subtitles(let subtitles): subtitles.files
            }
        }
    }

    public var id: String?
    public var content: Content
    /// The files that the effect reads, in the order of ``Draft/PictureEffect/files``.
    public var files: [Int]
    /// The plugin that does it.
    public var plugin: PluginUse?
    /// What tells this entry from the draft's others with the same plugin's effect, so that two of
    /// them do not draw the same random numbers: see ``SeedNames``. nil: nothing.
    public var seedName: String?
}

/// A plugin's library, and what a render has to know of the effect that is used from it.
public struct PluginUse: Hashable, Sendable, Codable {
    public var path: String
    /// SHA-256 of the library and its data files.
    public var digest: String
    /// The library's data files, relative to its folder; nil: none.
    public var files: [String]?
    public var state: EffectDescriptor.State
    /// Frames (samples of sound); nil where the state is not `warmUp`.
    public var warmUp: Int?
    /// Frames (samples of sound) of its input before and after the current one that it sees; nil:
    /// none.
    public var window: FrameReach?
    /// True where the same call may give another result: what it made is not kept for another
    /// render.
    public var isUncertain: Bool?
    /// True where it hears the main track's sound beside its own.
    public var isKeyed: Bool?
    /// True where what it makes may depend on where on the timeline it stands.
    public var isPlaced: Bool?

    public init(_ descriptor: EffectDescriptor) {
        path = descriptor.path
        digest = descriptor.digest
        files = descriptor.files.isEmpty ? nil : descriptor.files
        state = descriptor.state
        warmUp = state == .warmUp && descriptor.warmUp > 0 ? descriptor.warmUp : nil
        let reach = FrameReach(before: descriptor.reachBefore, after: descriptor.reachAfter)
        // A source has no input to look around in.
        window = reach == .none || descriptor.kind == .source ? nil : reach
        isUncertain = descriptor.determinism == .none ? true : nil
        isKeyed = descriptor.isKeyed ? true : nil
        isPlaced = descriptor.ignoresTimeline ? nil : true
    }
}

/// How far from a frame others lie that it depends on.
public struct FrameReach: Hashable, Sendable, Codable {
    public var before: Int
    public var after: Int

    public static let none = FrameReach(before: 0, after: 0)

    public init(before: Int, after: Int) {
        self.before = before
        self.after = after
    }

    public static func + (a: FrameReach, b: FrameReach) -> FrameReach {
        FrameReach(before: a.before + b.before, after: a.after + b.after)
    }
}

/// One stretch of output time during which the same clips are shown through the same effects.
public struct Instruction: Hashable, Sendable, Codable {
    /// In output time.
    public var range: TimeRange
    /// The clip that is shown; in a transition the outgoing one, then the incoming one.
    public var clips: [ClipUse]
    public var transition: TransitionUse?
    /// In the order in which they act.
    public var effects: [EffectUse]

    public struct ClipUse: Hashable, Sendable, Codable {
        public var clip: Int
        /// Output time → content time: source time or, where the clip has a
        /// ``CompositionClip/time``, its own.
        public var content: Piece
        /// What makes the content; nil where the clip has a file. Where neither is there the
        /// background shows.
        public var generator: EffectUse?
        /// The clip's place on the canvas, where it says more than a mode; nil for a layer's, which
        /// is placed by the use that shows it.
        public var place: EffectUse?
        /// The clip's own effects. On the main track they act on the whole canvas, on a layer only
        /// on its picture.
        public var effects: [EffectUse]
    }

    public struct TransitionUse: Hashable, Sendable, Codable {
        public var style: Style
        public var duration: Time
        /// Output time → time since the transition began.
        public var clock: Piece

        public enum Style: Hashable, Sendable {
            case builtIn(Transition.Kind)
            /// A plugin's: the composition's effect of this number.
            case effect(Int)
        }

        /// The plugin's effect, as those of the effect list.
        public var effect: EffectUse? {
            if case .effect(let number) = style {
                EffectUse(effect: number, clock: clock, length: duration)
            } else {
                nil
            }
        }

        /// 0 at the transition's start … 1 at its end.
        public func progress(at time: Time) -> Double {
            min(1, max(0, Double(clock.content(at: time).flicks) / Double(duration.flicks)))
        }
    }

    public struct EffectUse: Hashable, Sendable, Codable {
        public var effect: Int
        /// Output time → time within the effect's range.
        public var clock: Piece
        /// The length of the effect's range in its own time, for a plugin; zero for the built-in
        /// effects, which do not ask.
        public var length: Time
        /// The clip that a layer shows and, where it has one, its mask; nil for other effects. A
        /// list, because a value cannot hold another of its kind.
        public var shown: [ClipUse]?

        /// The clip that a layer shows.
        public var clip: ClipUse? { shown?.first }
        /// The mask of a layer.
        public var mask: ClipUse? { shown.flatMap { $0.count > 1 ? $0[1] : nil } }

        public init(effect: Int, clock: Piece, length: Time, clip: ClipUse? = nil, mask: ClipUse? = nil) {
            (self.effect, self.clock, self.length) = (effect, clock, length)
            shown = clip.map { [$0] + (mask.map { [$0] } ?? []) }
        }

        /// The effect's own time in a frame that starts at `time`: zero where the range begins
        /// within the frame.
        public func time(at time: Time) -> Time { max(.zero, clock.content(at: time)) }
    }
}

extension Instruction {
    /// Every effect that acts in this stretch, in the order in which they act: what makes clips,
    /// the clips' own effects, a plugin's transition, the effect list; a layer after what makes its
    /// picture.
    public var uses: [EffectUse] {
        clips.compactMap(\.generator) + clips.compactMap(\.place) + clips.flatMap(\.effects)
            + (transition?.effect.map { [$0] } ?? [])
            + effects.flatMap { use in (use.clip.map { $0.own } ?? []) + [use] }
    }

    /// The clips of the main track, of layers and of their masks.
    public var allClips: [ClipUse] { clips + effects.flatMap { $0.shown ?? [] } }

    /// The same with every effect that acts in it changed by `change`, in the order of ``uses``.
    func mapUses(_ change: (EffectUse) -> EffectUse) -> Instruction {
        var result = self
        for index in clips.indices { result.clips[index].generator = clips[index].generator.map(change) }
        for index in clips.indices { result.clips[index].place = clips[index].place.map(change) }
        for index in clips.indices { result.clips[index].effects = clips[index].effects.map(change) }
        if let use = transition?.effect.map(change) {
            result.transition?.style = .effect(use.effect)
            result.transition?.clock = use.clock
        }
        result.effects = effects.map { use in
            let shown = use.shown.map { clips in
                clips.map { clip in
                    var clip = clip
                    clip.generator = clip.generator.map(change)
                    clip.effects = clip.effects.map(change)
                    return clip
                }
            }
            var changed = change(use)
            changed.shown = shown
            return changed
        }
        return result
    }

    /// Returns the instruction with every clip of the main track and of layers changed by `change`,
    /// in the order that ``allClips`` has.
    func mapClips(_ change: (ClipUse) -> ClipUse) -> Instruction {
        var result = self
        result.clips = clips.map(change)
        for index in effects.indices { result.effects[index].shown = effects[index].shown.map { $0.map(change) } }
        return result
    }
}

extension Instruction.ClipUse {
    /// What makes it and acts on it.
    fileprivate var own: [Instruction.EffectUse] { (generator.map { [$0] } ?? []) + effects }
}

/// In JSON the name of a built-in transition, or the number of an effect.
extension Instruction.TransitionUse.Style: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            self = .effect(number)
        } else if let kind = Transition.Kind(named: try container.decode(String.self)) {
            self = .builtIn(kind)
        } else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "there is no such transition")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .builtIn(let kind): try container.encode(kind.name)
        case .effect(let number): try container.encode(number)
        }
    }
}

/// A stretch of output time during which one file plays at one speed or along a speed curve.
public struct SoundSpan: Hashable, Sendable, Codable {
    public var file: Int
    /// The number of the voice that it is a part of; a voice's spans come in the order of time.
    public var voice: Int
    /// Output time → content time. Where the speed changes, the straight line from the first time
    /// to the last.
    public var map: Piece
    /// The pieces of the map where the speed changes: they adjoin, and all play in one direction.
    /// nil: `map` says it all.
    public var tempo: [Piece]?
    public var keepsPitch: Bool
    public var gain: Gain
    /// The number of the chain that the span is part of: spans that continue one another in output
    /// and content run through one time-stretcher. nil: the span has none, or one of its own.
    public var chain: Int?

    /// The factor on the samples: volume × fades × crossfades.
    @dynamicMemberLookup
    public struct Gain: Hashable, Sendable {
        /// In the clip's own time. Its fields lie beside the others in JSON and in keys.
        public var sound: ClipSound
        /// Output time → the clip's own time.
        public var clock: Piece
        /// The clip's whole length in its own time.
        public var length: Time
        /// By how much the sound is heard before the clip's own time zero, and after its length;
        /// nil: not at all.
        public var lead: Time?
        public var tail: Time?
        public var crossfades: [Crossfade]
        /// Where it comes and goes within some milliseconds.
        public var edges: SoftEdges?

        public init(
            _ sound: ClipSound, clock: Piece, length: Time, lead: Time? = nil, tail: Time? = nil,
            crossfades: [Crossfade] = []
        ) {
            (self.sound, self.clock, self.length) = (sound, clock, length)
            (self.lead, self.tail, self.crossfades) = (lead, tail, crossfades)
        }

        public subscript<Member>(dynamicMember path: KeyPath<ClipSound, Member>) -> Member { sound[keyPath: path] }
    }

    /// The ends of a span, in output time, at which the sound breaks off or starts again; nil: it
    /// continues there.
    public struct SoftEdges: Hashable, Sendable, Codable {
        public var start: Time?
        public var end: Time?
    }

    /// One side of a transition's sound: equal power, sin or cos of a quarter turn.
    public struct Crossfade: Hashable, Sendable, Codable {
        /// Output time → time since the transition began.
        public var clock: Piece
        public var duration: Time
        /// True for the incoming clip.
        public var rises: Bool
    }
}

extension SoundSpan.Gain: Codable {
    private enum CodingKeys: CodingKey { case clock, length, lead, tail, crossfades, edges }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try ClipSound(from: decoder), clock: try fields.decode(Piece.self, forKey: .clock),
            length: try fields.decode(Time.self, forKey: .length),
            lead: try fields.decodeIfPresent(Time.self, forKey: .lead),
            tail: try fields.decodeIfPresent(Time.self, forKey: .tail),
            crossfades: try fields.decode([SoundSpan.Crossfade].self, forKey: .crossfades))
        edges = try fields.decodeIfPresent(SoundSpan.SoftEdges.self, forKey: .edges)
    }

    public func encode(to encoder: any Encoder) throws {
        try sound.encode(to: encoder)
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(clock, forKey: .clock)
        try fields.encode(length, forKey: .length)
        try fields.encodeIfPresent(lead, forKey: .lead)
        try fields.encodeIfPresent(tail, forKey: .tail)
        try fields.encode(crossfades, forKey: .crossfades)
        try fields.encodeIfPresent(edges, forKey: .edges)
    }
}
