import Composition
import Draft
import Jobs

/// The effects that parts of a render go without, as their plugins failed in them.
///
/// Always a whole segment, or a whole run of the sound: the frame of the failure can depend on
/// where a worker began; the output must not. Such a part is not what its key stands for, so no
/// other render gets it; nor does one get a sound that is encoded from such a run.
struct Detours: Hashable, Sendable {
    private var culprits: [Part: [Culprit]] = [:]

    var segmentCount: Int { culprits.keys.count { if case .segment = $0 { true } else { false } } }
    var runCount: Int { culprits.keys.count { if case .run = $0 { true } else { false } } }

    func concern(_ part: Part) -> Bool { part == .sound ? runCount > 0 : culprits[part] != nil }

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
        case .run:
            guard let mix = (job.work as? MixJob)?.mix else { return nil }
            let range = mix.range(of: culprit.effectID, of: culprit.library) ?? .zero
            return .sound(range: range, sampleRate: mix.sampleRate)
        // No plugin has a part in the encoding.
        case .sound: return nil
        }
    }
}
