import Values

/// What workers found out about the files and plugins that a draft names: the only thing that the
/// model knows of the world outside it.
public struct Catalog: Sendable {
    public enum Entry: Hashable, Sendable {
        case found(MediaInfo)
        /// The sentence that tells why the file cannot be read.
        case unreadable(String)
    }

    /// By absolute path.
    public var media: [String: Entry]
    /// Files that were not probed, of kind `data`, by absolute path.
    public var data: [String: Entry]
    /// Font files that titles bring, of kind `data`, by absolute path.
    public var fonts: [String: Entry]
    public var effects: [EffectDescriptor]
    /// Fonts that titles ask for and the workers lack: the family that is drawn instead.
    public var substitutes: [TitleFont: String] = [:]
    /// Titles whose text leaves its canvas.
    public var overhangs: [PlacedTitle: PlacedTitle.Overhang] = [:]
    /// Codecs (``VideoCodec``, ``AudioCodec``) that the workers' media libraries cannot encode: by
    /// name, what is missing and what to do, as the second half of a sentence.
    public var missingCodecs: [String: String]
    /// What messages call the files.
    public var names = PathNames()

    public init(
        media: [String: Entry] = [:], data: [String: Entry] = [:], fonts: [String: Entry] = [:],
        effects: [EffectDescriptor] = [], missingCodecs: [String: String] = [:]
    ) {
        self.media = media
        self.data = data
        self.fonts = fonts
        self.effects = effects
        self.missingCodecs = missingCodecs
    }

    public subscript(file: DraftFile) -> Entry? {
        get {
            switch file.content {
            case .media: media[file.path]
            case .data: data[file.path]
            case .font: fonts[file.path]
            }
        }
        set {
            switch file.content {
            case .media: media[file.path] = newValue
            case .data: data[file.path] = newValue
            case .font: fonts[file.path] = newValue
            }
        }
    }

    public func info(_ path: String) -> MediaInfo? {
        if case .found(let info) = media[path] { info } else { nil }
    }

    public func effect(_ id: String) -> EffectDescriptor? { effects.first { $0.id == id } }
}
