/// A file that a draft names.
public struct DraftFile: Hashable, Sendable, Codable {
    public enum Content: String, Hashable, Sendable, Codable {
        /// Picture, sound or a look-up table: a probe looks into it.
        case media
        /// What only its reader understands, a font or a plugin's own file: nothing is found out but which version of it this is.
        case data
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
        case .title(let title): title.fontFile.map { [DraftFile($0, .data)] } ?? []
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
        case .filter, .overlay:
            guard var effect = plugin else { return }
            effect.parameters = effect.parameters.mapValues {
                if case .path(let path) = $0 { .path(change(path)) } else { $0 }
            }
            setPlugin(effect)
        }
    }

    /// Makes files of the texts that a plugin's descriptor says are paths.
    fileprivate mutating func declareFiles(_ effects: [EffectDescriptor]) {
        guard var filter = plugin, let descriptor = effects.first(where: { $0.id == filter.effectID })
        else { return }
        for parameter in descriptor.parameters where parameter.isFile {
            if case .text(let path)? = filter.parameters[parameter.id], !path.isEmpty {
                filter.parameters[parameter.id] = .path(path)
            }
        }
        setPlugin(filter)
    }
}

extension PluginEffect {
    /// The files that its parameters name, in the order of their ids.
    public var files: [DraftFile] {
        parameters.sorted { $0.key < $1.key }.compactMap { _, value in
            if case .path(let path) = value { DraftFile(path, .data) } else { nil }
        }
    }
}

extension ParameterDescriptor {
    /// Its values name files. A text called `image` does too: scripts count on it.
    var isFile: Bool { kind == .path || kind == .string && id == "image" }
}

/// What has effects: an effect itself, a clip, a sound, a draft.
public protocol EffectHolder {
    /// Calls `body` with every picture effect, in order; among them, as filters, plugins' transitions and what makes clips.
    mutating func changeEffects(_ body: (inout PictureEffect) -> Void)
}

extension EffectHolder {
    public var pictureEffects: [PictureEffect] {
        var (copy, found) = (self, [PictureEffect]())
        copy.changeEffects { found.append($0) }
        return found
    }

    /// The ids of the plugins' effects among them.
    public var pluginEffects: [String] {
        pictureEffects.compactMap { $0.plugin?.effectID }
    }

    /// Makes the paths of all files that effects read absolute. It may be repeated, with more descriptors.
    /// - Parameters:
    ///   - folder: where relative paths start.
    ///   - effects: tell which of a plugin's parameters are files; those of other plugins stay texts.
    public mutating func resolveFiles(in folder: String, _ effects: [EffectDescriptor]) {
        changeEffects { effect in
            effect.declareFiles(effects)
            effect.mapFiles { absolutePath($0, in: folder) }
        }
    }
}

extension Effect: EffectHolder {
    public mutating func changeEffects(_ body: (inout PictureEffect) -> Void) {
        guard case .picture(var picture) = kind else { return }
        body(&picture)
        kind = .picture(picture)
    }
}

extension Clip: EffectHolder {
    public mutating func changeEffects(_ body: (inout PictureEffect) -> Void) {
        if case .generated(let source, let duration) = content {
            var picture = PictureEffect.filter(source)
            body(&picture)
            if case .filter(let changed) = picture { content = .generated(changed, duration: duration) }
        }
        if let plugin = transition?.plugin {
            var picture = PictureEffect.filter(plugin)
            body(&picture)
            if case .filter(let changed) = picture { transition?.kind = .plugin(changed) }
        }
        for index in effects.indices { effects[index].changeEffects(body) }
    }
}

extension AudioClip: EffectHolder {
    public mutating func changeEffects(_ body: (inout PictureEffect) -> Void) {
        for index in effects.indices { effects[index].changeEffects(body) }
    }
}

extension Draft: EffectHolder {
    public mutating func changeEffects(_ body: (inout PictureEffect) -> Void) {
        for index in clips.indices { clips[index].changeEffects(body) }
        for index in audio.indices { audio[index].changeEffects(body) }
        for index in effects.indices { effects[index].changeEffects(body) }
    }

    /// Every file that the draft names, each once, in the order of first use.
    public var files: [DraftFile] {
        var seen = Set<DraftFile>()
        func files(_ file: DraftFile?, _ holder: some EffectHolder) -> [DraftFile] {
            (file.map { [$0] } ?? []) + holder.pictureEffects.flatMap(\.files)
        }
        let ofList = effects.flatMap(\.pictureEffects).flatMap(\.files)
        let all = clips.flatMap { files($0.file, $0) } + audio.flatMap { files(DraftFile($0.path), $0) } + ofList
        return all.filter { seen.insert($0).inserted }
    }
}
