import Values

/// One entry of a draft's effect list, or of a clip's own.
public struct Effect: Hashable, Sendable {
    public var id: String?
    public var kind: Kind
    /// On the timeline that all entries before this one have made; nil: all of it. In a clip's own
    /// list: in the clip's time.
    public var range: TimeRange?
    /// It acts on the whole timeline after everything else, whatever is added later. There is at
    /// most one, the list's last; not a bypass.
    public var isPassThrough: Bool
    /// The ids of the clips and audio clips whose sound keys a plugin's audio filter, in place of
    /// the main track's mix; empty: none.
    public var keys: [String] = []
    @Untracked public var origin: Origin? = nil
    /// Where it was changed since.
    @Untracked public var changes = Changes()

    public init(
        _ kind: Kind, range: TimeRange? = nil, isPassThrough: Bool = false, id: String? = nil, origin: Origin? = nil
    ) {
        self.kind = kind
        self.range = range
        self.isPassThrough = isPassThrough
        self.id = id
        self.origin = origin
    }

    public enum Kind: Hashable, Sendable {
        /// Plays the range `factor` times as fast; the factor multiplies the clips' own speeds.
        case speed(Rational)
        /// Plays the range this many times in all.
        case `repeat`(Int)
        /// Changes the picture, not the time.
        case picture(PictureEffect)
        /// Changes the sound, not the time: a plugin's audio filter.
        case sound(PluginEffect)
        /// Lies over the picture, with a sound of its own.
        case layer(Layer)
    }

    /// How many times a range may play in all.
    public static let countRange = 1...10_000

    /// Why it cannot be the pass-through effect, as far as that is its own affair; empty where it
    /// can or is not one.
    var passThroughProblems: [String] {
        guard isPassThrough else { return [] }
        var problems: [String] = []
        if layer != nil { problems.append("is a layer, which lies at its place in the list; leave ‘pass_through’ out") }
        if isTimeEffect {
            problems.append("changes time, so it cannot be the ‘pass_through’ effect, which acts after that")
        }
        if let range {
            problems.append(
                "has the range \(range), but a ‘pass_through’ effect acts on the whole timeline; leave one out")
        }
        return problems
    }

    /// The problem of an entry of a clip's own list.
    static let misplacedPassThrough = "has ‘pass_through’, which is for an entry of the draft's effect list"

    /// The problem of an entry of a clip's own list.
    static let misplacedLayer = "is a layer, which is for the draft's effect list; a ‘sticker’ lies on a clip"

    public var isTimeEffect: Bool {
        switch kind {
        case .speed, .repeat: true
        case .picture, .sound, .layer: false
        }
    }

    public var layer: Layer? { if case .layer(let layer) = kind { layer } else { nil } }

    public var isSound: Bool { if case .sound = kind { true } else { false } }

    /// The plugin's effect that does it, whatever its kind.
    public var plugin: PluginEffect? {
        switch kind {
        case .speed, .repeat: nil
        case .picture(let effect): effect.plugin
        case .sound(let effect): effect
        case .layer(let layer): layer.clip.generator
        }
    }

    /// Its name in problems, as entry `index` (from 0) of its list: `effect 1 (first, lut)`.
    public func name(_ index: Int) -> String { "effect \(index + 1) (\(id.map { "\($0), " } ?? "")\(kindName))" }

    public var kindName: String {
        switch kind {
        case .speed: "speed"
        case .repeat: "repeat"
        case .picture(let effect): effect.name
        case .sound(let effect): effect.effectID
        case .layer: "layer"
        }
    }
}
