import Glibc
import Synchronization

/// Sends a running job's heartbeats from a thread of its own, so that the host hears a worker whose
/// loop is inside one long call, and can tell whether it is busy.
///
/// `@unchecked`: the connection belongs to the working thread, and during a job also to this one;
/// then each of them holds `run`.
final class Heartbeat: @unchecked Sendable {
    private struct Run {
        var lease: Lease
        var progress = Progress()
    }

    private let run = Mutex<Run?>(nil)
    private let connection: HostConnection
    private let activity: @Sendable () -> String?

    private static let interval = Duration.milliseconds(500)

    /// Makes the heartbeat of a connection.
    /// - Parameter activity: returns the foreign code that the loop is inside of; called on the
    ///   heartbeat's thread.
    init(_ connection: HostConnection, activity: @escaping @Sendable () -> String?) {
        (self.connection, self.activity) = (connection, activity)
    }

    /// Starts the thread, which ends with the process.
    /// - Returns: false if the system gives no more threads.
    func start() -> Bool {
        SystemThread.start(name: "heartbeat") { [self] in
            while true {
                SystemThread.pause(Self.interval)
                beat()
            }
        }
    }

    private func beat() {
        guard run.withLock({ $0 != nil }) else { return }
        let vitals = Vitals(processor: Self.processorTime, activity: activity())
        run.withLock { run in
            if let run { connection.say(.heartbeat(run.lease, run.progress, vitals)) }
        }
    }

    /// The processor time of this process, over all threads, in milliseconds.
    private static var processorTime: Int {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }

    // MARK: Working thread

    func begin(_ lease: Lease) { run.withLock { $0 = Run(lease: lease) } }

    /// Ends the heartbeats of a job: no later one follows.
    func end() { run.withLock { $0 = nil } }

    /// Notes a job's progress, which the next heartbeat reports.
    func note(_ progress: Progress) { run.withLock { $0?.progress = progress } }

    /// Uses the connection during a job.
    func use(_ body: (HostConnection) -> Void) { run.withLock { _ in body(connection) } }
}
