import Draft

/// What a job does with a path that it names.
public enum PathUse: Hashable, Sendable {
    /// Reads a file; of one that a plan was made with it is known what was found in it.
    case reads(MediaInfo?)
    /// Reads a file in ways of its own, as plugins and fonts do.
    case hands(MediaInfo?)
    /// Opens a plugin's library, which has data files at these paths relative to its folder.
    case loads(files: [String])
    /// Looks for plugins there.
    case searches
    /// Writes a file whose name begins so.
    case writes
    /// Reads what other jobs have written.
    case joins
}

/// What is put in the place of a path.
public typealias PathChange = (String, PathUse) -> String

extension MediaFile {
    mutating func mapPath(_ change: PathChange, isHanded: Bool) {
        guard draft == nil, !path.isEmpty else { return }
        path = change(path, isHanded ? .hands(info) : .reads(info))
    }
}

extension PluginUse {
    public mutating func mapPath(_ change: PathChange) {
        // A worker may have said anything.
        if !path.isEmpty { path = change(path, .loads(files: (files ?? []).filter(DataFiles.isName))) }
    }
}

extension CompositionEffect {
    mutating func mapPaths(_ change: PathChange) {
        plugin?.mapPath(change)
        let handed = Set(handedPaths)
        func changed(_ path: String) -> String {
            if path.isEmpty { return path }
            return change(path, handed.contains(path) ? .hands(nil) : .reads(nil))
        }
        switch content {
        case .picture(var effect):
            effect.mapFiles(changed)
            content = .picture(effect)
        case .transition(var effect):
            effect.mapFiles(changed)
            content = .transition(effect)
        case .source(var effect):
            effect.mapFiles(changed)
            content = .source(effect)
        case .subtitles(var subtitles):
            subtitles.look.path = changed(subtitles.look.path)
            subtitles.look.style.fontFile = subtitles.look.style.fontFile.map(changed)
            content = .subtitles(subtitles)
        case .layer: break
        }
    }

    /// The files that it does not read by our own means.
    fileprivate var handedPaths: [String] { content.files.filter { $0.content != .media }.map(\.path) }
}

extension Slice {
    /// Changes every path in it.
    public mutating func mapPaths(_ change: PathChange) {
        let handed = Set(effects.flatMap(\.handedPaths))
        for index in files.indices { files[index].mapPath(change, isHanded: handed.contains(files[index].path)) }
        for index in effects.indices { effects[index].mapPaths(change) }
        for index in (drafts ?? []).indices { drafts?[index].mapPaths(change) }
    }
}

extension SegmentJob {
    /// Changes every path in it.
    public mutating func mapPaths(_ change: PathChange) {
        slice.mapPaths(change)
        output = change(output, .writes)
    }
}

extension SoundMix {
    /// Changes every path in it.
    public mutating func mapPaths(_ change: PathChange) {
        let handed = Set(processing.filters.flatMap { $0.filter.files.map(\.path) })
        for index in files.indices { files[index].mapPath(change, isHanded: handed.contains(files[index].path)) }
        for index in processing.filters.indices {
            processing.filters[index].plugin.mapPath(change)
            processing.filters[index].filter.mapFiles { change($0, .hands(nil)) }
        }
        for index in (drafts ?? []).indices { drafts?[index].mapPaths(change) }
    }
}

extension MixJob {
    /// Changes every path in it.
    public mutating func mapPaths(_ change: PathChange) {
        mix.mapPaths(change)
        output = change(output, .writes)
    }
}
