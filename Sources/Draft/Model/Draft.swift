/// A timeline of clips, sound, effects and transitions: what a script builds and a render turns into a file. A pure value;
/// media is named by path and known through a ``Catalog``.
public struct Draft: Hashable, Sendable {
    public var canvas: Canvas
    /// The main track.
    public var clips: [Clip]
    /// On the final timeline.
    public var audio: [AudioClip]
    /// Each entry acts on the timeline that all entries before it have made.
    public var effects: [Effect]
    /// The part that is rendered, in final time; nil: all of it.
    public var timeRange: TimeRange?
    public var export: ExportSettings

    public init(canvas: Canvas = Canvas()) {
        self.canvas = canvas
        clips = []
        audio = []
        effects = []
        export = ExportSettings()
    }

    /// Every file that the draft names, each once, in the order of first use.
    public var paths: [String] {
        var seen = Set<String>()
        let effectPaths = { (effects: [Effect]) in effects.compactMap(\.path) }
        let all = clips.flatMap { [$0.path] + effectPaths($0.effects) } + audio.map(\.path) + effectPaths(effects)
        return all.filter { seen.insert($0).inserted }
    }

    /// True where the draft names a plugin's effect.
    public var usesPlugins: Bool {
        (clips.flatMap(\.effects) + effects).contains { $0.filter != nil } || clips.contains { $0.transition?.plugin != nil }
    }

    /// The picture of the first clip, which decides an open canvas.
    func firstPicture(_ catalog: Catalog) -> VideoStreamInfo? {
        clips.first.flatMap { catalog.info($0.path)?.video }
    }

    public func size(_ catalog: Catalog) -> Canvas.Size { canvas.resolvedSize(first: firstPicture(catalog)) }

    public func frameRate(_ catalog: Catalog) -> Rational {
        guard let first = clips.first, !first.isImage else { return canvas.frameRate ?? Rational(30) }
        return canvas.resolvedFrameRate(first: firstPicture(catalog))
    }
}

extension Effect {
    /// The media file that the effect shows or looks up: one of those whose content decides the picture.
    public var path: String? {
        switch kind {
        case .picture(.lut(let look)): look.path
        case .picture(.sticker(let sticker)): sticker.path
        case .picture(.filter(let filter)): filter.imagePath
        default: nil
        }
    }

    public var filter: ExternalFilter? {
        if case .picture(.filter(let filter)) = kind { filter } else { nil }
    }
}
