/// The reply of a job that writes a file: where this run wrote it and what it is.
public struct WrittenFile: Sendable, Codable, Hashable {
    public var path: String
    public var file: RenderedFile

    public init(path: String, file: RenderedFile) {
        self.path = path
        self.file = file
    }
}

/// What a segment or sound job wrote.
public struct RenderedFile: Sendable, Codable, Hashable {
    /// Frames of a segment, samples of sound.
    public var count: Int
    /// Bytes.
    public var size: Int64
    /// SHA-256 of the file.
    public var digest: String
    /// Bytes of a segment's encoded frames, without what the file around them takes; nil where nobody counted.
    public var payload: Int64?

    public init(count: Int, size: Int64, digest: String, payload: Int64? = nil) {
        self.count = count
        self.size = size
        self.digest = digest
        self.payload = payload
    }
}
