/// Decides where everything lies and collects every broken rule on the way, so that "validates" and "has a timeline" are
/// the same thing.
struct TimelineBuilder {
    let draft: Draft
    let catalog: Catalog
    private(set) var problems: [Problem] = []

    /// More stretches than this are a mistake (a repeat of repeats), not an edit.
    static let maximumPieces = 100_000
    /// Pieces of all maps together, which bounds memory to about 50 MB.
    static let maximumMapPieces = 1_000_000

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
        guard let stack = stackEffects(on: clips?.last?.timeline.end), let clips else { return nil }
        guard let range = renderedRange(duration: stack.duration) else { return nil }
        checkPasses(audio, duration: stack.duration)
        guard problems.isEmpty, let maps = maps(stack) else { return nil }
        let tracks = (0...1).map { parity in TimeMap(clips.filter { $0.index % 2 == parity }.map(\.piece)) }
        guard tracks.reduce(0, { $0 + maps[0].linkCount(to: $1) }) <= Self.maximumPieces else {
            report(
                "draft", "its effect list plays more than \(Self.maximumPieces) stretches of clips; repeat less", nil)
            return nil
        }
        return Timeline(
            clips: clips, audio: audio, total: maps[0], maps: rendered(maps, range, stack.steps),
            effectRanges: stack.ranges, rendered: range, frameRate: draft.frameRate(catalog), size: draft.size(catalog))
    }

    mutating func report(_ object: String, _ message: String, _ origin: Origin?) {
        problems.append(Problem(object, message, origin: origin))
    }
}
