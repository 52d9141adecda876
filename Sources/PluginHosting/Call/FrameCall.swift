import Values

/// One input of an effect: its current frame and those around it that the effect asked for.
package struct FrameWindow {
    /// The frames in the order of time; nil past the ends of the input.
    package var frames: [PluginFrame?]
    /// How many of them come before the current one.
    package var before: Int

    package var current: PluginFrame? { frames.indices.contains(before) ? frames[before] : nil }

    package init(_ current: PluginFrame) {
        frames = [current]
        before = 0
    }

    package init(frames: [PluginFrame?], before: Int) {
        self.frames = frames
        self.before = before
    }
}

/// One frame to be made.
package struct FrameCall {
    /// A filter's one, a transition's two (the outgoing, then the incoming picture), a keyed
    /// filter's two (its key last), a source's none.
    package var inputs: [FrameWindow]
    /// It is cleared before the effect sees it. Its memory is the first input's where the effect
    /// can work in place, else memory of its own. An analyser has none.
    package var output: PluginFrame?
    /// The values by the parameters' ids, evaluated at ``time``; what is not there has its default.
    package var values: [String: ParameterInput] = [:]
    /// The time since the effect's range began.
    package var time: Time = .zero
    /// The time since the timeline began.
    package var timelineTime: Time = .zero
    /// Length of the effect's range.
    package var duration: Time = .zero
    /// Frames since the effect's range began.
    package var index: Int = 0
    /// The place in the output, which messages name; nil: they name ``index``.
    package var outputPlace: PluginPlace?
    /// The effect's only source of randomness: must follow from draft, effect and index alone.
    package var seed: UInt64 = 0
    /// True where this frame does not follow the one processed last.
    package var isDiscontinuity = false

    var place: PluginPlace { outputPlace ?? .frame(index) }

    package init(input: PluginFrame, output: PluginFrame) { self.init(inputs: [FrameWindow(input)], output: output) }

    package init(inputs: [FrameWindow], output: PluginFrame?) {
        self.inputs = inputs
        self.output = output
    }

    var isInPlace: Bool { output != nil && inputs.first?.current?.planes.first == output?.planes.first }
}

extension FrameCall {
    /// The part of the effect's range that is over: 0 ≤ progress < 1, and 0 where the length is not
    /// known.
    var progress: Double {
        guard duration > .zero else { return 0 }
        return min(max(Double(time.flicks) / Double(duration.flicks), 0), 1.0.nextDown)
    }
}
