import Draft
import Values

/// `cutroom.analyse`: what an analyser finds in a file, as a table.
extension Session {
    func analyse(_ call: LuaCall) throws -> Value {
        let path = try call.text(0, "a file's path")
        let id = try call.text(1, "an analyser's id")
        let object = "the analysis of ‘\(path)’ (\(id))"
        let found = try info(path, object, call.origin)
        let effects = try pluginEffects(with: id)
        guard effects.contains(where: { $0.id == id }) else {
            let analysers = effects.filter { $0.kind == .analyser }.map(\.id)
            throw Problem(
                object, "there is no analyser ‘\(id)’\(suggestion(for: id, in: analysers))", origin: call.origin)
        }
        let options = try typed(
            call.argument(2).withFrameRate, of: id, beside: Set(Analysis.optionNames), object, call.origin)
        let analysis = try Analysis(
            path: found.path, effect: id, form, reading: options, object: object, origin: call.origin,
            folder: source.folder)
        try check(analysis.effect, as: [.analyser], object, call.origin)
        if let reason = catalog.effect(id)?.unfitnessForPictures { throw Problem(object, reason, origin: call.origin) }
        let grid = try AnalysisGrid(analysis, of: found.info, object: object, origin: call.origin)
        let track: AnalysisTrack
        do {
            let catalog = catalog
            track = try waiting { try environment.analyse(analysis, grid, catalog) }
        } catch var error as ScriptError {
            error.object = object
            (error.file, error.line) = (call.origin.file, call.origin.line)
            throw error
        }
        return track.value
    }
}

extension EffectDescriptor {
    /// Why no picture can be shown to an analyser; nil where one can.
    fileprivate var unfitnessForPictures: String? {
        if formats.contains(where: { ["rgba8", "rgbaf32", "yuv420p8"].contains($0) }) { return nil }
        return "it listens to sound, and this release of Cutroom runs analysers of pictures only"
    }
}
