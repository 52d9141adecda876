import Draft
import Values

/// The effects of a recording's live picture. It is the slice of a draft without clips, whose
/// background stands for the pictures of the source. Frame n is the n-th picture.
public struct LivePlan: Hashable, Sendable, Codable {
    public var slice: Slice

    /// The effects begin anew after this time.
    static let length = Time(flicks: 86_400 * Time.flicksPerSecond)

    /// - Throws: every problem of the draft, and what cannot be done to live pictures.
    public init(_ draft: Draft, catalog: Catalog) throws(Problems) {
        let problems = draft.liveProblems
        guard problems.isEmpty else { throw Problems(problems) }
        let composition = try Composition(Self.prepared(draft), catalog: catalog)
        slice = Slice(composition, frames: 0..<composition.frameCount)
        var late: [Problem] = []
        for effect in slice.effects where effect.plugin?.window?.after ?? 0 > 0 {
            let name = effect.content.plugin?.effectID ?? ""
            late.append(Problem("effect \(name)", "needs later frames, which a live picture does not have yet"))
        }
        guard late.isEmpty else { throw Problems(late) }
    }

    /// A draft whose background is long enough.
    public static func prepared(_ draft: Draft) -> Draft {
        var draft = draft
        draft.backgroundDuration = length
        draft.timeRange = nil
        return draft
    }

    /// The effects without those of a plugin: see ``Slice/leavingOut(_:of:)``.
    /// - Returns: nil if they are not used.
    public func leavingOut(_ id: String, of library: String) -> LivePlan? {
        guard let slice = slice.leavingOut(id, of: library) else { return nil }
        var plan = self
        plan.slice = slice
        return plan
    }

    /// Whether anything acts on the pictures.
    public var isEmpty: Bool { slice.instructions.allSatisfy(\.uses.isEmpty) }
}

extension Draft {
    /// The parts of a draft that cannot be live effects.
    fileprivate var liveProblems: [Problem] {
        func problem(_ object: String, _ what: String, _ origin: Origin?) -> Problem {
            Problem(object, "\(what); leave it out of the live effects", origin: origin)
        }
        var problems: [Problem] = []
        if let clip = clips.first { problems.append(problem("clip 1", "is not recorded", clip.origin)) }
        if let clip = audio.first { problems.append(problem("audio 1", "is not recorded", clip.origin)) }
        for (index, effect) in effects.enumerated() where effect.isTimeEffect || effect.isSound {
            let what = effect.isSound ? "acts on sound" : "changes time"
            problems.append(problem(effect.name(index), what, effect.origin))
        }
        if canvas.color.isHDR {
            problems.append(Problem("draft", "is HDR, but the live picture is SDR", origin: origin))
        }
        return problems
    }
}
