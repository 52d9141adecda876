import FoundationEssentials

/// A running job's connection to the host. It belongs to the thread that runs the job.
public final class JobContext {
    public let lease: Lease
    /// The run's fencing token, unique in the farm. Make it a part of every temporary file's name.
    public let runName: String
    /// The last progress that the job reported.
    public private(set) var progress = Progress()

    /// The number of threads that may compute at a time, at least 1; the host may change it while
    /// the job runs.
    public private(set) var threads: Int

    /// Whether the host cancelled the job, or is ending this worker at once.
    private(set) var isCancelled = false

    private(set) var endsWorker = false

    private let heartbeat: Heartbeat
    private let scratch: String
    private var scratchExists = false
    private var lastListened = SuspendingClock.now

    /// The interval at which the socket is read; a pulse in between costs one look at the clock.
    private static let listenInterval = Duration.milliseconds(50)

    init(lease: Lease, fence: UInt64, threads: Int, heartbeat: Heartbeat, scratch: String) {
        self.lease = lease
        self.threads = threads
        runName = fence > 0 ? "\(fence)-\(lease.epoch)" : "\(lease.epoch)"
        self.heartbeat = heartbeat
        self.scratch = scratch
    }

    public var jobID: JobID { lease.job }
    public var epoch: UInt64 { lease.epoch }

    /// Checks whether the job is still wanted. Cheap: call it for every frame or packet.
    ///
    /// Heartbeats do not depend on it: they come from a thread of their own (``Heartbeat``). A job
    /// that does not call this for long cannot be cancelled meanwhile, and is killed instead.
    /// - Throws: `Cancelled` if the job should end now.
    public func pulse() throws(Cancelled) {
        let now = SuspendingClock.now
        if now - lastListened >= Self.listenInterval {
            lastListened = now
            heartbeat.use { $0.listen(during: self) }
        }
        if isCancelled { throw Cancelled() }
    }

    /// Reports that a bounded piece of work was finished: a packet decoded, a block read. Unlike
    /// ``pulse()`` it counts as progress, so do not call it in anything that could loop for ever.
    /// - Throws: `Cancelled` if the job should end now.
    public func step() throws(Cancelled) {
        progress.steps &+= 1
        heartbeat.note(progress)
        try pulse()
    }

    /// Reports the progress, which the next heartbeat sends. A job whose progress does not change
    /// for the host's stall time-out counts as stuck.
    /// - Throws: `Cancelled` if the job should end now.
    public func progress(done: Int, total: Int) throws(Cancelled) {
        progress = Progress(done: done, total: total, steps: progress.steps)
        heartbeat.note(progress)
        try pulse()
    }

    /// Reports a sentence about this run to people, as a warning, besides its result. Equal
    /// sentences of several workers are shown once.
    public func warn(_ text: String) { heartbeat.use { $0.say(.warning(lease, text)) } }

    /// Returns a folder for this run only. It is made by the first call and removed when the run
    /// has ended, before its result is reported.
    public func scratchDirectory() throws -> String {
        if !scratchExists {
            try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
            scratchExists = true
        }
        return scratch
    }

    /// Ends this worker after the job's result: a thread is stuck in foreign code, so the process
    /// cannot take another job.
    public func endWorker() { endsWorker = true }

    func cancel() { isCancelled = true }

    func share(_ threads: Int) { self.threads = threads }

    func removeScratch() {
        // Leftovers go with the worker's folder when the worker has ended.
        if scratchExists { try? FileManager.default.removeItem(atPath: scratch) }
    }
}
