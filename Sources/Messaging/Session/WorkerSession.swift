import FoundationEssentials
import Glibc

/// The life of a worker process: it registers with its host, runs one job after the other on the
/// calling thread, and leaves when it is told to or when the host is gone.
///
/// Two helper threads run beside it: the lifeline's, and the one that sends heartbeats during a job
/// (``Heartbeat``), with the foreign code that the loop is inside of. So the host hears a worker in
/// a long call, and can tell whether it is busy.
public final class WorkerSession {
    private let launch: WorkerLaunch
    private let connection: HostConnection
    private let heartbeat: Heartbeat

    /// Connects to the host.
    /// - Parameters:
    ///   - engine: the build; the host refuses a worker of another build than its own.
    ///   - isolation: the rights that this process has given up, for people.
    ///   - activity: returns the foreign code, other than plugins, that the working loop is inside
    ///     of, for people; called on a separate thread.
    /// - Throws: if ZeroMQ does not understand the endpoint.
    public init(
        _ launch: WorkerLaunch, engine: String, isolation: String? = nil,
        activity: @escaping @Sendable () -> String? = { nil }
    ) throws(ZMQError) {
        self.launch = launch
        connection = try HostConnection(
            endpoint: launch.endpoint,
            introduction: WorkerIntroduction(
                worker: launch.worker.name, process: getpid(), engine: engine, isolation: isolation))
        heartbeat = Heartbeat(connection) { Breadcrumb.read(file: launch.breadcrumb)?.place ?? activity() }
    }

    /// The reason why a session ended.
    public enum Ending: Sendable, Equatable {
        /// The host sent `stop`, and has all results.
        case stopped
        /// The host refused this worker; the reason is for people.
        case refused(reason: String)

        /// The process's exit code.
        public var exitCode: Int32 { self == .stopped ? 0 : WorkerExitCode.refused }
    }

    /// The time that a stopping worker waits for its results to be acknowledged.
    private static let farewellLimit = Duration.seconds(2)

    /// The time without a job after which a worker releases what it keeps for the next one.
    private static let restDelay = Duration.seconds(2)

    /// Serves the host until it says `stop`.
    ///
    /// - Parameter lifeline: the descriptor whose end of file shows that the host is gone; the
    ///   process then exits at once. Nil if no host holds the other end.
    public func run(_ handler: some JobHandler, lifeline: Int32? = STDIN_FILENO) -> Ending {
        Self.setSignals()
        if let lifeline, !Lifeline.watch(lifeline) { return .refused(reason: "the lifeline cannot be watched") }
        guard heartbeat.start() else { return .refused(reason: "the system gives no thread for heartbeats") }
        var stopping: SuspendingClock.Instant?
        var idleSince: SuspendingClock.Instant?
        while true {
            switch connection.nextOrder(ready: stopping == nil) {
            case .run(let lease, let job):
                let isSpent = run(lease, job, handler, isLast: stopping != nil)
                if isSpent { stopping = stopping ?? SuspendingClock.now }
                idleSince = SuspendingClock.now
            case .stop: stopping = stopping ?? SuspendingClock.now
            case .leave(let reason): return .refused(reason: reason)
            case nil:
                if let start = idleSince, SuspendingClock.now - start > Self.restDelay {
                    handler.rest()
                    idleSince = nil
                }
            }
            if let stopping, connection.owesNothing || SuspendingClock.now - stopping > Self.farewellLimit {
                connection.sayGoodbye()
                return .stopped
            }
        }
    }

    /// Runs a job.
    /// - Returns: true if the process cannot take another job.
    private func run(_ lease: Lease, _ job: Assignment, _ handler: some JobHandler, isLast: Bool) -> Bool {
        let context = JobContext(
            lease: lease, fence: job.fence, threads: job.threads, heartbeat: heartbeat,
            scratch: launch.scratch + "/\(lease.epoch)")
        heartbeat.begin(lease)
        let message: Message
        do {
            let result = try handler.run(kind: job.kind, payload: job.payload, context: context)
            message =
                result.count <= Wire.largestPayload
                ? .completed(lease, result: result)
                : .failed(
                    lease, JobFailure(.internal, "The result of \(lease.job) is too large: \(result.count) bytes."))
        } catch {
            message = .failed(lease, JobFailure(error))
        }
        // Before the result is sent, so that its receiver finds nothing of the run left.
        context.removeScratch()
        heartbeat.end()
        connection.settle(lease, message, asks: !isLast && !context.endsWorker)
        return context.endsWorker
    }

    /// Sets signal handling. Ctrl-C is handled by the host. A broken pipe and a file-size limit
    /// must be errors of calls and not end the process. SIGTERM keeps its default and ends the
    /// worker at once.
    private static func setSignals() {
        for number in [SIGINT, SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    }
}
