import Composition

/// A plugin's filter.
final class FilterEffect: FrameEffect {
    private let run: PluginRun

    init(_ effect: CompositionEffect, _ slice: Slice, _ workshop: Workshop) throws {
        run = try PluginRun(effect, slice.stage, workshop)
    }

    func apply(to surface: inout Surface, at moment: Moment) throws {
        if moment.window.isEmpty, surface.isWritable, run.worksInPlace {
            try run.processInPlace(surface.picture, at: moment)
            return
        }
        let window = moment.window.isEmpty ? [surface.picture] : moment.window
        if let result = try run.process([window], at: moment) { surface.replace(with: result) }
    }
}
