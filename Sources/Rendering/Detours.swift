import Composition
import Draft
import Jobs

/// The effects that parts of a render go without, as their plugins failed in them.
///
/// Always a whole segment, or the whole sound: the frame of the failure can depend on where a worker began; the output
/// must not. Such a part is not what its key stands for, so no other render gets it.
struct Detours: Hashable, Sendable {
    private var culprits: [Part: [Culprit]] = [:]

    var segmentCount: Int { culprits.keys.count { $0 != .sound } }

    func concern(_ part: Part) -> Bool { culprits[part] != nil }

    /// A part's whole job without what the part goes without.
    func applied(to job: Job, of part: Part) -> Job {
        (culprits[part] ?? []).reduce(job) { $0.leavingOut($1.effectID, of: $1.library) ?? $0 }
    }

    /// Leaves out what a failure blames.
    /// - Parameters:
    ///   - part: the part whose job failed.
    ///   - job: the part's whole job.
    /// - Returns: nil where there is no way around.
    mutating func take(_ part: Part, _ job: Job, _ failure: RenderFailure, _ plan: RenderPlan) -> Detour? {
        guard let culprit = failure.culprit,
            applied(to: job, of: part).leavingOut(culprit.effectID, of: culprit.library) != nil,
            let stretch = Self.stretch(part, job, culprit, plan)
        else { return nil }
        culprits[part, default: []].append(culprit)
        return Detour(culprit: culprit, stretch: stretch, reason: failure.message)
    }

    private static func stretch(_ part: Part, _ job: Job, _ culprit: Culprit, _ plan: RenderPlan) -> Detour.Stretch? {
        switch part {
        case .segment(let index):
            let segment = plan.segments[index]
            return .frames(first: segment.firstFrame, count: segment.frameCount, rate: plan.composition.frameRate)
        case .sound:
            guard let job = job.work as? SoundJob else { return nil }
            let range = job.range(of: culprit.effectID, of: culprit.library) ?? .zero
            return .sound(range: range, sampleRate: job.encoding.sampleRate)
        }
    }
}
