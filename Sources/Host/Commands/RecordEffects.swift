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
            guard unlink(kept) == 0 || errno == ENOENT else {
                throw HostError(.cannotCreate, "‘\(kept)’ cannot be removed: \(String(cString: strerror(errno))).")
            }
            return nil
        }
        if let script { return try await load(script, frameRate) { try LiveEffectList.keep($0, at: kept) } }
        guard access(kept, F_OK) == 0 else { return nil }
        do {
            return try await load(kept, frameRate) { _ in }
        } catch {
            let error = HostError(error)
            throw HostError(
                error.code,
                "The effects of the last recording cannot be used; ‘--script none’ records without them. \(error.message)",
                details: error.details)
        }
    }

    private func load(
        _ path: String, _ frameRate: Rational?, keep: (Draft) throws -> Void
    ) async throws -> Loaded {
        let input = try DraftInput.parse(parameters.flatMap { ["--set", $0] } + ["--", path])
        let result = Made()
        let session = try HostSession(farm)
        try await session.run {
            let draft = try await input.load(session, try CacheOptions.parse([]))
            var live = draft
            if let frameRate { live.canvas.frameRate = frameRate }
            try await session.sayWarnings(of: LivePlan.prepared(live), in: nil)
            do throws(Problems) {
                result.set(try LivePlan(live, catalog: session.catalog), draft)
            } catch {
                throw HostError(error)
            }
        }
        guard let (plan, draft) = result.value, !plan.isEmpty else {
            throw HostError(.data, "‘\(path)’ has no effects on the picture.")
        }
        try keep(draft)
        return Loaded(list: try LiveEffectList(plan), size: plan.slice.size, frameRate: plan.slice.frameRate)
    }

    /// Checks what can be checked before anything is opened.
    func validate() throws {
        guard parameters.isEmpty || ![nil, "none"].contains(script) else {
            throw ValidationError("‘--set’ is for the parameters of a script: name it with ‘--script’.")
        }
    }

    /// The result of a session's work.
    private final class Made: Sendable {
        private let made = Mutex<(LivePlan, Draft)?>(nil)
        var value: (LivePlan, Draft)? { made.withLock { $0 } }
        func set(_ plan: LivePlan, _ draft: Draft) { made.withLock { $0 = (plan, draft) } }
    }
}
