import Draft

extension Composition {
    /// Turns a draft into instructions.
    /// - Throws: every problem of the draft.
    public init(_ draft: Draft, catalog: Catalog) throws(Problems) {
        let timeline = try Timeline(draft, catalog: catalog)
        var composer = Composer(draft, catalog, timeline)
        self = composer.compose()
    }
}

/// Walks the timeline's maps once, in output time, and cuts it wherever any of them changes.
///
/// Transitions overlap neighbours only (a clip's head and tail together fit into it), so the clips with even and those with
/// odd indexes are two tracks without overlap: every piece of either track is found by one composition of maps, in order,
/// and the walk needs one cursor for each. Nothing here grows with the square of the draft.
struct Composer {
    let draft: Draft
    let catalog: Catalog
    let timeline: Timeline
    private(set) var files: [MediaFile] = []
    private(set) var fileIndex: [FileName: Int] = [:]
    private var effects: [CompositionEffect] = []
    var processing = SoundProcessing()
    var filterIndex: [AudioFilter: Int] = [:]
    /// How many entries of each plugin's effect there were so far.
    private var entries: [String: Int] = [:]

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
            placed.clip.generator.map { add(Effect(.picture(.filter($0)))) }
        }
        let clipEffects = timeline.clips.map { placed in placed.clip.effects.map { $0.isSound ? nil : add($0) }
        }
        let transitions = timeline.clips.map { placed in
            placed.clip.transition?.plugin.map { add(Effect(.picture(.filter($0)))) }
        }
        let listed = draft.effects.map { $0.isTimeEffect || $0.isSound ? nil : add($0) }
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
            processing: processing)
    }

    mutating func number(of file: DraftFile, _ track: TrackChoice? = nil) -> Int? {
        let name = FileName(file: file, track: track)
        if let index = fileIndex[name] { return index }
        guard case .found(let found)? = catalog[file], let info = found.choosing(track) else { return nil }
        files.append(MediaFile(path: file.path, info: info))
        fileIndex[name] = files.count - 1
        return files.count - 1
    }

    private mutating func add(_ effect: Effect) -> Int {
        guard case .picture(let picture) = effect.kind else { return 0 }
        let plugin = picture.plugin.flatMap { catalog.effect($0.effectID) }
        effects.append(
            CompositionEffect(
                id: effect.id, effect: picture, files: picture.files.compactMap { number(of: $0) },
                plugin: plugin.map(PluginUse.init), entry: picture.plugin.flatMap { nextEntry(of: $0.effectID) }))
        return effects.count - 1
    }

    /// The place of a draft's entry among those of the same plugin's effect; nil for the first.
    mutating func nextEntry(of effectID: String) -> Int? {
        let entry = entries[effectID, default: 0]
        entries[effectID] = entry + 1
        return entry == 0 ? nil : entry
    }
}
