import Values

/// An effect on the picture.
public enum PictureEffect: Hashable, Sendable, Codable {
    case lut(Look)
    case sticker(Sticker)
    case title(Title)
    case subtitles(Subtitles)
    /// A plugin's.
    case filter(PluginEffect)
    /// What a plugin's source makes, over the picture.
    case overlay(SourceOverlay)

    public var name: String {
        switch self {
        case .lut: "lut"
        case .sticker: "sticker"
        case .title: "title"
        case .subtitles: "subtitles"
        case .filter(let filter): filter.effectID
        case .overlay(let overlay): overlay.source.effectID
        }
    }

    /// The plugin's effect that does it, whatever its kind.
    public var plugin: PluginEffect? {
        switch self {
        case .filter(let filter): filter
        case .overlay(let overlay): overlay.source
        default: nil
        }
    }
}

/// A colour look from a look-up table.
public struct Look: Hashable, Sendable, Codable {
    /// A 512×512 tile image, a Hald image or a `.cube` file.
    public var path: String
    /// 0 (the picture as it is) … 1 (all of the look).
    public var intensity: Animated

    public init(path: String, intensity: Animated = .constant(1)) {
        self.path = path
        self.intensity = intensity
    }
}

/// A plugin's source, made at a rectangle's size and laid over the picture there.
public struct SourceOverlay: Hashable, Sendable, Codable {
    public var source: PluginEffect
    /// Left, top, width and height in canvas pixels; it may lie partly outside. nil: the canvas.
    public var rect: Rect?
    /// 0…1, multiplied with the source's own alpha.
    public var opacity: Animated

    public init(_ source: PluginEffect, rect: Rect? = nil, opacity: Animated = .constant(1)) {
        self.source = source
        self.rect = rect
        self.opacity = opacity
    }
}
