import Values

/// What a draft uses at one of its places: a file, a plugin's effect, a built-in effect with its
/// values.
///
/// Everything in a draft that names a file or a plugin, or that may change with time, is in one of
/// its uses; so every question of this kind is answered from ``Draft/uses``, and every change of
/// this kind is made by ``Draft/changeUses(_:)``.
public struct DraftUse: Hashable, Sendable {
    public enum Content: Hashable, Sendable {
        /// A clip's content, sound and place.
        case clip(Clip)
        /// The same of a layer's clip, and its mask.
        case layer(Layer)
        /// An audio clip's file, and how it goes into the mix.
        case file(DraftFile, sound: ClipSound)
        /// A plugin's transition.
        case transition(PluginEffect)
        /// An entry of an effect list that changes the picture.
        case picture(PictureEffect)
        /// An entry of an effect list that changes the sound.
        case sound(PluginEffect)
    }

    public let place: DraftPlace
    public var content: Content

    public init(_ content: Content, at place: DraftPlace) {
        self.content = content
        self.place = place
    }

    /// The plugin's effect, whatever its kind.
    public var plugin: PluginEffect? {
        switch content {
        case .file: nil
        case .clip(let clip): clip.generator
        case .layer(let layer): layer.clip.generator
        case .transition(let effect), .sound(let effect): effect
        case .picture(let effect): effect.plugin
        }
    }

    /// The files, in a fixed order.
    public var files: [DraftFile] {
        switch content {
        case .file(let file, _): [file]
        case .clip(let clip): clip.contentFiles
        case .layer(let layer): layer.clip.contentFiles + (layer.mask.map { [DraftFile($0.path)] } ?? [])
        case .transition(let effect), .sound(let effect): effect.files
        case .picture(let effect): effect.files
        }
    }

    /// The values that may change with time, by their names, in a fixed order.
    public var values: [(key: String, value: Animated)] {
        var (copy, values) = (self, [(key: String, value: Animated)]())
        copy.changeValues { values.append(($0, $1)) }
        return values
    }

    /// The times of the keys of each value that has some, by the values' names.
    var keyTimes: [(key: String, times: [Time])] {
        let numbers = values.compactMap { key, value -> (key: String, times: [Time])? in
            if case .keyframes(let keys) = value { (key, keys.map(\.time)) } else { nil }
        }
        let parameters = (plugin?.parameters ?? [:]).sorted { $0.key < $1.key }
        return numbers
            + parameters.compactMap { key, value in
                if case .choices(let keys) = value { (key, keys.map(\.time)) } else { nil }
            }
    }

    /// Calls `change` with the plugin's effect, where it has one.
    mutating func changePlugin(_ change: (inout PluginEffect) -> Void) {
        switch content {
        case .file: break
        case .clip(var clip):
            clip.changeGenerator(change)
            content = .clip(clip)
        case .layer(var layer):
            layer.clip.changeGenerator(change)
            content = .layer(layer)
        case .transition(var effect):
            change(&effect)
            content = .transition(effect)
        case .sound(var effect):
            change(&effect)
            content = .sound(effect)
        case .picture(.filter(var effect)):
            change(&effect)
            content = .picture(.filter(effect))
        case .picture(.overlay(var overlay)):
            change(&overlay.source)
            content = .picture(.overlay(overlay))
        case .picture: break
        }
    }

    /// Calls `change` with the name of every value that may change with time, and the value.
    public mutating func changeValues(_ change: (String, inout Animated) throws -> Void) rethrows {
        switch content {
        case .file(let file, var sound):
            try sound.changeValues(change)
            content = .file(file, sound: sound)
        case .clip(var clip):
            try clip.changeValues(change)
            content = .clip(clip)
        case .layer(var layer):
            try layer.clip.changeValues(change)
            try layer.shadow?.changeValues(change)
            content = .layer(layer)
        case .transition(var effect):
            try effect.changeValues(change)
            content = .transition(effect)
        case .picture(var effect):
            try effect.changeValues(change)
            content = .picture(effect)
        case .sound(var effect):
            try effect.changeValues(change)
            content = .sound(effect)
        }
    }
}

extension Clip {
    /// The files of what it shows, without those of its effects.
    fileprivate var contentFiles: [DraftFile] { file.map { [$0] } ?? generator?.files ?? [] }

    fileprivate mutating func changeGenerator(_ change: (inout PluginEffect) -> Void) {
        guard case .generated(var effect, let duration) = content else { return }
        change(&effect)
        content = .generated(effect, duration: duration)
    }

    /// Its own values, without those of its effects.
    fileprivate mutating func changeValues(_ change: (String, inout Animated) throws -> Void) rethrows {
        if case .generated(var effect, let duration) = content {
            try effect.changeValues(change)
            content = .generated(effect, duration: duration)
        } else {
            try sound.changeValues(change)
        }
        try placement?.changeValues(change)
    }
}

extension PictureEffect {
    fileprivate mutating func changeValues(_ change: (String, inout Animated) throws -> Void) rethrows {
        switch self {
        case .lut(var look):
            try change("intensity", &look.intensity)
            self = .lut(look)
        case .sticker(var sticker):
            try change("rect", &sticker.rect)
            try change("opacity", &sticker.opacity)
            self = .sticker(sticker)
        case .title(var title):
            try change("opacity", &title.opacity)
            try title.path?.change(change)
            self = .title(title)
        case .subtitles(var subtitles):
            try change("opacity", &subtitles.style.opacity)
            self = .subtitles(subtitles)
        case .filter(var effect):
            try effect.changeValues(change)
            self = .filter(effect)
        case .overlay(var overlay):
            try overlay.source.changeValues(change)
            try change("opacity", &overlay.opacity)
            self = .overlay(overlay)
        }
    }
}

extension PluginEffect {
    /// In the order of the parameters' ids.
    fileprivate mutating func changeValues(_ change: (String, inout Animated) throws -> Void) rethrows {
        for (key, value) in parameters.sorted(by: { $0.key < $1.key }) {
            guard case .numbers(var animated) = value else { continue }
            try change(key, &animated)
            parameters[key] = .numbers(animated)
        }
    }
}
