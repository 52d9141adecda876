/// How far a job has come, in units of its own (frames, packets). A change tells the host that the job is not stuck.
public struct Progress: Hashable, Sendable {
    public var done: Int
    /// 0 when it is not known.
    public var total: Int

    public init(done: Int = 0, total: Int = 0) {
        self.done = done
        self.total = total
    }
}
