import Composition
import Draft
import Messaging

/// The segments of a render that go without a plugin's effect, as it failed in them.
///
/// Always a whole segment: where the plugin failed may depend on where a worker began, and the output may not. Such a segment is not
/// what its key stands for, so no other render gets it.
final class Detour: Sendable {
    private let left = Locked<[Int: [PluginBlame]]>([:])
    private let reporter: ProgressReporter

    init(_ reporter: ProgressReporter) { self.reporter = reporter }

    var segmentCount: Int { left.withLock { $0.count } }

    func concerns(_ segment: Int) -> Bool { left.withLock { $0[segment] != nil } }

    /// The segment's job as it is to be run.
    func applied(to job: SegmentJob, of segment: Int) -> SegmentJob {
        var job = job
        for blame in left.withLock({ $0[segment] ?? [] }) { job.slice = job.slice.leavingOut(blame) ?? job.slice }
        return job
    }

    /// Goes around what `failure` blames, and says so.
    /// - Parameter job: the one that failed.
    /// - Returns: false where there is no way around.
    func take(_ segment: Int, _ job: SegmentJob, _ failure: JobFailure) -> Bool {
        guard let blame = failure.blame, applied(to: job, of: segment).slice.leavingOut(blame) != nil else {
            return false
        }
        left.withLock { $0[segment, default: []].append(blame) }
        let (first, count, rate) = (job.slice.firstFrame, job.slice.frameCount, job.slice.frameRate)
        let (start, end) = (Time(frame: first, rate: rate), Time(frame: first + count, rate: rate))
        reporter.clear()
        Console.complain(
            "warning: the output is without \(blame.forPeople) from \(start.forPeople) s to \(end.forPeople) s "
                + "(frames \(first) to \(first + count - 1)): \(failure.message)")
        reporter.event(
            "skipped",
            [
                ("effect", .text(blame.effectID)), ("plugin", .text(blame.path)),
                ("frame", blame.frame.map { .integer($0) } ?? .null),
                ("first_frame", .integer(first)), ("frames", .integer(count)), ("message", .text(failure.message)),
            ])
        return true
    }
}

extension PluginBlame {
    var forPeople: String { effectID.isEmpty ? "the effects of ‘\(path)’" : "the effect ‘\(effectID)’" }
}

extension Slice {
    func leavingOut(_ blame: PluginBlame) -> Slice? { leavingOut(blame.effectID, of: blame.path) }
}
