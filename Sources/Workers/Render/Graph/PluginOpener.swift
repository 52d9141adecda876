import Composition
import Draft

/// The way to a running effect of a plugin, which is the same for filters, transitions and sources.
struct PluginOpener {
    private let use: CompositionEffect
    /// The files that it reads.
    private let files: [MediaFile]
    private let stage: PictureStage
    private let shelf: LoadedPlugins

    init(_ effect: Int, of slice: Slice, _ stage: PictureStage, _ shelf: LoadedPlugins) {
        use = slice.effects[effect]
        files = use.files.map { slice.files[$0] }
        self.stage = stage
        self.shelf = shelf
    }

    /// - Throws: where a file is not what it was, or the plugin cannot be used or refuses its
    ///   parameters.
    func open() throws -> PluginRun {
        for file in files { try file.checkUnchanged() }
        return try PluginRun(use, stage, shelf)
    }
}
