import Glibc
import Synchronization

/// Sends the heartbeats of a running job from a thread of its own, so that a worker whose loop is
/// inside of one long call is heard, and the host can tell whether it is busy.
///
/// `@unchecked`: the connection is used by the thread that works, and while a job runs by this one too; then each of them
/// holds `run`.
final class Heartbeat: @unchecked Sendable {
    private struct Run {
        var lease: Lease
        var progress = Progress()
    }

    private let run = Mutex<Run?>(nil)
    private let connection: HostConnection
    private let activity: @Sendable () -> String?

    private static let interval = Duration.milliseconds(500)

    /// - Parameter activity: says what foreign code the loop is inside of; called on the heartbeat's thread.
    init(_ connection: HostConnection, activity: @escaping @Sendable () -> String?) {
        (self.connection, self.activity) = (connection, activity)
    }

    /// Starts the thread, which ends with the process.
    /// - Returns: false when the system gives no more threads.
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

    /// Milliseconds that this process has worked, on all its threads.
    private static var processorTime: Int {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }

    // MARK: The thread that works

    func begin(_ lease: Lease) { run.withLock { $0 = Run(lease: lease) } }

    /// Ends the heartbeats of a job: no later one follows.
    func end() { run.withLock { $0 = nil } }

    /// Takes in how far the job has come; goes out with the next heartbeat.
    func note(_ progress: Progress) { run.withLock { $0?.progress = progress } }

    /// Uses the connection while a job runs.
    func use(_ body: (HostConnection) -> Void) { run.withLock { _ in body(connection) } }
}
