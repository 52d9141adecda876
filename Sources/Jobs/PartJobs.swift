import Composition
import Draft

/// A job that makes a part of the output. Parts with equal keys are equal, whichever render needs
/// them.
public protocol PartJob: WorkerJob where Reply == WrittenFile {}

extension PartJob {
    public static var mayRunTwice: Bool { true }

    public func translate(_ reply: inout WrittenFile, _ terms: ReplyTerms) { reply.path = terms.path(reply.path) }
}

extension SegmentJob: PartJob {
    public static let kind = "segment"

    public var libraries: Set<String> { slice.libraries }

    public func leavingOut(_ id: String, of library: String) -> SegmentJob? {
        guard let slice = slice.leavingOut(id, of: library) else { return nil }
        var job = self
        job.slice = slice
        return job
    }

    public var cost: Int { max(1, slice.frameCount) }
}

extension MixJob: PartJob {
    public static let kind = "mix"

    public var libraries: Set<String> { mix.libraries }

    public func leavingOut(_ id: String, of library: String) -> MixJob? {
        mix.leavingOut(id, of: library).map { MixJob($0, output: output) }
    }

    /// A second of sound costs about as much as a frame.
    public var cost: Int { max(1, mix.sampleCount / mix.sampleRate) }
}
