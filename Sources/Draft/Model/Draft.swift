import Delivery
import Values

/// A timeline of clips, sound, effects and transitions: what a script builds and a render turns
/// into a file. A pure value; media is named by path and known through a ``Catalog``.
public struct Draft: Hashable, Sendable {
    /// Where it was made.
    @Untracked public var origin: Origin? = nil
    public var canvas: Canvas
    /// The place in the script that set the canvas' background.
    @Untracked public var backgroundOrigin: Origin? = nil
    /// The main track.
    public var clips: [Clip]
    /// On the final timeline.
    public var audio: [AudioClip]
    /// Each entry acts on the timeline that all entries before it have made.
    public var effects: [Effect]
    /// The part that is rendered, in final time; nil: all of it.
    public var timeRange: TimeRange?
    /// Where ``timeRange`` was set.
    @Untracked public var timeRangeOrigin: Origin? = nil
    /// How long the main track of a draft without clips is, which is its background then; nil:
    /// until the end of what lies over it.
    public var backgroundDuration: Time?
    /// Where ``backgroundDuration`` was set.
    @Untracked public var backgroundDurationOrigin: Origin? = nil
    public var loudness = Loudness()
    public var export: ExportSettings
    /// Where ``export`` was set.
    @Untracked public var exportOrigin: Origin? = nil

    public init(canvas: Canvas = Canvas()) {
        self.canvas = canvas
        clips = []
        audio = []
        effects = []
        export = ExportSettings()
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
