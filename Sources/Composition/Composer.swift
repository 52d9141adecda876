import Draft
import Values

extension Composition {
    /// The composition of a draft.
    /// - Throws: every problem of the draft.
    public init(_ draft: Draft, catalog: Catalog) throws(Problems) {
        self = try Self.composed(draft, try Timeline(draft, catalog: catalog), catalog)
    }

    /// The composition of a draft that another one shows.
    /// - Throws: every problem of the draft.
    fileprivate init(nested draft: Draft, _ catalog: Catalog) throws(Problems) {
        self = try Self.composed(draft, try Timeline(draft, catalog: catalog, isNested: true), catalog)
        isTransparent = draft.canvas.isTransparent ? true : nil
        background = draft.canvas.wishedBackground ?? .clear
        (loudness, subtitles) = (nil, nil)
    }

    private static func composed(
        _ draft: Draft, _ timeline: Timeline, _ catalog: Catalog
    ) throws(Problems) -> Composition {
        var composer = Composer(draft, catalog, timeline)
        return composer.compose()
    }
}

/// The builder of a composition: it gives files and effects their numbers, and puts instructions
/// and sound together.
struct Composer {
    let draft: Draft
    let catalog: Catalog
    let timeline: Timeline
    private(set) var files: [MediaFile] = []
    private(set) var fileIndex: [FileName: Int] = [:]
    /// The drafts that are shown, each once, and the files that they are.
    private var drafts: [Composition] = []
    private var draftFiles: [ObjectIdentifier: Int] = [:]
    private var equalDrafts: [NestedDraft: Int] = [:]
    private var effects: [CompositionEffect] = []
    var processing = SoundProcessing()
    var filterIndex: [AudioFilter: Int] = [:]
    /// The places of layers in the effect list, by the numbers of their voices.
    var layerVoices: [Int: Int] = [:]
    var seedNames = SeedNames()
    /// What layers show: their clips' numbers, which come after those of the main track, and the
    /// numbers of their own effects.
    private var layers: [Int: Tracks.LayerParts] = [:]
    private var layerClips: [CompositionClip] = []
    let keyNumbers: [String: Int]

    /// A file with one of its sound tracks.
    struct FileName: Hashable {
        var file: DraftFile
        var track: TrackChoice?
    }

    init(_ draft: Draft, _ catalog: Catalog, _ timeline: Timeline) {
        self.draft = draft
        self.catalog = catalog
        self.timeline = timeline
        keyNumbers = draft.keyNumbers
    }

    mutating func compose() -> Composition {
        let clips = timeline.clips.map { placed in
            CompositionClip(placed, file: number(ofContent: placed))
        }
        let generators = timeline.clips.map { placed in
            placed.clip.generator.map { add(.source($0), id: nil, on: .init(placed.timeline.duration)) }
        }
        let clipEffects = timeline.clips.map { placed in addOwn(placed.clip.effects, of: placed) }
        let transitions = timeline.clips.map { placed in
            placed.clip.transition?.plugin.map { add(.transition($0), id: nil, on: .init(placed)) }
        }
        let places = timeline.clips.map { placed in
            placed.clip.look.map { add(.layer($0), id: nil, on: nil) }
        }
        let listed = draft.effects.indices.map { index in
            let effect = draft.effects[index]
            if effect.layer != nil { return addLayer(index) }
            return add(
                effect, on: effect.range.map { .init($0.duration) },
                lasting: timeline.effectRanges[index]?.duration ?? .zero)
        }
        let tracks = Tracks(
            timeline, generators: generators, clipEffects: clipEffects, places: places, transitions: transitions,
            listed: listed, layers: layers, of: effects)
        let frameCount = timeline.frameCount
        let end = Time(frame: frameCount, rate: timeline.frameRate)
        let sound = (clipSound(tracks, end: end) + layerSound(end: end) + musicSound(end: end)).chained()
        addMainFilters()
        return Composition(
            size: timeline.size, frameRate: timeline.frameRate, background: draft.canvas.background,
            color: draft.canvas.color, frameCount: frameCount,
            files: files, clips: (clips.isEmpty ? [.background] : clips) + layerClips, effects: effects,
            instructions: tracks.instructions(end: end), sound: sound,
            processing: processing, loudness: draft.loudness.target,
            subtitles: subtitleTracks(end: end), drafts: drafts.isEmpty ? nil : drafts)
    }

    /// Nil where there are none.
    private func subtitleTracks(end: Time) -> [SubtitleTrack]? {
        let tracks = draft.effects.enumerated().compactMap { index, effect -> SubtitleTrack? in
            guard case .picture(.subtitles(let subtitles)) = effect.kind, subtitles.form == .track,
                let file = catalog.info(subtitles.path)?.subtitles
            else { return nil }
            return SubtitleTrack(subtitles, file, timeline.local(ofEffect: index), end: end)
        }
        return tracks.isEmpty ? nil : tracks
    }

    mutating func number(of file: DraftFile, _ track: TrackChoice? = nil) -> Int? {
        let name = FileName(file: file, track: track)
        if let index = fileIndex[name] { return index }
        guard case .found(let found)? = catalog[file], let info = found.choosing(track) else { return nil }
        files.append(MediaFile(path: file.path, info: info.withoutCues))
        fileIndex[name] = files.count - 1
        return files.count - 1
    }

    /// The file, or the draft, that a clip shows and gives to hear; nil where a plugin makes what
    /// it shows.
    mutating func number(ofContent placed: PlacedClip, _ track: TrackChoice? = nil) -> Int? {
        guard let nested = placed.clip.nested else { return placed.clip.file.flatMap { number(of: $0, track) } }
        if let known = draftFiles[ObjectIdentifier(nested)] { return known }
        // A document says the same twice.
        if let known = equalDrafts[nested] {
            draftFiles[ObjectIdentifier(nested)] = known
            return known
        }
        guard var info = placed.info, let inner = try? Composition(nested: nested.draft, catalog) else { return nil }
        if inner.color == .pq { info.video?.peak = inner.peak }
        info.video?.hasAlpha = !inner.isOpaque
        drafts.append(inner)
        files.append(MediaFile(path: "", info: info, draft: drafts.count - 1))
        draftFiles[ObjectIdentifier(nested)] = files.count - 1
        equalDrafts[nested] = files.count - 1
        return files.count - 1
    }

    /// - Parameter index: the layer's place in the effect list.
    /// - Returns: nil where it is not shown.
    private mutating func addLayer(_ index: Int) -> Int? {
        guard let layer = draft.effects[index].layer, let placed = timeline.layers[index] else { return nil }
        let number = max(1, timeline.clips.count) + layerClips.count
        layerClips.append(
            CompositionClip(placed, file: self.number(ofContent: placed)))
        layers[index] = Tracks.LayerParts(
            clip: number,
            generator: layer.clip.generator.map { add(.source($0), id: nil, on: .init(placed.timeline.duration)) },
            effects: addOwn(layer.clip.effects, of: placed))
        if let mask = layer.mask, let file = self.number(of: DraftFile(mask.path)) {
            layerClips.append(CompositionClip(id: nil, file: file, mode: .stretch))
            layers[index]?.mask = number + 1
            layers[index]?.maskPiece = placed.local
        }
        let look = LayerLook(layer, duration: placed.timeline.duration)
        return add(.layer(look), id: draft.effects[index].id, on: nil)
    }

    /// The effects of a clip's own list.
    private mutating func addOwn(_ effects: [Effect], of placed: PlacedClip) -> [Int?] {
        let whole = TimeRange(start: .zero, duration: placed.timeline.duration)
        return effects.map { effect in
            add(effect, on: .init(placed), lasting: (effect.range ?? whole).clamped(to: whole).duration)
        }
    }

    /// - Parameter length: of its range.
    /// - Returns: nil for effects of time and of sound.
    private mutating func add(_ effect: Effect, on place: SeedNames.Place?, lasting length: Time) -> Int? {
        guard case .picture(var picture) = effect.kind else { return nil }
        if case .title(var title) = picture, title.leave != nil {
            title.end = length
            picture = .title(title)
        }
        if case .subtitles(let subtitles) = picture {
            guard subtitles.form == .picture, let file = catalog.info(subtitles.path)?.subtitles else { return nil }
            return add(.subtitles(ShownSubtitles(subtitles, file)), id: effect.id, on: place)
        }
        return add(.picture(picture), id: effect.id, on: place)
    }

    private mutating func add(
        _ content: CompositionEffect.Content, id: String?, on place: SeedNames.Place?
    ) -> Int {
        effects.append(
            CompositionEffect(
                id: id, content: content, files: content.files.compactMap { number(of: $0) },
                plugin: content.plugin.flatMap { catalog.effect($0.effectID) }.map(PluginUse.init),
                seedName: content.plugin.flatMap { seedNames.name(of: $0, on: place) }))
        return effects.count - 1
    }
}
