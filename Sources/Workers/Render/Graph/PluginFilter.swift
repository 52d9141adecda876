import Composition
import Media

/// A plugin's filter (one input) or transition (two). It sees the inputs' current frames, or
/// windows around them.
final class PluginFilter: FrameMaker {
    enum Input {
        case current(any Node<Surface>)
        case window(WindowCache, FrameReach)
    }

    private let opener: PluginOpener
    private let inputs: [Input]
    private let pulse: Pulse
    private var run: PluginRun?

    init(_ opener: PluginOpener, _ inputs: [Input], pulse: @escaping Pulse) {
        self.opener = opener
        self.inputs = inputs
        self.pulse = pulse
    }

    /// The picture at a moment. Where the plugin passes its first input on, it is that one, shared
    /// or own as it came.
    func make(_ moment: Moment) throws -> Surface? {
        var result: Surface?
        var windows: [[Picture?]] = []
        for input in inputs {
            guard let (current, window) = try frames(of: input, moment.frame) else { return nil }
            result = result ?? current
            windows.append(window)
        }
        let run = try run ?? opener.open()
        self.run = run
        if inputs.count == 1, let current = result, current.isWritable, run.worksInPlace {
            try run.processInPlace(current.picture, at: moment)
        } else if let made = try run.process(windows, at: moment) {
            result = Surface(made, isOwned: true)
        }
        try pulse(true)
        return result
    }

    func close() { run = nil }

    private func frames(of input: Input, _ number: Int) throws -> (current: Surface, window: [Picture?])? {
        switch input {
        case .current(let node):
            guard let surface = try node.frame(number) else { return nil }
            return (surface, [surface.picture])
        case .window(let cache, let reach):
            guard let window = try cache.window(around: number, reach), let current = window[reach.before] else {
                return nil
            }
            return (Surface(current, isOwned: false), window)
        }
    }
}
