import Values

/// Decides where everything lies and collects every broken rule on the way, so that "validates" and
/// "has a timeline" are the same thing. Warnings (valid, but probably mistakes) are collected
/// beside.
///
/// The builder of an empty draft checks objects by themselves.
struct TimelineBuilder {
    let draft: Draft
    let catalog: Catalog
    /// Another draft shows this one, so its background may be transparent.
    let isNested: Bool
    /// The first ``mostProblems``.
    private(set) var problems: [Problem] = []
    /// The number of problems after them.
    private(set) var unlisted = 0
    var warnings: [Problem] = []
    /// What is known of the drafts in this one, each looked at once; nil of one that has no
    /// timeline.
    var nestedInfos: [ObjectIdentifier: MediaInfo?] = [:]
    /// Pieces of the clips' own maps of time so far.
    var clipPieces = 0

    /// More stretches than this are a mistake (a repeat of repeats), not an edit.
    static let maximumPieces = 100_000
    /// A message that is longer helps no reader, and takes long to make.
    static let mostProblems = 100
    /// Pieces of all maps together, which bounds memory to about 50 MB.
    static let maximumMapPieces = 1_000_000

    init(_ draft: Draft, _ catalog: Catalog, isNested: Bool = false) {
        self.draft = draft
        self.catalog = catalog
        self.isNested = isNested
    }

    /// Places as far as they are known, whatever else is wrong.
    struct Sketch {
        /// The clips before the first one whose place is not known.
        var clips: [PlacedClip]
        var audio: [PlacedAudioClip]
        /// What the final timeline lasts at most; nil where that is not known.
        var longest: Time?
        /// The main track's length; nil where it is not known.
        var end: Time?
        /// nil where not all of the clips' places are known.
        var stack: Stack?
        /// The final timeline → the timeline before each entry of the effect list.
        var maps: [TimeMap]?
    }

    mutating func sketch() -> Sketch {
        let clips = placeClips()
        let audio = placeAudio()
        let end = mainDuration(clips, audio)
        var longest = end ?? longestMainTrack(placed: clips)
        let stack = stackEffects(on: end, &longest)
        return Sketch(
            clips: clips, audio: audio, longest: longest, end: end, stack: stack, maps: stack.flatMap { maps($0) })
    }

    mutating func build() -> Timeline? {
        checkCanvas()
        checkIDs()
        checkKeys()
        let sketch = sketch()
        guard let end = sketch.end, let stack = sketch.stack, stack.isCertain else {
            refuseTimeRange(beyond: sketch.longest)
            return nil
        }
        guard let range = renderedRange(duration: stack.duration) else { return nil }
        checkPasses(sketch.audio, duration: stack.duration)
        guard problems.isEmpty, let maps = sketch.maps else { return nil }
        let clips = sketch.clips
        let tracks = (0...1).map { parity in TimeMap(clips.filter { $0.index % 2 == parity }.map(\.piece)) }
        let stretches =
            tracks.reduce(0) { $0 + maps[0].linkCount(to: $1) }
            + clips.reduce(0) { count, placed in
                count + (placed.time.map { maps[0].then(TimeMap([placed.piece])).linkCount(to: $0) } ?? 0)
            }
        guard stretches <= Self.maximumPieces else {
            report(
                "draft", "its effect list plays more than \(Self.maximumPieces) stretches of clips; repeat less",
                draft.origin)
            return nil
        }
        return Timeline(
            clips: clips, audio: sketch.audio, retiming: Retiming(maps[0], of: end),
            maps: rendered(maps, range, stack.steps), effectRanges: stack.ranges, rendered: range,
            frameRate: draft.frameRate(catalog), size: draft.size(catalog), layers: stack.layers)
    }

    /// Whether further problems are only counted.
    var isFull: Bool { problems.count >= Self.mostProblems }

    /// The problems, and how many there are besides.
    var reported: [Problem] {
        guard unlisted > 0 else { return problems }
        let more = unlisted == 1 ? "1 more problem is" : "\(unlisted) more problems are"
        return problems + [Problem("draft", "\(more) not listed", origin: draft.origin)]
    }

    /// Takes over what is wrong with a draft in this one.
    mutating func adopt(_ nested: TimelineBuilder, _ told: (Problem) -> Problem) {
        let room = max(0, Self.mostProblems - problems.count)
        problems += nested.problems.prefix(room).map(told)
        unlisted += nested.unlisted + max(0, nested.problems.count - room)
    }

    mutating func report(_ object: String, _ message: String, _ origin: Origin?) {
        guard !isFull else {
            unlisted += 1
            return
        }
        problems.append(Problem(object, message, origin: origin).naming(catalog.names))
    }

    mutating func warn(_ object: String, _ message: String, _ origin: Origin?) {
        warnings.append(Problem(object, message, origin: origin).naming(catalog.names))
    }
}
