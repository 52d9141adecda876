import Composition
import Draft
import Glibc
import PluginABI

/// A running effect. Used from one thread; ends itself with its last reference.
package final class EffectInstance {
    package enum Outcome: Hashable, Sendable {
        /// The output is written.
        case output
        /// The result is the input, unchanged; the output means nothing.
        case passedThrough
    }

    private let loaded: LoadedEffect
    private let instance: UnsafeMutableRawPointer?
    package var descriptor: EffectDescriptor { loaded.descriptor }
    private let setup: PluginSetup
    private let context = PluginCallContext()
    private let memory: PluginCallMemory
    private let guards: GuardedCall?
    /// Frames that the effect sees around the current one. For sound, a block has ``margin`` more
    /// samples.
    private let reach: FrameReach
    private let margin: Int
    /// True after a failure that only the end of the instance may follow.
    package private(set) var isDead = false

    init(_ loaded: LoadedEffect, instance: UnsafeMutableRawPointer?, setup: PluginSetup) {
        self.loaded = loaded
        self.instance = instance
        self.setup = setup
        guards = setup.isGuarded ? GuardedCall() : nil
        let descriptor = loaded.descriptor
        let isSound = descriptor.kind == .audioFilter
        reach = isSound ? .none : FrameReach(before: descriptor.reachBefore, after: descriptor.reachAfter)
        margin = isSound ? descriptor.reachBefore + descriptor.reachAfter : 0
        memory = PluginCallMemory(
            valueCount: descriptor.parameters.count, inputCount: descriptor.inputCount,
            windowSize: reach.before + 1 + reach.after)
    }

    deinit {
        loaded.trail.mark(loaded.crumb(.destroy)) { loaded.effect.table.destroy(instance) }
    }

    /// Makes one frame.
    /// - Throws: where frames do not fit the setup, a value is wrong, or the effect fails; after
    ///   most failures the instance can go on with another frame.
    package func process(_ call: FrameCall) throws(PluginError) -> Outcome {
        if isDead {
            throw loaded.error(.failed, "process", at: call.place, reason: "it failed before and cannot go on")
        }
        try check(call)
        let values = try loaded.resolve(call.values, operation: "process", at: call.place)
        if !call.isInPlace { call.output?.clear() }
        let lent = try lend(call)
        // Messages of a call that succeeded do not explain a later failure.
        _ = context.takeMessage()
        let abi = memory.fill(lent, values: values, handle: context.handle)
        let status = loaded.trail.mark(loaded.crumb(.process, at: call.place)) {
            loaded.effect.table.process(instance, abi)
        }
        if let harm = guards?.takeBack(call) {
            throw loaded.error(.strayWrite, "process", at: call.place, status: status, reason: harm)
        }
        switch status {
        case CUTROOM_OK: return .output
        case CUTROOM_PASS:
            guard !call.inputs.isEmpty else {
                throw loaded.error(
                    .failed, "process", at: call.place, status: status,
                    reason: "it passes its input on (CUTROOM_PASS), and a source has none")
            }
            return .passedThrough
        default:
            // Unknown results are fatal.
            isDead = !(CUTROOM_ERROR_UNSUPPORTED...CUTROOM_ERROR_FORMAT).contains(status)
            throw loaded.error(
                .init(status: status), "process", at: call.place, status: status,
                reason: context.takeMessage() ?? PluginError.meaning(of: status))
        }
    }

    /// Lets an analyser look at one frame.
    /// - Returns: the numbers that it gave, by their names.
    /// - Throws: as ``process(_:)``, and where it gave what no analyser may give.
    package func analyse(_ call: FrameCall) throws(PluginError) -> [String: [Double]] {
        context.emission.withLock { $0 = PluginEmission() }
        defer { context.emission.withLock { $0 = nil } }
        _ = try process(call)
        let emission = context.emission.withLock { $0 } ?? PluginEmission()
        if let refusal = emission.refusal { throw loaded.error(.failed, "process", at: call.place, reason: refusal) }
        return emission.numbers
    }

    private func lend(_ call: FrameCall) throws(PluginError) -> FrameCall {
        guard let guards else { return call }
        do throws(GuardedPlane.NoMemory) {
            return try guards.lend(call)
        } catch {
            throw loaded.error(.failed, "process", at: call.place, reason: "there is no memory for guarded frames")
        }
    }

    /// Makes a stateful effect forget the frames so far.
    /// - Returns: false where it has no function for that.
    @discardableResult
    package func reset() throws(PluginError) -> Bool {
        guard let reset = loaded.effect.table.reset else { return false }
        let status = loaded.trail.mark(loaded.crumb(.process)) { reset(instance) }
        guard status == CUTROOM_OK else {
            isDead = true
            throw loaded.error(
                .init(status: status), "reset", status: status,
                reason: "it cannot be reset: \(PluginError.meaning(of: status))")
        }
        return true
    }

    private func check(_ call: FrameCall) throws(PluginError) {
        let descriptor = loaded.descriptor
        var defect: String?
        if call.inputs.count != descriptor.inputCount {
            defect = "it has \(descriptor.inputCount) inputs, not \(call.inputs.count)"
        }
        for window in call.inputs {
            if window.current == nil { defect = "an input has no current frame" }
            if window.before != reach.before || window.frames.count != window.before + 1 + reach.after {
                defect = "an input's window has other frames than the effect asked for"
            }
            for frame in window.frames.lazy.compactMap(\.self) {
                defect = defect ?? self.defect(of: frame, "input")
                if let output = call.output, frame.sampleCount != output.sampleCount + margin, setup.sound != nil {
                    defect = "an input has \(frame.sampleCount) samples for an output of \(output.sampleCount)"
                }
            }
        }
        if (call.output == nil) != (descriptor.kind == .analyser) { defect = "only an analyser has no output" }
        defect = defect ?? call.output.flatMap { self.defect(of: $0, "output") }
        if call.isInPlace, !loaded.effect.worksInPlace { defect = "input and output are the same memory" }
        if let defect { throw loaded.error(.unsupportedFormat, "process", at: call.place, reason: defect) }
    }

    private func defect(of frame: PluginFrame, _ name: String) -> String? {
        if frame.format != setup.format || frame.width != setup.width || frame.height != setup.height {
            return
                "its \(name) frame is wrong: \(frame.format.name) \(frame.width)×\(frame.height) is not what it was set up for"
        }
        if frame.sound != setup.sound { return "its \(name) is other sound than it was set up for" }
        if let sound = setup.sound, frame.sampleCount > sound.maximumSamples + margin {
            return "its \(name) has more than \(sound.maximumSamples + margin) samples"
        }
        return frame.defect.map { "its \(name) frame is wrong: \($0)" }
    }
}
