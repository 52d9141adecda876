/// What workers found out about the files and plugins that a draft names: the only thing that the model knows of the
/// world outside it.
public struct Catalog: Sendable {
    public enum Entry: Hashable, Sendable {
        case found(MediaInfo)
        /// The sentence that tells why the file cannot be read.
        case unreadable(String)
    }

    /// By absolute path.
    public var media: [String: Entry]
    public var effects: [EffectDescriptor]

    public init(media: [String: Entry] = [:], effects: [EffectDescriptor] = []) {
        self.media = media
        self.effects = effects
    }

    public func info(_ path: String) -> MediaInfo? {
        if case .found(let info) = media[path] { info } else { nil }
    }

    public func effect(_ id: String) -> EffectDescriptor? { effects.first { $0.id == id } }
}
