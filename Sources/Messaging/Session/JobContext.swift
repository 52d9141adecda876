import FoundationEssentials

/// A running job's line to the host. It belongs to the thread that runs the job.
public final class JobContext {
    public let lease: Lease
    /// This run's fencing token, which no other run of the farm has. Put it into the name of every temporary file.
    public let runName: String
    /// How far the job has come, as it last said.
    public private(set) var progress = Progress()

    /// How many threads may compute at once, at least 1; the host may change it while the job runs.
    public private(set) var threads: Int

    /// Cancelled by the host, or the host is ending this worker at once.
    private(set) var isCancelled = false

    private(set) var endsWorker = false

    private let heartbeat: Heartbeat
    private let scratch: String
    private var scratchExists = false
    private var lastListened = SuspendingClock.now

    /// How often the socket is looked at; a pulse in between costs one look at the clock.
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

    /// Hears whether the job is still wanted. Cheap: call it for every frame or packet.
    ///
    /// Heartbeats need none of this: they come from a thread of their own (``Heartbeat``). A job whose loop does not come
    /// by for long cannot be cancelled meanwhile, and is killed where it is.
    /// - Throws: `Cancelled` when the job should end now.
    public func pulse() throws(Cancelled) {
        let now = SuspendingClock.now
        if now - lastListened >= Self.listenInterval {
            lastListened = now
            heartbeat.use { $0.listen(during: self) }
        }
        if isCancelled { throw Cancelled() }
    }

    /// A pulse that says that a bounded piece of work was finished: a packet decoded, a block read. Unlike ``pulse()`` it
    /// counts as progress, so call it for nothing that could go on for ever.
    /// - Throws: `Cancelled` when the job should end now.
    public func step() throws(Cancelled) {
        progress.steps &+= 1
        heartbeat.note(progress)
        try pulse()
    }

    /// Says how far the job has come; it goes out with the next heartbeat. A job whose progress does not change for
    /// the host's stall time-out is taken for stuck.
    /// - Throws: `Cancelled` when the job should end now.
    public func progress(done: Int, total: Int) throws(Cancelled) {
        progress = Progress(done: done, total: total, steps: progress.steps)
        heartbeat.note(progress)
        try pulse()
    }

    /// Has people hear something about this run besides its result, as a warning: a sentence. What several workers say alike is said once.
    public func remark(_ text: String) { heartbeat.use { $0.say(.remark(lease, text)) } }

    /// A folder for this run alone; made when first asked for and removed when the run has ended, before its result is told.
    public func scratchDirectory() throws -> String {
        if !scratchExists {
            try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
            scratchExists = true
        }
        return scratch
    }

    /// Ends this worker after the job's result: a thread is stuck in foreign code, so the process cannot take another job.
    public func endWorker() { endsWorker = true }

    func cancel() { isCancelled = true }

    func share(_ threads: Int) { self.threads = threads }

    func removeScratch() {
        // Left-overs go with the worker's folder when the worker has ended.
        if scratchExists { try? FileManager.default.removeItem(atPath: scratch) }
    }
}
