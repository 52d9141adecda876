/// A file that a draft names.
public struct DraftFile: Hashable, Sendable, Codable {
    public enum Content: String, Hashable, Sendable, Codable {
        /// Picture, sound, a look-up table or subtitles: a probe looks into it.
        case media
        /// What only its reader understands, such as a plugin's own file: nothing is found out but
        /// which version of it this is.
        case data
        /// A font of a title's own: the same, once it was loaded.
        case font
    }

    public var path: String
    public var content: Content

    public init(_ path: String, _ content: Content = .media) {
        self.path = path
        self.content = content
    }
}

extension PictureEffect {
    /// The files whose content decides the picture, in a fixed order.
    public var files: [DraftFile] {
        switch self {
        case .lut(let look): [DraftFile(look.path)]
        case .sticker(let sticker): [DraftFile(sticker.path)]
        case .title(let title): title.fontFile.map { [DraftFile($0, .font)] } ?? []
        case .subtitles(let subtitles):
            [DraftFile(subtitles.path)] + (subtitles.style.fontFile.map { [DraftFile($0, .font)] } ?? [])
        case .filter, .overlay: plugin?.files ?? []
        }
    }

    /// Gives each of ``files`` another path.
    public mutating func mapFiles(_ change: (String) -> String) {
        switch self {
        case .lut(var look):
            look.path = change(look.path)
            self = .lut(look)
        case .sticker(var sticker):
            sticker.path = change(sticker.path)
            self = .sticker(sticker)
        case .title(var title):
            title.fontFile = title.fontFile.map(change)
            self = .title(title)
        case .subtitles(var subtitles):
            subtitles.path = change(subtitles.path)
            subtitles.style.fontFile = subtitles.style.fontFile.map(change)
            self = .subtitles(subtitles)
        case .filter(var effect):
            effect.mapFiles(change)
            self = .filter(effect)
        case .overlay(var overlay):
            overlay.source.mapFiles(change)
            self = .overlay(overlay)
        }
    }
}

extension PluginEffect {
    /// The files that its parameters name, in the order of their ids.
    public var files: [DraftFile] {
        parameters.sorted { $0.key < $1.key }.compactMap { _, value in
            if case .path(let path) = value { DraftFile(path, .data) } else { nil }
        }
    }

    /// Gives each of ``files`` another path.
    public mutating func mapFiles(_ change: (String) -> String) {
        parameters = parameters.mapValues { if case .path(let path) = $0 { .path(change(path)) } else { $0 } }
    }
}

extension ParameterDescriptor {
    /// Its values name files. A text called `image` does too: scripts count on it.
    var isFile: Bool { kind == .path || kind == .string && id == "image" }
}

extension DraftUse {
    /// Gives each of ``files`` another path.
    public mutating func mapFiles(_ change: (String) -> String) {
        switch content {
        case .file(var file, let sound):
            file.path = change(file.path)
            content = .file(file, sound: sound)
        case .clip(var clip):
            clip.mapContentFiles(change)
            content = .clip(clip)
        case .layer(var layer):
            layer.clip.mapContentFiles(change)
            if let path = layer.mask?.path { layer.mask?.path = change(path) }
            content = .layer(layer)
        case .transition(var effect):
            effect.mapFiles(change)
            content = .transition(effect)
        case .sound(var effect):
            effect.mapFiles(change)
            content = .sound(effect)
        case .picture(var effect):
            effect.mapFiles(change)
            content = .picture(effect)
        }
    }
}

extension Clip {
    fileprivate mutating func mapContentFiles(_ change: (String) -> String) {
        if let path = file?.path { self.path = change(path) }
        guard case .generated(var source, let duration) = content else { return }
        source.mapFiles(change)
        content = .generated(source, duration: duration)
    }
}
