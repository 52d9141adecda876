/// A timeline of clips, sound, effects and transitions: what a script builds and a render turns into a file. A pure value;
/// media is named by path and known through a ``Catalog``.
public struct Draft: Hashable, Sendable {
    /// Where it was made; it does not make another draft.
    public var origin: Origin?
    public var canvas: Canvas
    /// The place in the script that set the canvas' background; it does not make another draft.
    public var backgroundOrigin: Origin?
    /// The main track.
    public var clips: [Clip]
    /// On the final timeline.
    public var audio: [AudioClip]
    /// Each entry acts on the timeline that all entries before it have made.
    public var effects: [Effect]
    /// The part that is rendered, in final time; nil: all of it.
    public var timeRange: TimeRange?
    /// Where ``timeRange`` was set; it does not make another draft.
    public var timeRangeOrigin: Origin?
    /// How long the main track of a draft without clips is, which is its background then; nil: until the end of what lies over it.
    public var backgroundDuration: Time?
    /// Where ``backgroundDuration`` was set; it does not make another draft.
    public var backgroundDurationOrigin: Origin?
    public var loudness = Loudness()
    public var export: ExportSettings
    /// Where ``export`` was set; it does not make another draft.
    public var exportOrigin: Origin?

    public init(canvas: Canvas = Canvas()) {
        self.canvas = canvas
        clips = []
        audio = []
        effects = []
        export = ExportSettings()
    }

    public static func == (a: Draft, b: Draft) -> Bool {
        a.canvas == b.canvas && a.clips == b.clips && a.audio == b.audio && a.effects == b.effects
            && a.timeRange == b.timeRange && a.backgroundDuration == b.backgroundDuration && a.loudness == b.loudness
            && a.export == b.export
    }
    public func hash(into hasher: inout Hasher) {
        hasher.combine(canvas)
        hasher.combine(clips)
        hasher.combine(audio)
        hasher.combine(effects)
        hasher.combine(timeRange)
        hasher.combine(backgroundDuration)
        hasher.combine(loudness)
        hasher.combine(export)
    }

    /// The picture of the first clip, which decides an open canvas.
    func firstPicture(_ catalog: Catalog) -> VideoStreamInfo? {
        guard let nested = clips.first?.nested else { return clips.first.flatMap { catalog.info($0.path)?.video } }
        let size = nested.draft.size(catalog)
        return VideoStreamInfo(
            codec: "draft", width: size.width, height: size.height, rotation: 0,
            frameRate: nested.draft.frameRate(catalog), start: .zero, duration: .zero, bitRate: nil, hasAlpha: false)
    }

    public func size(_ catalog: Catalog) -> Canvas.Size { canvas.resolvedSize(first: firstPicture(catalog)) }

    public func frameRate(_ catalog: Catalog) -> Rational {
        if let nested = clips.first?.nested { return canvas.frameRate ?? nested.draft.frameRate(catalog) }
        guard let first = clips.first, first.isMedia else { return canvas.frameRate ?? Rational(30) }
        return canvas.resolvedFrameRate(first: firstPicture(catalog))
    }
}
