import Composition
import Draft
import Farm
import Messaging

/// The parts of a render that go without a plugin's effect, as it failed in them.
///
/// Always a whole segment, or the whole sound: where the plugin failed may depend on where a worker began, and the output may not. Such a
/// part is not what its key stands for, so no other render gets it.
final class Detour: Sendable {
    /// What a part is made by.
    enum Work: Sendable {
        case segment(SegmentJob)
        case sound(SoundJob)
    }

    private let left = Locked<[Parts.Name: [PluginBlame]]>([:])
    private let reporter: ProgressReporter

    init(_ reporter: ProgressReporter) { self.reporter = reporter }

    var segmentCount: Int { left.withLock { $0.keys.filter { $0 != .sound }.count } }

    func concerns(_ part: Parts.Name) -> Bool { left.withLock { $0[part] != nil } }

    /// The part's job as it is to be run.
    func applied(to work: Work, of part: Parts.Name) -> Work {
        left.withLock { $0[part] ?? [] }.reduce(work) { $0.leavingOut($1) ?? $0 }
    }

    /// Goes around what `failure` blames, and says so.
    /// - Parameter work: the part's whole job.
    /// - Returns: false where there is no way around.
    func take(_ part: Parts.Name, _ work: Work, _ failure: JobFailure) -> Bool {
        guard let blame = failure.blame, applied(to: work, of: part).leavingOut(blame) != nil else { return false }
        left.withLock { $0[part, default: []].append(blame) }
        let place = work.place(of: blame)
        reporter.clear()
        Console.complain("warning: the output is without \(blame.forPeople) \(place.text): \(failure.message)")
        reporter.event(
            "skipped",
            [("effect", .text(blame.effectID)), ("plugin", .text(blame.path))] + place.fields
                + [("message", .text(failure.message))])
        return true
    }
}

extension Detour.Work {
    fileprivate func leavingOut(_ blame: PluginBlame) -> Self? {
        switch self {
        case .segment(var job):
            guard let slice = job.slice.leavingOut(blame) else { return nil }
            job.slice = slice
            return .segment(job)
        case .sound(let job): return job.leavingOut(blame.effectID, of: blame.path).map(Self.sound)
        }
    }

    /// Where the output goes without what is to blame, for people and for programs.
    fileprivate func place(of blame: PluginBlame) -> (text: String, fields: [(String, JSONLine.Field)]) {
        switch self {
        case .segment(let job):
            let (first, count, rate) = (job.firstFrame, job.slice.frameCount, job.slice.frameRate)
            let (start, end) = (Time(frame: first, rate: rate), Time(frame: first + count, rate: rate))
            return (
                "from \(start.forPeople) s to \(end.forPeople) s (frames \(first) to \(first + count - 1))",
                [
                    ("frame", blame.frame.map { .integer($0) } ?? .null), ("first_frame", .integer(first)),
                    ("frames", .integer(count)),
                ]
            )
        case .sound(let job):
            let range = job.range(of: blame.effectID, of: blame.path) ?? .zero
            let rate = Rational(Int64(job.encoding.sampleRate))
            let (first, end) = (range.start.rounded(rate: rate), range.end.rounded(rate: rate))
            return (
                "in the sound from \(range.start.forPeople) s to \(range.end.forPeople) s",
                [("first_sample", .integer(first)), ("samples", .integer(end - first))]
            )
        }
    }
}

extension PluginBlame {
    var forPeople: String { effectID.isEmpty ? "the effects of ‘\(path)’" : "the effect ‘\(effectID)’" }
}

extension Slice {
    func leavingOut(_ blame: PluginBlame) -> Slice? { leavingOut(blame.effectID, of: blame.path) }
}
