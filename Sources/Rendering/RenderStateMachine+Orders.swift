import Composition
import Jobs

/// The jobs that make parts.
extension RenderStateMachine {
    /// A part's whole job.
    private func job(_ part: Part) -> Job? {
        switch part {
        case .run(let index): return plan.mixJob(index, output: "\(options.folder)/run-\(index)").map { Job($0) }
        case .sound:
            let parts = plan.runs.indices.compactMap { run in
                there[plan.version(ofRun: run)].map { AssembleJob.Part(path: $0.path, file: $0.file) }
            }
            return plan.soundJob(parts, output: options.folder + "/sound").map { Job($0) }
        case .segment(let index):
            // Segments of several qualities may lie side by side.
            let quality = plan.bitRate == nil ? "" : "-\(plan.video?.quality ?? 0)"
            let output = "\(options.folder)/segment-\(index)\(quality)"
            return plan.segmentJob(index, output: output).map { Job($0) }
        }
    }

    mutating func order(_ version: PartVersion) -> WorkOrder? {
        guard let whole = job(version.part) else { return nil }
        let job = detours.applied(to: whole, of: version.part)
        let key = isForOthers(version) ? version.key : nil
        switch version.part {
        // First: the sound that is encoded from them is one job, and the only one that cannot be
        // shared out.
        case .run, .sound: return order(job, priority: 1, key: key)
        case .segment(let index): return order(job, place: WorkOrder.Place(group: "picture", index: index), key: key)
        }
    }

    /// The way around a plugin that failed in a part; nil where there is none.
    mutating func detour(_ version: PartVersion, _ failure: RenderFailure) -> (Notice, WorkOrder)? {
        guard options.skipsFailingEffects, let job = job(version.part),
            let detour = detours.take(version.part, job, failure, plan), let order = order(version)
        else { return nil }
        return (.detour(detour), order)
    }
}
