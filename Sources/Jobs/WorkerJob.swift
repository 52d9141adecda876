import Composition
import Foundation

/// A kind of work that a worker can be asked to do: the payload that travels to it, and the reply.
///
/// A new kind of job is one file here, with its values, and one in `Workers` that conforms it to
/// `Work`, with the code that does it; ``JobRegistry`` lists it. Nothing else knows the kinds one
/// by one.
public protocol WorkerJob: Codable, Hashable, Sendable {
    associatedtype Reply: Codable & Sendable = NoReply

    /// The job's name on the wire, which no other kind has.
    static var kind: String { get }

    /// Changes every path in the job: the one traversal of what it reads, loads and writes.
    mutating func mapPaths(_ change: PathChange)

    /// Changes a reply of a node's worker so that the server can use it.
    func translate(_ reply: inout Reply, _ terms: ReplyTerms)

    /// The paths of the plugin libraries that the job opens. Such a library can affect everything
    /// that is made in its process, so the job's result depends on them, and its key, where it has
    /// one, contains all of them.
    var libraries: Set<String> { get }

    /// Returns the same job without a plugin's effect; nil where the job does not use it.
    /// - Parameters:
    ///   - id: the effect's; empty: all effects of the library.
    ///   - library: its path.
    func leavingOut(_ id: String, of library: String) -> Self?

    /// How much work the job is, in frames: what the queue shares out among renders. At least 1.
    var cost: Int { get }

    /// Whether two workers may run the job at the same time: a run writes nothing, or only under
    /// names that no other run has.
    static var mayRunTwice: Bool { get }

    /// For a job that follows on all others of its render: the bytes that it reads of what they
    /// made. nil for any other job.
    var joinedBytes: Int64? { get }
}

/// The reply of a job that only succeeds or fails.
public struct NoReply: Codable, Hashable, Sendable {
    public init() {}
}

/// How a node's words are put into those of its server.
public struct ReplyTerms {
    /// The server's path for one of the node.
    public var path: (String) -> String
    /// The same for a text in which paths occur.
    public var text: (String) -> String
    /// When the server's file was modified, in nanoseconds since 1970; nil for what is no copy of
    /// one.
    public var time: (String) -> Int64?

    public init(
        path: @escaping (String) -> String, text: @escaping (String) -> String = { $0 },
        time: @escaping (String) -> Int64? = { _ in nil }
    ) {
        (self.path, self.text, self.time) = (path, text, time)
    }
}

extension WorkerJob {
    public func translate(_ reply: inout Reply, _ terms: ReplyTerms) {}
    public var libraries: Set<String> { [] }
    public func leavingOut(_ id: String, of library: String) -> Self? { nil }
    public var cost: Int { 1 }
    public static var mayRunTwice: Bool { false }
    public var joinedBytes: Int64? { nil }

    /// Returns a reply as it has travelled with the server's words in it.
    /// - Throws: what is no reply of this kind.
    func translated(_ reply: Data, _ terms: ReplyTerms) throws -> Data {
        var value = try JSONDecoder().decode(Reply.self, from: reply)
        translate(&value, terms)
        return try JSONEncoder().encode(value)
    }
}
