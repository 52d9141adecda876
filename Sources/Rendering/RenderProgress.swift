/// What a render has done so far.
public struct RenderProgress: Hashable, Sendable {
    /// Frames in the output; samples for sound only.
    public var total: Int
    /// From 0 to `total`.
    public var done: Int
    public var stage: String
    /// Samples per second where samples are counted.
    public var sampleRate: Int?

    public init(total: Int, done: Int, stage: String, sampleRate: Int? = nil) {
        self.total = total
        self.done = min(max(0, done), total)
        self.stage = stage
        self.sampleRate = sampleRate
    }
}
