/// How far a job has come, in units of its own (frames, samples). A change tells the host that the job is not stuck.
public struct Progress: Hashable, Sendable {
    public var done: Int
    /// 0 when it is not known.
    public var total: Int
    /// What was finished on the way to the next unit (packets read on the way to a frame), counted since the job began.
    public var steps: Int

    public init(done: Int = 0, total: Int = 0, steps: Int = 0) {
        self.done = done
        self.total = total
        self.steps = steps
    }
}
