import Draft

/// Looks into files.
public struct ProbeJob: Sendable, Codable, Hashable {
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
