import Draft

extension Composition {
    /// The composition of a draft.
    /// - Throws: every problem of the draft.
    public init(_ draft: Draft, catalog: Catalog) throws(Problems) {
        let timeline = try Timeline(draft, catalog: catalog)
        var composer = Composer(draft, catalog, timeline)
        self = composer.compose()
    }
}

/// The builder of a composition: it gives files and effects their numbers, and puts instructions and sound together.
struct Composer {
    let draft: Draft
    let catalog: Catalog
    let timeline: Timeline
    private(set) var files: [MediaFile] = []
    private(set) var fileIndex: [FileName: Int] = [:]
    private var effects: [CompositionEffect] = []
    var processing = SoundProcessing()
    var filterIndex: [AudioFilter: Int] = [:]
    var seedNames = SeedNames()

    /// A file with one of its sound tracks.
    struct FileName: Hashable {
        var file: DraftFile
        var track: TrackChoice?
    }

    init(_ draft: Draft, _ catalog: Catalog, _ timeline: Timeline) {
        self.draft = draft
        self.catalog = catalog
        self.timeline = timeline
    }

    mutating func compose() -> Composition {
        let clips = timeline.clips.map { placed in
            CompositionClip(
                id: placed.clip.id, file: placed.clip.file.flatMap { number(of: $0) }, mode: placed.clip.mode)
        }
        let generators = timeline.clips.map { placed in
            placed.clip.generator.map { add(.source($0), id: nil, on: .init(placed.timeline.duration)) }
        }
        let clipEffects = timeline.clips.map { placed in placed.clip.effects.map { add($0, on: .init(placed)) } }
        let transitions = timeline.clips.map { placed in
            placed.clip.transition?.plugin.map { add(.transition($0), id: nil, on: .init(placed)) }
        }
        let listed = draft.effects.map { add($0, on: $0.range.map { .init($0.duration) }) }
        let tracks = Tracks(
            timeline, generators: generators, clipEffects: clipEffects, transitions: transitions, listed: listed,
            of: effects)
        let frameCount = timeline.frameCount
        let end = Time(frame: frameCount, rate: timeline.frameRate)
        let sound = clipSound(tracks, end: end) + musicSound(end: end)
        processing.main = mainFilters()
        return Composition(
            size: timeline.size, frameRate: timeline.frameRate, background: draft.canvas.background,
            color: draft.canvas.color, frameCount: frameCount,
            files: files, clips: clips, effects: effects, instructions: tracks.instructions(end: end), sound: sound,
            processing: processing, subtitles: subtitleTracks(end: end))
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

    /// - Returns: nil for effects of time and of sound.
    private mutating func add(_ effect: Effect, on place: SeedNames.Place?) -> Int? {
        guard case .picture(let picture) = effect.kind else { return nil }
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
