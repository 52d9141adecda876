import Composition
import Draft

/// A job that makes a part of the output. Parts with equal keys are equal, whichever render needs
/// them.
public protocol PartJob: WorkerJob where Reply == WrittenFile {}

extension PartJob {
    public static var makesPart: Bool { true }

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

extension SoundJob: PartJob {
    public static let kind = "sound"
}

extension SoundPiecesJob: WorkerJob {
    public static let kind = "sound_pieces"

    public mutating func mapPaths(_ change: PathChange) { sound.mapPaths(change) }

    public func translate(_ reply: inout [WrittenFile], _ terms: ReplyTerms) {
        for index in reply.indices { reply[index].path = terms.path(reply[index].path) }
    }

    public var libraries: Set<String> { sound.libraries }

    public func leavingOut(_ id: String, of library: String) -> SoundPiecesJob? {
        sound.leavingOut(id, of: library).map { SoundPiecesJob($0, pieceSamples: pieceSamples) }
    }
}
