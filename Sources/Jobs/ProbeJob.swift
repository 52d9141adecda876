import Composition
import Draft

/// Looks into files.
public struct ProbeJob: WorkerJob {
    public static let kind = "probe"

    public var files: [DraftFile]

    public init(_ files: [DraftFile]) { self.files = files }

    public struct Reply: Sendable, Codable {
        /// In the order of the job's.
        public var files: [File]
        /// The versions of the libraries that decode and encode; part of every cache key.
        public var libraries: String
        /// What they cannot encode (``Catalog/missingCodecs``).
        public var missingCodecs: [String: String]

        public init(files: [File], libraries: String, missingCodecs: [String: String]) {
            self.files = files
            self.libraries = libraries
            self.missingCodecs = missingCodecs
        }
    }

    /// One of the two is set.
    public struct File: Sendable, Codable {
        public var info: MediaInfo?
        public var failure: String?

        public init(info: MediaInfo? = nil, failure: String? = nil) {
            self.info = info
            self.failure = failure
        }
    }
}

extension ProbeJob {
    public mutating func mapPaths(_ change: PathChange) {
        files = files.map { DraftFile(change($0.path, $0.content == .font ? .hands(nil) : .reads(nil)), $0.content) }
    }

    /// Files have the times of where they come from in the place of those of their copies.
    public func translate(_ reply: inout Reply, _ terms: ReplyTerms) {
        for index in reply.files.indices {
            reply.files[index].failure = reply.files[index].failure.map(terms.text)
            if index < files.count, let time = terms.time(terms.path(files[index].path)) {
                reply.files[index].info?.identity.modified = time
            }
        }
    }
}
