import Values

/// A clip by its content and its place. All other objects are alike.
extension ObjectUse {
    /// Clips of the main track; a draft is media here.
    static let media = ObjectUse(rawValue: 1)
    static let image = ObjectUse(rawValue: 2)
    static let generated = ObjectUse(rawValue: 4)
    /// Layers.
    static let mediaLayer = ObjectUse(rawValue: 8)
    static let imageLayer = ObjectUse(rawValue: 16)
    static let generatedLayer = ObjectUse(rawValue: 32)
    static let colorLayer = ObjectUse(rawValue: 64)

    static let clips: ObjectUse = [.media, .image, .generated]
    static let layers: ObjectUse = [.mediaLayer, .imageLayer, .generatedLayer, .colorLayer]
    /// Whatever plays a file or a draft, on the main track or as a layer.
    static let playing: ObjectUse = [.media, .mediaLayer]
    /// Whatever has a place on the canvas.
    static let placed: ObjectUse = [.media, .image, .layers]
}
