/// A place in a draft that uses a plugin's effect, as problems name it.
public struct DraftPluginUse: Hashable, Sendable {
    public var effect: PluginEffect
    /// The rectangle's, where a source is laid over the picture; nil: it works on the canvas, or on sound.
    public var overlaySize: Canvas.Size?
    /// See ``Problem``.
    public var object: String
    public var origin: Origin?
}

extension Draft {
    /// Every use of a plugin's effect: of clips with their transitions and what makes them, of audio clips, of the effect list.
    public func pluginUses(_ catalog: Catalog) -> [DraftPluginUse] {
        var builder = TimelineBuilder(self, catalog)
        _ = builder.build()
        return builder.pluginUses
    }
}
