/// What a render has done so far.
public struct RenderProgress: Hashable, Sendable {
    /// Frames in the output; samples for sound only.
    public var total: Int
    /// From 0 to `total`.
    public var done: Int
    public var stage: String
    /// Samples per second where samples are counted.
    public var sampleRate: Int?

    /// No output has more samples, and no file more bytes.
    private static let largest = 1 << 48

    public init(total: Int, done: Int, stage: String, sampleRate: Int? = nil) {
        // Also a server's own account, which may be anything.
        self.total = min(max(0, total), Self.largest)
        self.done = min(max(0, done), self.total)
        self.stage = stage
        self.sampleRate = sampleRate
    }
}
