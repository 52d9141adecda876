import ArgumentParser
import Composition
import Draft
import Foundation
import HostCore
import Recording
import RecordingHost
import Synchronization
import Values

/// The live effects on the command line of `cutroom record`.
struct RecordEffects: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A script or a draft whose effects are recorded with the picture, or ‘none’. Default: those of the last recording into this draft.",
            valueName: "script|draft"),
        completion: .file(extensions: ["lua", "cutroom"]))
    var script: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Set a parameter of the script. Repeatable.", valueName: "name=value"))
    var parameters: [String] = []

    @OptionGroup var farm: FarmOptions

    /// The effects that are recorded, and the size and rate of their pictures.
    struct Loaded: Sendable {
        let list: LiveEffectList
        let size: Canvas.Size
        let frameRate: Rational
    }

    /// Runs the script, and keeps its effects in the folder of takes.
    /// - Parameters:
    ///   - folder: of the takes.
    ///   - frameRate: what is asked of the source; nil: the script's.
    /// - Returns: nil if there are none.
    func load(_ folder: TakeFolder, frameRate: Rational?) async throws -> Loaded? {
        let kept = folder.file("effects.cutroom")
        if script == "none" {
            unlink(kept)
            return nil
        }
        guard script != nil || access(kept, F_OK) == 0 else {
            guard parameters.isEmpty else {
                throw HostError(.usage, "‘--set’ is for the parameters of a script: name it with ‘--script’.")
            }
            return nil
        }
        let words = parameters.flatMap { ["--set", $0] } + ["--", script ?? kept]
        let (input, farm) = (try DraftInput.parse(words), farm)
        let result = Made()
        let session = try HostSession(farm)
        try await session.run {
            var draft = try await input.load(session, try CacheOptions.parse([]))
            if let frameRate { draft.canvas.frameRate = frameRate }
            let whole = LivePlan.prepared(draft)
            try await session.sayWarnings(of: whole, in: nil)
            do throws(Problems) {
                result.set(try LivePlan(draft, catalog: session.catalog), draft)
            } catch {
                throw HostError(error)
            }
        }
        guard let (plan, draft) = result.value, !plan.isEmpty else {
            throw HostError(.data, "‘\(script ?? kept)’ has no effects on the picture.")
        }
        if script != nil { try LiveEffectList.keep(draft, at: kept) }
        return Loaded(list: try LiveEffectList(plan), size: plan.slice.size, frameRate: plan.slice.frameRate)
    }

    /// What a session's work leaves.
    private final class Made: Sendable {
        private let made = Mutex<(LivePlan, Draft)?>(nil)
        var value: (LivePlan, Draft)? { made.withLock { $0 } }
        func set(_ plan: LivePlan, _ draft: Draft) { made.withLock { $0 = (plan, draft) } }
    }
}
