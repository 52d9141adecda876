import Composition
import Foundation

/// A job of any kind.
public struct Job: Sendable {
    public let work: any WorkerJob

    public init(_ work: some WorkerJob) { self.work = work }

    /// Reads a job as it has travelled.
    /// - Returns: nil for a kind that this version does not know.
    /// - Throws: what is no payload of its kind.
    public init?(kind: String, payload: Data) throws {
        guard let type = JobRegistry.type(of: kind) else { return nil }
        work = try Self.decode(type, payload)
    }

    private static func decode(_ type: (some WorkerJob).Type, _ payload: Data) throws -> any WorkerJob {
        try JSONDecoder().decode(type, from: payload)
    }

    public var kind: String { type(of: work).kind }

    /// What travels to the worker: the job's JSON, without its kind.
    public var payload: Data { get throws { try JSONEncoder().encode(work) } }

    public var libraries: Set<String> { work.libraries }
    public var cost: Int { work.cost }
    public var mayRunTwice: Bool { type(of: work).mayRunTwice }
    public var joinedBytes: Int64? { work.joinedBytes }

    /// See ``WorkerJob/leavingOut(_:of:)``.
    public func leavingOut(_ id: String, of library: String) -> Job? {
        work.leavingOut(id, of: library).map { Job($0) }
    }

    /// Returns the same job with every path in it changed.
    public func mappingPaths(_ change: PathChange) -> Job {
        var work = work
        work.mapPaths(change)
        return Job(work)
    }

    /// What the job does with each path that it names; what is known of a file comes before the
    /// mere name.
    public var paths: [String: Set<PathUse>] {
        var paths: [String: Set<PathUse>] = [:]
        _ = mappingPaths { path, use in
            paths[path, default: []].insert(use)
            return path
        }
        return paths
    }

    /// Returns a node's reply to the job with the server's words in it.
    /// - Throws: what is no reply of this kind.
    public func translated(_ reply: Data, _ terms: ReplyTerms) throws -> Data { try work.translated(reply, terms) }
}

extension Job: Hashable {
    public static func == (a: Job, b: Job) -> Bool { AnyHashable(a.work) == AnyHashable(b.work) }
    public func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(work)) }
}
