/// Decides where everything lies and collects every broken rule on the way, so that "validates" and "has a timeline" are
/// the same thing.
struct TimelineBuilder {
    let draft: Draft
    let catalog: Catalog
    private(set) var problems: [Problem] = []

    /// More stretches than this are a mistake (a repeat of repeats), not an edit.
    static let maximumPieces = 100_000
    /// Pieces of all layers together, which bounds memory to about 100 MB.
    static let maximumLayerPieces = 2_000_000

    init(_ draft: Draft, _ catalog: Catalog) {
        self.draft = draft
        self.catalog = catalog
    }

    mutating func build() -> Timeline? {
        checkCanvas()
        checkIDs()
        let clips = placeClips()
        let audio = placeAudio()
        if draft.clips.isEmpty { report("draft", "has no clips; add one with add_clip or add_image", nil) }
        let whole = clips.flatMap(\.last).map { TimeMap.identity($0.timeline.end) }
        guard let stack = stackEffects(on: whole), let clips else { return nil }
        guard let rendered = renderedRange(duration: stack.total.duration) else { return nil }
        checkPasses(audio, duration: stack.total.duration)
        guard let layers = layers(stack, rendered) else { return nil }
        guard stretchCount(layers[0], clips) <= Self.maximumPieces else {
            report("draft", "its effect list plays more than \(Self.maximumPieces) stretches of clips; repeat less", nil)
            return nil
        }
        return Timeline(
            clips: clips, audio: audio, total: stack.total, layers: layers, effectRanges: stack.ranges, rendered: rendered,
            frameRate: draft.frameRate(catalog), size: draft.size(catalog))
    }

    mutating func report(_ object: String, _ message: String, _ origin: Origin?) {
        problems.append(Problem(object, message, origin: origin))
    }

    func name(_ effect: Effect, _ index: Int) -> String {
        "effect \(index + 1) (\(effect.id.map { "\($0), " } ?? "")\(effect.kindName))"
    }
}
