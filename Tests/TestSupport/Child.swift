import Foundation

/// A child process, the leader of its group, that is reaped as soon as it has ended.
///
/// Swift's testing library waits for *any* child while an exit test runs. An unreaped child hides
/// the others from it, and makes its thread spin.
final class Child: @unchecked Sendable {
    let pid: pid_t
    private let condition = NSCondition()
    private var status: Int32?

    init(_ pid: pid_t) {
        self.pid = pid
        let thread = Thread { [self] in reap() }
        thread.stackSize = 1 << 18
        thread.start()
    }

    private func reap() {
        var info = siginfo_t()
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) < 0 {
            if errno != EINTR { fatalError("waitid(\(pid)): errno \(errno)") }
        }
        condition.withLock {
            var status: Int32 = 0
            while waitpid(pid, &status, 0) != pid {
                if errno != EINTR { fatalError("waitpid(\(pid)): errno \(errno)") }
            }
            self.status = status
        }
        condition.broadcast()
    }

    /// Sends a signal to the process, or to its group, also where the leader has ended before the
    /// others.
    func send(_ signal: Int32, toGroup: Bool = false) {
        condition.withLock {
            if status == nil {
                kill(toGroup ? -pid : pid, signal)
            } else if toGroup, kill(pid, 0) != 0, errno == ESRCH {
                // The number is not reused while a group has it; a process that has it is another.
                kill(-pid, signal)
            }
        }
    }

    /// - Parameter end: nil: no time limit.
    /// - Returns: as `waitpid` gives it; nil if the process has not ended by then.
    func wait(until end: ContinuousClock.Instant?) -> Int32? {
        condition.withLock {
            while status == nil {
                let rest = end.map { ContinuousClock.now.duration(to: $0) / .seconds(1) } ?? 1
                guard rest > 0 else { break }
                // The condition waits by the system's clock, which may be set meanwhile.
                _ = condition.wait(until: Date(timeIntervalSinceNow: min(rest, 1)))
            }
            return status
        }
    }
}
