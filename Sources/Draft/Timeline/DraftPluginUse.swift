import Values

/// A place in a draft that uses a plugin's effect, as problems name it.
public struct DraftPluginUse: Hashable, Sendable {
    public var effect: PluginEffect
    /// The draft that it lies in, which may be one that another one shows.
    public var draft: Draft
    /// The rectangle's, where a source is laid over the picture; nil: it works on the canvas, or on
    /// sound.
    public var overlaySize: Canvas.Size?
    /// It works on pictures that have alpha: a layer's.
    public var isInLayer = false
    /// See ``Problem``.
    public var object: String
    public var origin: Origin?
}

extension Draft {
    /// Every use of a plugin's effect, in the order of ``places``; then those of the drafts in it.
    public func pluginUses(_ catalog: Catalog) -> [DraftPluginUse] {
        let own = ownUses.compactMap { use -> DraftPluginUse? in
            guard let effect = use.plugin else { return nil }
            var overlaySize: Canvas.Size?
            if case .picture(.overlay(let overlay)) = use.content {
                overlaySize = overlay.rect?.size ?? size(catalog)
            }
            var isInLayer = false
            if case .layerEffect = use.place { isInLayer = true }
            return DraftPluginUse(
                effect: effect, draft: self, overlaySize: overlaySize, isInLayer: isInLayer,
                object: name(of: use.place),
                origin: origin(of: use.place))
        }
        return own
            + places.flatMap { place in
                (nested(at: place)?.draft.pluginUses(catalog) ?? []).map { use in
                    var use = use
                    use.object = DraftPlace.name(name(of: place), inside: use.object)
                    return use
                }
            }
    }
}
